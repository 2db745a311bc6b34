//! Failures are entries, and nothing else is.

use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};
use uuid::Uuid;

use super::pages::changed;
use super::*;
use crate::config::Strategy;
use crate::model::Status;

const MINUTE: Duration = Duration::from_mins(1);

/// A portal with one folder, and a collector that reads every page of it each minute.
struct Watched {
    simulator: Simulator,
    folder: Uuid,
    publisher: Publisher,
}

impl Watched {
    fn begin(
        files: &[(SimulatedStatus, usize)],
        change: impl Fn(u64, &mut Value) + Clone + Send + Sync + 'static,
    ) -> Self {
        let simulator = Simulator::empty(Options {
            speed: 0.0,
            ..Options::default()
        });
        let folder = simulator.with(|world| world.add_folder("Inbox"));
        let router = changed(simulator.router(), change);
        let story = Story::at(router, Arc::new(crate::portal::Unobserved), |config| {
            config.collect.jitter = Duration::ZERO;
            config.collect.strategy = Strategy::Full;
            config.collect.quiet_every = MINUTE;
        });
        let watched = Self {
            simulator,
            folder,
            publisher: story.publisher.clone(),
        };
        for (status, files) in files {
            watched.add(status, *files);
        }
        story.run(MINUTE);
        watched
    }

    fn add(&self, status: &SimulatedStatus, files: usize) -> Vec<Uuid> {
        let add = |world: &mut kb_simulator::World| world.add_files(self.folder, status, files);
        self.simulator.with(add).unwrap()
    }

    fn set(&self, files: &[Uuid], status: &SimulatedStatus) {
        self.simulator.with(|world| {
            for file in files {
                world
                    .set_status(self.folder, *file, status.clone(), None)
                    .unwrap();
            }
        });
    }

    /// Entries into failed, after a number of minutes.
    async fn failed_after(&self, minutes: u32) -> u64 {
        sleep(MINUTE * minutes).await;
        let view = view_of(&self.publisher);
        let folder = view.folders.values().next().unwrap();
        let counters = folder.counters.as_ref().unwrap();
        counters.entries[Status::Failed]
    }
}

#[tokio::test(start_paused = true)]
async fn files_that_are_uploaded_after_the_first_read_and_fail_are_entries() {
    let portal = Watched::begin(&[(SimulatedStatus::Done, 60)], |_, page| {
        // The clock of the portal is behind.
        for row in page["data"].as_array_mut().unwrap() {
            row["createdAt"] = "2020-01-01T00:00:00.000Z".into();
        }
    });
    assert_eq!(portal.failed_after(1).await, 0);
    portal.add(&SimulatedStatus::Failed, 40);
    assert_eq!(portal.failed_after(2).await, 40);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_is_empty_for_some_reads_enters_nothing_when_it_is_back() {
    let is_empty = Arc::new(AtomicBool::default());
    let empty = Arc::clone(&is_empty);
    let files = [(SimulatedStatus::Failed, 260), (SimulatedStatus::Done, 90)];
    let portal = Watched::begin(&files, move |_, page| {
        if empty.load(Ordering::Relaxed) {
            page["data"] = json!([]);
            page["pagination"]["total"] = 0.into();
        }
    });
    assert_eq!(portal.failed_after(2).await, 0);
    for now in [true, false] {
        is_empty.store(now, Ordering::Relaxed);
        assert_eq!(portal.failed_after(5).await, 0);
    }
    portal.add(&SimulatedStatus::Failed, 3);
    assert_eq!(portal.failed_after(2).await, 3);
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_listed_twice_enters_once() {
    // A file that waits or is flagged as well need not have failed.
    for (other, least) in [
        ("failed", 24),
        ("done", 24),
        ("pending", 23),
        ("flagged", 23),
    ] {
        let portal = Watched::begin(&[(SimulatedStatus::Done, 60)], move |number, page| {
            page["pagination"]["total"] =
                (page["pagination"]["total"].as_u64().unwrap() + 1).into();
            let rows = page["data"].as_array_mut().unwrap();
            let failed = rows.iter().position(|row| row["indexStatus"] == "failed");
            if number == 1 {
                let mut row = rows[failed.unwrap_or(0)].clone();
                if failed.is_some() {
                    row["indexStatus"] = other.into();
                }
                rows.push(row);
            }
        });
        portal.failed_after(20).await;
        portal.add(&SimulatedStatus::Failed, 24);
        let entries = portal.failed_after(5).await;
        assert!((least..=24).contains(&entries), "{other}: {entries}");
    }
}

#[tokio::test(start_paused = true)]
async fn among_thousands_of_failed_files_those_that_fail_while_others_recover_are_entries() {
    let portal = Watched::begin(&[(SimulatedStatus::Failed, 2_500)], |_, _| {});
    let [recover, fail] =
        [SimulatedStatus::Failed, SimulatedStatus::Done].map(|status| portal.add(&status, 20));
    assert_eq!(portal.failed_after(2).await, 0);
    portal.set(&recover, &SimulatedStatus::Done);
    portal.set(&fail, &SimulatedStatus::Failed);
    assert_eq!(portal.failed_after(2).await, 20);
}
