//! What must hold whenever an attempt is made, worked out from a plain list of what happened, without the ledger.
//!
//! The observer has a clock that is never set. Limits hold by that clock, but for what was before the program was started
//! last: of that the program knows nothing but the times of day that it wrote down.

mod classes;
mod rules;

use std::collections::{BTreeSet, HashMap};

use super::*;
use crate::ledger::Lost;
pub(super) use rules::Scene;

/// One attempt, as whoever watches from outside would note it.
#[derive(Debug, Clone)]
pub(super) struct Noted {
    pub id: AttemptId,
    pub mode: ActiveMode,
    pub folder: u128,
    pub at: Moment,
    pub files: Vec<Sent>,
    pub charge: u64,
    /// The status of a refusal.
    pub refused: Option<u16>,
    /// Whether the portal said that it queued files.
    pub carried_out: bool,
    /// Whether the program ended before the answer.
    pub interrupted: bool,
    /// The verdict and when it was found; `None` while it is to come, or where there is none.
    pub verdict: Option<(Moment, Verdict)>,
}

impl Noted {
    fn is_unjudged(&self) -> bool {
        self.mode == ActiveMode::Enforce && self.refused.is_none() && self.verdict.is_none()
    }

    /// The classes of which files failed again.
    fn classes_in_vain(&self) -> BTreeSet<Class> {
        let again = self
            .files
            .iter()
            .filter(|file| file.state == FileState::Refailed);
        again.map(|file| file.class.clone()).collect()
    }

    fn moved_nothing(&self) -> bool {
        let inconclusive = matches!(self.verdict, Some((_, Verdict::Inconclusive)));
        let sent = self.files.iter().any(|file| file.state == FileState::Sent);
        inconclusive && !self.carried_out && sent
    }
}

/// A file of an attempt, and its state.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    pub key: FileKey,
    pub class: Class,
    pub state: FileState,
}

/// Everything that happened.
#[derive(Debug)]
pub(super) struct Oracle {
    /// When the ledger met the portal.
    met: Moment,
    /// When the program was started last.
    pub restarted: Moment,
    pub noted: Vec<Noted>,
    pub attempts_of_files: HashMap<(u128, FileKey), u32>,
}

impl Oracle {
    pub fn new(now: Moment) -> Self {
        Self {
            met: now,
            restarted: now,
            noted: Vec::new(),
            attempts_of_files: HashMap::new(),
        }
    }

    /// How much time lies between two points, as far as the program could know. A clock that was set back says that none does.
    fn between(&self, earlier: Moment, later: Moment) -> Duration {
        let start = self.restarted;
        if earlier.steady > start.steady {
            later.steady.duration_since(earlier.steady)
        } else if later.steady > start.steady {
            start.wall.since(earlier.wall) + later.steady.duration_since(start.steady)
        } else {
            later.wall.since(earlier.wall)
        }
    }

    pub fn note(&mut self, noted: Noted) {
        if noted.mode == ActiveMode::Enforce {
            for file in &noted.files {
                *self
                    .attempts_of_files
                    .entry((noted.folder, file.key))
                    .or_default() += 1;
            }
        }
        self.noted.push(noted);
    }

    pub fn settle(&mut self, id: AttemptId, outcome: Outcome) {
        let noted = self.noted.iter_mut().find(|noted| noted.id == id).unwrap();
        match outcome {
            Outcome::Accepted { updated } => {
                noted.charge = updated;
                noted.carried_out = updated > 0;
            }
            Outcome::Unknown { why } => noted.interrupted = why == Lost::Interrupted,
            Outcome::Refused { status, .. } => {
                noted.refused = Some(status);
                noted.charge = 0;
                self.give_back(id);
            }
        }
    }

    /// Notes what a read showed of an attempt.
    pub fn review(&mut self, id: AttemptId, at: Moment, review: &Review) {
        let noted = self.noted.iter_mut().find(|noted| noted.id == id).unwrap();
        for (key, state) in &review.changed {
            let file = noted
                .files
                .iter_mut()
                .find(|file| file.key == *key)
                .unwrap();
            file.state = *state;
        }
        let Some(verdict) = review.verdict else {
            return;
        };
        noted.verdict = Some((at, verdict));
        if verdict == Verdict::Inconclusive {
            self.give_back(id);
        }
    }

    fn give_back(&mut self, id: AttemptId) {
        let noted = self.noted.iter().find(|noted| noted.id == id).unwrap();
        for file in &noted.files {
            if let Some(attempts_of_files) =
                self.attempts_of_files.get_mut(&(noted.folder, file.key))
            {
                *attempts_of_files = attempts_of_files.saturating_sub(1);
            }
        }
    }

    /// Checks everything that is promised of an attempt that is about to be made.
    pub fn check(
        &self,
        trigger: &Trigger,
        rules: &ReindexRules,
        failed: &[(FailedFile, Moment)],
        now: Moment,
    ) {
        let of = failed_folder(trigger);
        assert!(
            self.noted.iter().all(|noted| noted.at.wall <= now.wall),
            "the clock is behind"
        );
        let files = trigger.files.len();
        assert_eq!(files, failed.len(), "the folder goes whole");
        let read = At {
            oracle: self,
            same: self.of_mode(trigger.mode),
            rules,
            now,
        };
        assert!(
            read.passed(self.met) >= rules.cooldown,
            "a portal that was just met"
        );
        read.check_files(of, failed);
        read.check_cooldown(of);
        read.check_budget(files as u64);
        read.check_verdicts(of);
    }

    fn tries_of(&self, of: u128, key: FileKey) -> u32 {
        self.attempts_of_files.get(&(of, key)).copied().unwrap_or(0)
    }

    /// The attempts that sent files of a class, oldest first.
    fn sent_of(&self, class: &Class) -> Vec<&Noted> {
        let sent = self.of_mode(ActiveMode::Enforce).into_iter();
        sent.filter(|noted| noted.files.iter().any(|file| file.class == *class))
            .collect()
    }

    /// Forgets what the ledger forgot: nothing that changed within its horizon.
    pub fn forget(
        &mut self,
        horizon: Duration,
        now: Moment,
        is_stored: impl Fn(AttemptId) -> bool,
    ) {
        self.noted.retain(|noted| {
            let old = now.wall.since(noted.at.wall) >= horizon;
            let stays = is_stored(noted.id);
            assert!(stays || old, "forgotten too soon: {noted:?}");
            stays
        });
    }

    fn of_mode(&self, mode: ActiveMode) -> Vec<&Noted> {
        let noted = self.noted.iter();
        noted.filter(|noted| noted.mode == mode).collect()
    }
}

fn failed_folder(trigger: &Trigger) -> u128 {
    (0..9).find(|of| folder(*of) == trigger.folder).unwrap()
}

/// What happened, as it is seen when an attempt is about to be made.
struct At<'a> {
    oracle: &'a Oracle,
    /// Attempts of the same mode.
    same: Vec<&'a Noted>,
    rules: &'a ReindexRules,
    now: Moment,
}

impl At<'_> {
    fn passed(&self, since: Moment) -> Duration {
        self.oracle.between(since, self.now)
    }

    fn exhausted(&self, of: u128, file: &FailedFile) -> bool {
        self.oracle.tries_of(of, file.key) >= self.rules.max_attempts.get()
    }

    fn check_files(&self, of: u128, failed: &[(FailedFile, Moment)]) {
        let never = |file: &FailedFile| {
            let mut classes = self.rules.never_classes.iter();
            classes.any(|class| class == file.class.as_str())
        };
        let retryable: Vec<_> = failed
            .iter()
            .filter(|(file, _)| !self.exhausted(of, file) && !never(file))
            .collect();
        let old = retryable
            .iter()
            .filter(|(_, since)| self.passed(*since) >= self.rules.min_age);
        assert!(
            old.count() as u64 >= self.rules.min_failed.get(),
            "on its own"
        );
    }

    fn check_cooldown(&self, of: u128) {
        let last = self.same.iter().rev().find(|noted| noted.folder == of);
        let passed = last.map(|last| self.passed(last.at));
        assert!(
            passed.is_none_or(|passed| passed >= self.rules.cooldown),
            "inside the cooldown: {passed:?}"
        );
    }

    fn check_budget(&self, files: u64) {
        let budget = &self.rules.budget;
        let recent = self
            .same
            .iter()
            .filter(|noted| self.passed(noted.at) < budget.per && noted.refused != Some(404));
        let (mut actions, mut charged, mut forbidden) = (0, 0, false);
        for noted in recent {
            let is_forbidden = noted.refused == Some(403);
            actions += u64::from(!(is_forbidden && forbidden));
            charged += noted.charge;
            forbidden = is_forbidden;
        }
        assert!(actions < budget.actions, "too many attempts");
        assert!(charged + files <= budget.files, "too many files");
    }

    fn check_verdicts(&self, of: u128) {
        let mut unjudged = self.same.iter().filter(|noted| noted.is_unjudged());
        assert!(unjudged.all(|noted| noted.folder != of), "a second one");
    }
}
