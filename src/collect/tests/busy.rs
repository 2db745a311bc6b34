//! More folders than an interval has room for, large ones, and slow ones.

use std::collections::BTreeMap;

use super::*;
use crate::collect::due::ReadOutcome;
use crate::history::DepartureReason;
use SortingState::{Assumed, Refuted, Shown};

#[tokio::test(start_paused = true)]
async fn failed_files_are_walked_also_where_every_folder_always_waits_for_its_next_count() {
    use SimulatedStatus::{Done, Failed, Pending};
    let names: Vec<_> = (0..200).map(|number| number.to_string()).collect();
    let moving = names
        .iter()
        .map(|name| (name.as_str(), &[(Pending, 1)][..]));
    let many: &Files = &[(Done, 20_000), (Failed, 3_000), (Pending, 1)];
    let (simulator, _) = portal(moving.chain([("Many", many)]));
    let story = Story::at(simulator.router(), |config| {
        config.collect.strategy = Strategy::Sorted;
        config.collect.max_requests_per_second = Rate(2.0);
    });
    let publisher = story.publisher.clone();
    story.run(Schedule::Every(MINUTE));
    sleep(15 * MINUTE).await;
    let view = view_of(&publisher);
    let mut folders = view.folders.values();
    let many = folders.find(|folder| folder.name.label() == "Many");
    assert_eq!(unread(many.unwrap()), Some(0));
}

/// Counts of each folder in some minutes, every second one of which is slow.
async fn counts_beside_slow_folders() -> BTreeMap<String, u64> {
    let names: Vec<_> = (0..12).map(|number| format!("{number:02}")).collect();
    let files: &Files = &[(SimulatedStatus::Pending, 1)];
    let (simulator, folders) = portal(names.iter().map(|name| (name.as_str(), files)));
    let slow = folders.iter().step_by(2).map(Uuid::to_string);
    let slow: Vec<_> = slow.collect();
    let answer = move |request: Request, next: Next| {
        let is_slow = slow.iter().any(|id| request.uri().path().contains(id));
        async move {
            if is_slow {
                sleep(Duration::from_secs(25)).await;
            }
            next.run(request).await
        }
    };
    let router = simulator.router().layer(from_fn(answer));
    let story = Story::at(router, |config| {
        config.collect.max_requests_per_second = Rate(5.0);
    });
    let publisher = story.publisher.clone();
    story.run(Schedule::Every(MINUTE / 4));
    sleep(2 * MINUTE).await;
    let mut counts = BTreeMap::new();
    let mut last = BTreeMap::new();
    for _ in 0..600 {
        sleep(Duration::from_secs(1)).await;
        for folder in view_of(&publisher).folders.values() {
            let name = folder.name.to_string();
            if last.insert(name.clone(), folder.last_success()) != Some(folder.last_success()) {
                *counts.entry(name).or_default() += 1;
            }
        }
    }
    counts
}

#[tokio::test(start_paused = true)]
async fn folders_that_were_slow_last_time_delay_no_other() {
    let counts = counts_beside_slow_folders().await;
    let others = counts.values().skip(1).step_by(2);
    assert!(
        others.clone().all(|counts| *counts >= 38),
        "{counts:?} of 40"
    );
}

#[tokio::test(start_paused = true)]
async fn of_large_scans_the_smallest_ones_come_first() {
    let sizes = [9_000, 12_000, 6_000, 7_000];
    let names = sizes.map(|size| size.to_string());
    let files = sizes.map(|size| [(SimulatedStatus::Done, size)]);
    let folders = names.iter().map(String::as_str);
    let (simulator, _) = portal(folders.zip(files.iter().map(|files| &files[..])));
    let mut story = Story::at(simulator.router(), |config| {
        config.collect.strategy = Strategy::Full;
        config.collect.max_requests_per_second = Rate(5.0);
    });
    story.collector.begin(None);
    let listed = story.collector.tasks.next().await.unwrap();
    story.collector.task_ended(listed);
    let queue = &mut story.collector.queue;
    let reads: Vec<_> = std::iter::from_fn(|| queue.next(8)).collect();
    let folders = &story.collector.folders;
    let names = reads
        .iter()
        .map(|(read, _)| folders.get(read.folder).unwrap());
    let names: Vec<_> = names.map(|folder| folder.view.name.to_string()).collect();
    assert_eq!(names, ["6000", "7000", "9000", "12000"]);
}

#[tokio::test]
async fn what_a_folder_showed_of_the_portal_holds_when_it_shows_nothing_any_more_or_left() {
    let mut story = Story::at(two_folders(), |_| {});
    story.collector.once().await;
    let collector = &mut story.collector;
    let ids = collector.folders.ids(|_| true);
    let mut note = |order| {
        let folder = collector.folders.get_mut(ids[0]).unwrap();
        folder.stored.note_order(order);
        collector.judge_sorting();
        collector.sorting
    };
    let noted = [Assumed, Shown, Assumed, Refuted, Assumed, Shown].map(&mut note);
    assert_eq!(noted, [Assumed, Shown, Shown, Refuted, Assumed, Shown]);
    let portal = collector.settings.portal.name.clone();
    collector.folders.update(ids[0], &portal, |folder, _| {
        folder.leave(DepartureReason::Unlisted, Moment::now().wall);
        ReadOutcome::NothingToCount
    });
    collector.judge_sorting();
    assert_eq!(collector.sorting, Shown);
}
