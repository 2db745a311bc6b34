//! A folder with more failed files than a count reads.

use serde_json::json;

use super::entries::MINUTE;
use super::pages::changed;
use super::*;
use crate::classify::Class;
use crate::config::Strategy;
use crate::model::Status;
use crate::snapshot::FolderView;

/// Far more than the twenty pages that a count reads.
const FAILED: usize = 3_000;
const DONE: usize = 20_000;

/// A page of failed files that no count reads.
const PAGE: u64 = 225;

/// The folder after a minute, and after a quarter of an hour. Until then, the page is broken or not.
async fn folder(is_broken: bool) -> [Arc<FolderView>; 2] {
    let simulator = Simulator::empty(Options::default());
    simulator.with(|world| {
        let folder = world.add_folder("Inbox");
        for (status, files) in [
            (SimulatedStatus::Done, DONE),
            (SimulatedStatus::Failed, FAILED),
        ] {
            world.add_files(folder, &status, files).unwrap();
        }
    });
    let broken = Arc::new(AtomicBool::new(is_broken));
    let breaks = Arc::clone(&broken);
    let router = changed(simulator.router(), move |number, page| {
        if number == PAGE && breaks.load(Ordering::Relaxed) {
            *page = json!({});
        }
    });
    let story = Story::at(router, Arc::new(crate::portal::Unobserved), |config| {
        config.collect.jitter = Duration::ZERO;
        config.collect.strategy = Strategy::Sorted;
    });
    let publisher = story.publisher.clone();
    story.run(Schedule::Every(MINUTE));
    let view = || Arc::clone(view_of(&publisher).folders.values().next().unwrap());
    sleep(MINUTE).await;
    let first = view();
    broken.store(false, Ordering::Relaxed);
    sleep(15 * MINUTE).await;
    [first, view()]
}

/// The failed files that were counted, and those of them whose reason nobody has read.
fn failed(folder: &FolderView) -> (u64, u64) {
    assert_eq!(folder.state, FolderState::Counted);
    let counts = folder.counts.as_ref().unwrap();
    let unread = counts.errors.iter();
    let unread = unread.filter(|row| row.class == Class::Unread);
    let unread = unread.map(|row| row.files).sum();
    (counts.files[Status::Failed], unread)
}

#[tokio::test(start_paused = true)]
async fn every_failed_file_has_its_class_after_a_walk() {
    let [first, later] = folder(false).await;
    assert_eq!(failed(&first), (FAILED as u64, 0));
    assert_eq!(failed(&later), (FAILED as u64, 0));
}

#[tokio::test(start_paused = true)]
async fn a_walk_that_fails_leaves_the_count_as_it_is_and_is_made_again() {
    let [first, later] = folder(true).await;
    let (files, unread) = failed(&first);
    assert_eq!(files, FAILED as u64);
    assert!((1..1_000).contains(&unread), "{unread}");
    assert_eq!(failed(&later), (FAILED as u64, 0));
}
