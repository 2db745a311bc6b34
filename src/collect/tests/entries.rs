//! Failures are entries, and nothing else is.

use std::sync::atomic::{AtomicBool, AtomicU64};

use serde_json::Value;
use uuid::Uuid;

use super::pages::changed;
use super::*;
use crate::config::Strategy;
use crate::model::{Status, Timestamp};
use crate::snapshot::FolderView;

pub(super) const MINUTE: Duration = Duration::from_mins(1);

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
        story.run(Schedule::Every(MINUTE));
        watched
    }

    fn add(&self, status: &SimulatedStatus, files: usize) -> Vec<Uuid> {
        let add = |world: &mut kb_simulator::World| world.add_files(self.folder, status, files);
        self.simulator.with(add).unwrap()
    }

    /// Entries into failed, after a number of minutes.
    async fn failed_after(&self, minutes: u32) -> u64 {
        sleep(MINUTE * minutes).await;
        let folder = self.folder();
        let counters = folder.counters.as_ref().unwrap();
        counters.entries[Status::Failed]
    }

    fn folder(&self) -> Arc<FolderView> {
        let view = view_of(&self.publisher);
        Arc::clone(view.folders.values().next().unwrap())
    }
}

#[tokio::test(start_paused = true)]
async fn files_of_a_list_that_is_empty_or_ends_early_at_first_enter_nothing_when_they_are_listed() {
    for (failed, reads, at_first) in [
        (1_400, 1, 0),
        (1_400, 3, 0),
        (1_400, 7, 0),
        (1_400, 20, 0),
        (1_400, 7, 100),
        (9, 1, 0),
        (9, 3, 0),
    ] {
        let is_short = Arc::new(AtomicBool::new(true));
        let short = Arc::clone(&is_short);
        let files = [
            (SimulatedStatus::Failed, failed),
            (SimulatedStatus::Done, if failed > 9 { 105 } else { 0 }),
        ];
        let portal = Watched::begin(&files, move |number, page| {
            let rows = page["data"].as_array_mut().unwrap();
            for row in rows.iter_mut() {
                row["createdAt"] = "2020-01-01T00:00:00.000Z".into();
            }
            if short.load(Ordering::Relaxed) {
                rows.truncate(if number == 1 { at_first } else { 0 });
                page["pagination"]["total"] = at_first.into();
            }
        });
        portal.failed_after(reads).await;
        is_short.store(false, Ordering::Relaxed);
        assert_eq!(
            portal.failed_after(3).await,
            0,
            "{failed} {reads} {at_first}"
        );
        let oldest = portal.folder().counts.as_ref().unwrap().oldest;
        let in_2021 = Timestamp::from_millis(1_609_459_200_000);
        assert!(oldest[Status::Failed] < Some(in_2021), "{oldest:?}");
        portal.add(&SimulatedStatus::Failed, 3);
        assert_eq!(
            portal.failed_after(2).await,
            3,
            "{failed} {reads} {at_first}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_few_files_that_the_total_counts_and_no_page_lists_hide_no_entry() {
    for changes in [false, true] {
        let requests = Arc::new(AtomicU64::default());
        let portal = Watched::begin(&[(SimulatedStatus::Done, 160)], move |_, page| {
            let more = requests.fetch_add(1, Ordering::Relaxed) % 2;
            let more = if changes { 5 + more } else { 5 };
            let total = &mut page["pagination"]["total"];
            *total = (total.as_u64().unwrap() + more).into();
        });
        portal.failed_after(2).await;
        portal.add(&SimulatedStatus::Failed, 24);
        assert_eq!(portal.failed_after(2).await, 24, "{changes}");
    }
}
