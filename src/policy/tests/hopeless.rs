//! A portal in which nothing ever comes back.

use super::*;

/// Three folders with files that fail for ever with one class. An hour passes from one read to the next.
struct Hopeless {
    rules: ReindexRules,
    ledger: TestLedger,
    files: Vec<(u128, Vec<FailedFile>)>,
    requests: Vec<Timestamp>,
}

impl Hopeless {
    fn new(sizes: [u128; 3]) -> Self {
        let file = |of: u128| {
            move |number| FailedFile {
                key: key(of * 1_000 + number),
                since: ago(DAY),
                class: Class::Text("timeout".into()),
            }
        };
        let files = (1..).zip(sizes);
        Self {
            rules: ReindexRules {
                mode: Mode::Enforce,
                ..ReindexRules::default()
            },
            ledger: TestLedger::new(),
            files: files
                .map(|(of, size)| (of, (0..size).map(file(of)).collect()))
                .collect(),
            requests: Vec::new(),
        }
    }

    fn decide(&self, of: usize, now: Timestamp) -> Decision {
        let failures = self.files.iter().map(|(of, files)| FolderFailures {
            folder: folder(*of),
            rules: &self.rules,
            files,
        });
        let outlook = Outlook::of(failures, &self.ledger.view, now);
        let (of, files) = &self.files[of];
        let mut counts = ByStatus::default();
        counts[Status::Failed] = files.len() as u64;
        counts[Status::Done] = 1_000;
        let (files, are_all) = (files.as_slice(), true);
        let failed = FailedFiles { files, are_all };
        let candidate = Candidate::new(folder(*of), &self.rules, counts, failed, &outlook);
        decide(&candidate, Some(&self.ledger.view), now)
    }

    /// Reads every folder; what is sent has failed again before the next read.
    fn read(&mut self, now: Timestamp) {
        let all = 0..self.files.len();
        let decisions = all.map(|index| self.decide(index, now).choice);
        let triggers = decisions.filter_map(|choice| match choice {
            Choice::Trigger(trigger) => Some(trigger),
            Choice::Hold(_) => None,
        });
        for trigger in in_order(triggers.collect(), &self.ledger.view) {
            let all = 0..self.files.len();
            let mut all = all.filter(|index| folder(self.files[*index].0) == trigger.folder);
            let index = all.next().unwrap();
            let Choice::Trigger(trigger) = self.decide(index, now).choice else {
                continue;
            };
            let (of, updated) = (self.files[index].0, trigger.files.len() as u64);
            let mode = ActiveMode::Enforce;
            let id = self.ledger.intend_files(mode, of, now, trigger.files);
            self.ledger.settle(id, Outcome::Accepted { updated });
            self.ledger.judge(id, now, Verdict::None);
            self.requests.push(now);
        }
    }

    /// Replaces the files that have used up their attempts by new ones.
    fn replace(&mut self, now: Timestamp) {
        for (of, files) in &mut self.files {
            for file in files.iter_mut() {
                if self.ledger.view.file_attempts(folder(*of), file.key) >= 3 {
                    file.key = key(file.key.link + 100_000);
                    file.since = now;
                }
            }
        }
    }
}

fn hours_later(hours: i64) -> Timestamp {
    Timestamp::from_millis(NOON.as_millis() + hours * 3_600_000)
}

/// Whether people notice: the class does not respond, or the breaker is open.
fn is_noticed(ledger: &TestLedger, now: Timestamp) -> bool {
    let class = Class::Text("timeout".into());
    let breaker = ReindexRules::default().breaker;
    ClassState::of(&ledger.view, &class).response == Response::Unresponsive
        || BreakerState::of(&ledger.view, ActiveMode::Enforce, &breaker, now).is_open()
}

#[test]
fn three_folders_that_never_come_back_are_noticed_and_sent_no_more_than_their_attempts() {
    for sizes in [[1, 1, 1], [1, 30, 200], [7, 7, 7]] {
        let mut portal = Hopeless::new(sizes);
        for hour in 0..24 * 30 {
            portal.read(hours_later(hour));
            let sent = portal.requests.len();
            assert!(
                sent < 3 || is_noticed(&portal.ledger, hours_later(hour)),
                "{sizes:?}"
            );
        }
        assert!(portal.requests.len() >= 3, "each folder has its chance");
        assert!(portal.requests.len() <= 9, "three attempts of each folder");
    }
}

#[test]
fn where_new_files_keep_failing_one_folder_a_day_shows_whether_that_has_changed() {
    for sizes in [[1, 1, 1], [1, 30, 200]] {
        let mut portal = Hopeless::new(sizes);
        for hour in 0..24 * 30 {
            portal.read(hours_later(hour));
            portal.replace(hours_later(hour));
        }
        let late = |at: &&Timestamp| **at >= hours_later(24 * 3);
        let requests = portal.requests.iter().filter(late).count();
        assert!(
            (20..=30).contains(&requests),
            "{sizes:?}: {requests} in 27 days"
        );
        assert!(is_noticed(&portal.ledger, hours_later(24 * 30)));
    }
}
