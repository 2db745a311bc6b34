//! A folder with more failed files than a count reads.

use std::sync::atomic::AtomicU64;

use axum::http::StatusCode;
use axum::response::IntoResponse;

use super::*;
use crate::collect::queue::Walk;
use crate::history::FullRead;
use crate::model::Status;

/// Far more than the twenty pages that a count reads.
const FAILED: usize = 3_000;
const DONE: usize = 20_000;

/// A page of failed files that no count reads.
const PAGE: u64 = 225;

/// What is wrong with the page in the first minute.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    Absent,
    Broken,
    Refused,
}

/// The folder after that minute and after a quarter of an hour, and how often it was refused.
async fn folder(fault: Fault) -> ([Arc<FolderView>; 2], u64) {
    let files: &Files = &[
        (SimulatedStatus::Done, DONE),
        (SimulatedStatus::Failed, FAILED),
    ];
    let (simulator, _) = portal([("Inbox", files)]);
    let has_fault = Arc::new(AtomicBool::new(fault != Fault::Absent));
    let refusals = Arc::<AtomicU64>::default();
    let (faulty, refused) = (Arc::clone(&has_fault), Arc::clone(&refusals));
    let page = format!("page={PAGE}&");
    let answer = move |request: Request, next: Next| {
        let is_page = request
            .uri()
            .query()
            .is_some_and(|query| query.contains(&page));
        let fault = (is_page && faulty.load(Ordering::Relaxed)).then_some(fault);
        let refused = Arc::clone(&refused);
        async move {
            match fault {
                None | Some(Fault::Absent) => next.run(request).await,
                Some(Fault::Broken) => "{}".into_response(),
                Some(Fault::Refused) => {
                    refused.fetch_add(1, Ordering::Relaxed);
                    StatusCode::FORBIDDEN.into_response()
                }
            }
        }
    };
    let router = simulator.router().layer(from_fn(answer));
    let story = Story::at(router, |config| {
        config.collect.jitter = Duration::ZERO;
        config.collect.strategy = Strategy::Sorted;
    });
    let publisher = story.publisher.clone();
    story.run(Schedule::Every(MINUTE));
    let view = || Arc::clone(view_of(&publisher).folders.values().next().unwrap());
    sleep(MINUTE).await;
    let first = view();
    has_fault.store(false, Ordering::Relaxed);
    sleep(15 * MINUTE).await;
    ([first, view()], refusals.load(Ordering::Relaxed))
}

/// The failed files that were counted, and those of them whose reason nobody has read.
fn failed(folder: &FolderView) -> (u64, u64) {
    assert_eq!(folder.state, FolderState::Counted);
    let counts = folder.counts.as_ref().unwrap();
    (counts.files[Status::Failed], unread(folder).unwrap())
}

#[tokio::test(start_paused = true)]
async fn every_failed_file_has_its_class_after_a_walk() {
    let ([first, later], _) = folder(Fault::Absent).await;
    assert_eq!(failed(&first), (FAILED as u64, 0));
    assert_eq!(failed(&later), (FAILED as u64, 0));
}

#[tokio::test(start_paused = true)]
async fn a_walk_that_fails_or_is_refused_leaves_the_count_as_it_is_and_is_made_again_later() {
    for fault in [Fault::Broken, Fault::Refused] {
        let ([first, later], refusals) = folder(fault).await;
        let (files, unread) = failed(&first);
        assert_eq!(files, FAILED as u64);
        assert!((1..1_000).contains(&unread), "{unread}");
        assert_eq!(failed(&later), (FAILED as u64, 0));
        // The walk, and one of all rows that shows whether the portal sorts, each with the key read anew.
        assert!(refusals <= 4, "{refusals}");
    }
}

/// A count reads only some of the failed files, and their number returns to the same.
#[tokio::test(start_paused = true)]
async fn files_that_recover_and_fail_again_beside_many_failed_ones_enter_again() {
    use SimulatedStatus::{Done, Failed};
    let (simulator, folders) = portal([("Inbox", &[(Done, 2_000), (Failed, 2_100)][..])]);
    let files = simulator.with(|world| world.add_files(folders[0], &Failed, 6).unwrap());
    let set = |status: &SimulatedStatus, reason| {
        simulator.with(|world| {
            for file in &files {
                let set = world.set_status(folders[0], *file, status.clone(), reason);
                set.unwrap();
            }
        });
    };
    let mut scene = Story::at(simulator.router(), |config| {
        config.collect.strategy = Strategy::Sorted;
        config.collect.quiet_every = MINUTE;
    });
    let state = tempfile::tempdir().unwrap();
    let store = store_in(state.path()).await;
    super::stored::go_on_with(&mut scene, &store).await;
    let publisher = scene.publisher.clone();
    scene.run(Schedule::Every(MINUTE));
    sleep(3 * MINUTE).await;
    set(&Done, None);
    sleep(3 * MINUTE).await;
    set(&Failed, Some("timed out"));
    sleep(2 * MINUTE).await;
    let view = view_of(&publisher);
    let counters = view.folders.values().next().unwrap().counters.as_ref();
    assert_eq!(counters.unwrap().entries[Status::Failed], 6);
}

#[tokio::test(start_paused = true)]
async fn all_rows_are_walked_first_where_the_fewest_pages_may_show_their_order() {
    use SimulatedStatus::{Done, Failed};
    let (simulator, _) = portal([
        ("All done", &[(Done, 6_000)][..]),
        ("Long", &[(Done, 9_000), (Failed, 1)]),
        ("Short", &[(Done, 7_000), (Failed, 1)]),
    ]);
    let mut story = Story::at(simulator.router(), |config| {
        config.collect.strategy = Strategy::Sorted;
    });
    story.collector.once().await;
    story.collector.runs.interval = Some(MINUTE);
    let mut due: Vec<_> = story.collector.folders.iter().collect();
    due.sort_by_key(|folder| {
        story
            .collector
            .due_walk(folder.view.id, Walk::AllRows)
            .unwrap()
    });
    let names: Vec<_> = due.iter().map(|folder| folder.view.name.label()).collect();
    assert_eq!(names, ["Short", "Long", "All done"]);
}

#[tokio::test(start_paused = true)]
async fn all_rows_are_walked_again_where_another_walk_must_show_that_rows_are_missing() {
    let (simulator, _) = portal([("All done", &[(SimulatedStatus::Done, 6_000)][..])]);
    let mut story = Story::at(simulator.router(), |config| {
        config.collect.strategy = Strategy::Sorted;
    });
    story.collector.once().await;
    story.collector.runs.interval = Some(MINUTE);
    story.collector.sorting = SortingState::Shown;
    let id = story.collector.folders.ids(|_| true)[0];
    for is_doubtful in [false, true] {
        let folder = story.collector.folders.get_mut(id).unwrap();
        Arc::make_mut(&mut folder.view).full_read = Some(FullRead {
            at: Moment::now().wall,
            is_doubtful,
            ..FullRead::default()
        });
        let due = story.collector.due_walk(id, Walk::AllRows);
        assert_eq!(due.is_some(), is_doubtful);
    }
}
