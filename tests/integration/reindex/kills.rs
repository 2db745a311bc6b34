//! The program is killed again and again while folders wait to be reindexed, and no limit is ever broken.
//!
//! While no process runs, the ledger grows older: what is called a time here is that of a clock which counts those pauses as well.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use kb_simulator::{NewFile, Status};
use serde_json::json;
use tokio::time::sleep;
use uuid::Uuid;

use super::ledger;
use super::limits::{Event, Limits, Time, each_request_has_an_attempt, folder_of, millis, wall};
use super::scene::{failed_files_are_shown, make_old_ledger, sent};
use crate::support::exporter::{Exporter, client};
use crate::support::portal::Portal;
use crate::support::random::Random;
use crate::support::wait::watch_for;
use crate::support::workspace::Workspace;
use crate::support::writes::REINDEX_FAILED;
use kb_exposition::Sample;

const FOLDERS: usize = 2;
const FILES: usize = 4;

const COOLDOWN: Duration = Duration::from_mins(1);
/// Files that the budget allows.
const BUDGET: u64 = 20;
const BUDGET_PER: Duration = Duration::from_mins(8);

/// The ledger grows older by less than this between two starts.
const LONGEST_PAUSE: u64 = 90_000;

/// From a written intent to the arrival of its request, at most.
const UNDER_WAY: Duration = Duration::from_secs(5);

/// Requests of one read of all folders.
const READ: usize = FOLDERS + 1;

const LIMITS: Limits = Limits {
    cooldown: COOLDOWN,
    budget: BUDGET,
    per: BUDGET_PER,
};

struct Story {
    portal: Portal,
    folders: Vec<Uuid>,
    workspace: Workspace,
    generator: fastrand::Rng,
    /// When each process was started, and how long the pauses were until then.
    starts: Vec<(SystemTime, Duration)>,
    paused: Duration,
}

#[tokio::test]
async fn no_limit_is_broken_by_kills_at_random_moments() {
    no_limit_is_broken(Random::fixed(1, 8)).await;
}

/// The events are kills.
#[expect(clippy::print_stdout, reason = "shown when the test fails")]
pub(crate) async fn no_limit_is_broken(random: Random) {
    let mut story = Story::begin(random).await;
    let mut kills = 0;
    while random.goes_on(kills) {
        story.live_and_die().await;
        story.pause();
        kills += 1;
    }
    story.nothing_is_forgotten().await;
    let attempts = story.attempts();
    let requests = story.requests();
    println!(
        "{kills} kills, {} attempts {:?}, {} requests, {:?} of pauses",
        attempts.len(),
        story.outcomes(),
        requests.len(),
        story.paused,
    );
    assert!(requests.len() > kills / 5, "nothing happened");
    each_request_has_an_attempt(&requests, &attempts, UNDER_WAY);
    LIMITS.cooldowns_were_kept(&requests, UNDER_WAY);
    LIMITS.cooldowns_were_kept(&attempts, Duration::ZERO);
    LIMITS.budget_was_kept(&story.charges());
}

impl Story {
    async fn begin(random: Random) -> Self {
        let portal = Portal::start().await;
        portal.writes().allow_reindex_failed();
        let folders: Vec<_> = (0..FOLDERS)
            .map(|number| portal.folder(&format!("Folder {number}")))
            .collect();
        for folder in &folders {
            for number in 0..FILES {
                portal.add(*folder, &failed_file(number));
            }
        }
        let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
            config["collect"]["schedule"] = "1s".into();
            config["reindex"] = json!({
                "mode": "enforce",
                "min_age": "0s",
                "cooldown": humantime::format_duration(COOLDOWN).to_string(),
                "max_attempts": 1_000,
                "budget": {
                    "files": BUDGET,
                    "per": humantime::format_duration(BUDGET_PER).to_string(),
                },
            });
        });
        make_old_ledger(&workspace).await;
        Self {
            portal,
            folders,
            workspace,
            generator: random.generator(),
            starts: Vec::new(),
            paused: Duration::ZERO,
        }
    }

    /// Starts the program and kills it at a random moment: after so many requests, or at the first one that writes, which a third of
    /// the processes are never answered.
    async fn live_and_die(&mut self) {
        let (asked, written) = (self.portal.requests_with(""), self.portal.written());
        if self.generator.u8(..3) == 0 {
            self.portal.hold(REINDEX_FAILED);
        }
        let enough = asked + self.generator.usize(READ..=2 * READ + 6);
        let eager = self.generator.bool();
        let exporter = self.start().await;
        watch_for("the moment to be killed", async || {
            let now = eager && self.portal.written() > written;
            (now || self.portal.requests_with("") >= enough).then_some(())
        })
        .await;
        sleep(Duration::from_micros(self.generator.u64(..10_000))).await;
        exporter.kill().await;
        self.portal_has_read_everything().await;
        self.portal.heal();
    }

    /// Waits until the portal, which runs beside the story, has read what the killed process sent last: it answers what comes after that.
    async fn portal_has_read_everything(&self) {
        let asked = client().get(self.portal.base_url()).send().await;
        asked.unwrap();
    }

    async fn start(&mut self) -> Exporter {
        self.starts.push((SystemTime::now(), self.paused));
        Exporter::start(&self.workspace).await
    }

    /// Lets time pass, in which half of the files are done, so that a retry is worth while, and others fail, again or for the first time.
    fn pause(&mut self) {
        let pause = Duration::from_millis(self.generator.u64(..LONGEST_PAUSE));
        ledger::age(&self.workspace, pause);
        self.paused += pause;
        for folder in &self.folders {
            for file in self.portal.world(|world| world.file_ids(*folder)) {
                let status = match self.generator.u8(..10) {
                    0 => continue,
                    1..=5 => Status::Done,
                    _ => Status::Failed,
                };
                self.portal.set(*folder, file, status);
            }
        }
    }

    /// Every failed file is still counted.
    async fn nothing_is_forgotten(&mut self) {
        let added = self.folders[0];
        self.portal.add(added, &failed_file(FILES));
        // Nothing changes any more: the rules are taken away first.
        self.workspace
            .change(|config| config["reindex"]["mode"] = "dry_run".into());
        let exporter = self.start().await;
        let metrics = exporter.collected_again().await;
        failed_files_are_shown(&self.portal, &self.folders, &metrics);
        for folder in &self.folders {
            let id = folder.to_string();
            let eligible = metrics.count("kb_reindex_eligible_files", &[("folder_id", &id)]);
            let failed = metrics.by_status("kb_folder_files", &id)["failed"];
            assert_eq!(eligible, Some(failed), "{id}");
        }
        let attempts = metrics.all("kb_reindex_attempts_total", &[]);
        let attempts: u64 = attempts.map(Sample::count).sum();
        exporter.stop().await;
        let written = self.charges().len();
        assert_eq!(attempts, written as u64, "counted and written down");
    }

    /// How many attempts ended how.
    fn outcomes(&self) -> BTreeMap<String, usize> {
        let mut outcomes = BTreeMap::new();
        for attempt in ledger::attempts(&self.workspace) {
            *outcomes.entry(attempt.outcome).or_default() += 1;
        }
        outcomes
    }

    /// What was written down, by time.
    fn attempts(&self) -> Vec<Event> {
        let paused = millis(self.paused);
        let attempts = ledger::attempts(&self.workspace).into_iter();
        attempts
            .map(|attempt| (attempt.intended + paused, attempt.folder))
            .collect()
    }

    /// The files of each attempt that may have been sent, by time.
    fn charges(&self) -> Vec<(Time, u64)> {
        let paused = millis(self.paused);
        let attempts = ledger::attempts(&self.workspace).into_iter();
        let charged = attempts.filter(|attempt| attempt.outcome != "not_sent");
        charged
            .map(|attempt| (attempt.intended + paused, attempt.files))
            .collect()
    }

    /// What the portal was asked, by time.
    fn requests(&self) -> Vec<Event> {
        let asked = self.portal.asked();
        sent(&asked)
            .map(|asked| (self.time(asked.at), folder_of(&asked.target)))
            .collect()
    }

    /// The time of something that a process did, by a clock that counts the pauses.
    fn time(&self, at: SystemTime) -> Time {
        let by = self.starts.iter().rfind(|(start, _)| *start <= at);
        wall(at) + millis(by.unwrap().1)
    }
}

fn failed_file(number: usize) -> NewFile {
    NewFile::new(format!("{number}.pdf"), Status::Failed).because("a reason")
}
