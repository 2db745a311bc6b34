//! Which read begins next, and which ones wait.

use tokio::time::sleep;

use super::*;
use ReadKind::{Count, Scan};

fn id(number: u128) -> FolderId {
    uuid::Uuid::from_u128(number).into()
}

fn started(queue: &mut Queue, in_flight: usize) -> Vec<(FolderId, ReadKind)> {
    let next = std::iter::from_fn(|| queue.next(in_flight));
    next.map(|(read, _)| (read.folder, read.kind)).collect()
}

/// A read that was due this number of seconds ago.
fn waiting(folder: u128, kind: ReadKind, need: Need, before: u64) -> QueuedRead {
    let at = Moment::now().steady - Duration::from_secs(before);
    QueuedRead {
        since: at,
        ..QueuedRead::new(id(folder), kind, Due { need, at })
    }
}

fn push(queue: &mut Queue, folder: u128, kind: ReadKind, need: Need, before: u64) {
    queue.push(waiting(folder, kind, need, before));
}

#[test]
fn what_presses_and_was_due_first_is_read_first_and_what_finds_no_room_delays_nothing_else() {
    let mut queue = Queue::default();
    for (folder, kind, before) in [
        (1, Count, 1),
        (2, Count, 9),
        (3, Scan, 8),
        (4, Scan, 7),
        (5, Scan, 6),
        (6, Count, 5),
        (7, Count, 4),
    ] {
        push(&mut queue, folder, kind, Need::Pressing, before);
    }
    push(&mut queue, 2, WALK_OF_ALL, Need::Quiet, 0);
    let first = [(id(2), Count), (id(3), Scan), (id(4), Scan), (id(6), Count)];
    assert_eq!(started(&mut queue, 2), first);
    assert!(queue.has(id(2), WALK_OF_ALL));

    queue.ended(id(3), Scan);
    assert_eq!(started(&mut queue, 2), [(id(5), Scan)]);
    queue.ended(id(5), Scan);
    queue.ended(id(6), Count);
    let counts = [(id(7), Count), (id(1), Count)];
    assert_eq!(started(&mut queue, 2), counts);
    queue.ended(id(7), Count);
    assert_eq!(started(&mut queue, 2), [(id(2), WALK_OF_ALL)]);
    queue.ended(id(2), WALK_OF_ALL);
    assert!(!queue.has(id(2), WALK_OF_ALL));

    push(&mut queue, 2, WALK_OF_ALL, Need::Quiet, 10);
    push(&mut queue, 8, Scan, Need::Quiet, 10);
    let counts = queue.take_counts(|_| true).into_iter();
    assert!(counts.map(|read| read.folder).eq([id(8)]));
    assert!(queue.has(id(2), WALK_OF_ALL));
}

#[test]
fn one_read_in_four_is_the_quiet_one_that_was_due_first() {
    let mut queue = Queue::default();
    for number in 1..=8 {
        let since = 2 - u64::try_from(number).unwrap() / 8;
        push(&mut queue, number, Count, Need::Pressing, since);
    }
    push(&mut queue, 9, Count, Need::Quiet, 3);
    push(&mut queue, 10, Count, Need::Quiet, 4);
    let order = started(&mut queue, 5).into_iter();
    let order: Vec<_> = order.map(|(folder, _)| folder).collect();
    assert_eq!(order, [1, 2, 3, 10, 4, 5, 6, 9, 7, 8].map(id));
}

#[test]
fn large_reads_leave_room_to_others_and_slow_ones_have_their_own() {
    let mut queue = Queue::default();
    (1..=3).for_each(|number| push(&mut queue, number, Scan, Need::Pressing, 9));
    (4..=6).for_each(|number| push(&mut queue, number, Count, Need::Pressing, 8));
    let first = [(id(1), Scan), (id(2), Scan), (id(4), Count)];
    assert_eq!(started(&mut queue, 1), first);
    for folder in 7..=10 {
        queue.push(QueuedRead {
            is_slow: true,
            ..waiting(folder, Count, Need::Pressing, 9)
        });
    }
    let slow = [7, 8, 9].map(|number| (id(number), Count));
    assert_eq!(started(&mut queue, 1), slow);
}

#[test]
fn all_rows_of_one_folder_are_walked_at_a_time_beside_another_large_read() {
    let mut queue = Queue::default();
    (1..=2).for_each(|number| push(&mut queue, number, WALK_OF_ALL, Need::Pressing, 9));
    push(&mut queue, 3, Scan, Need::Pressing, 8);
    let first = [(id(1), WALK_OF_ALL), (id(3), Scan)];
    assert_eq!(started(&mut queue, 2), first);
    queue.ended(id(1), WALK_OF_ALL);
    assert_eq!(started(&mut queue, 2), [(id(2), WALK_OF_ALL)]);
    push(&mut queue, 4, WALK_OF_ALL, Need::Pressing, 7);
    assert_eq!(started(&mut queue, 2), []);
    let limit = Duration::from_secs(30);
    queue.begun[&(id(2), WALK_OF_ALL)].answered(limit, limit);
    assert_eq!(started(&mut queue, 2), [(id(4), WALK_OF_ALL)]);
}

#[test]
fn a_walk_of_failed_files_waits_for_the_count_of_its_folder_and_keeps_its_place() {
    const WALK: ReadKind = ReadKind::Walk(Walk::WithReason);
    let mut queue = Queue::default();
    push(&mut queue, 1, Count, Need::Pressing, 9);
    push(&mut queue, 1, WALK, Need::Pressing, 8);
    push(&mut queue, 2, WALK, Need::Pressing, 7);
    push(&mut queue, 3, WALK, Need::Pressing, 6);
    let first = [(id(1), Count), (id(2), WALK), (id(3), WALK)];
    assert_eq!(started(&mut queue, 2), first);
    queue.ended(id(2), WALK);
    assert_eq!(started(&mut queue, 2), []);
    queue.ended(id(1), Count);
    assert_eq!(started(&mut queue, 2), [(id(1), WALK)]);
}

#[tokio::test(start_paused = true)]
async fn a_read_that_waits_or_becomes_slow_makes_room_for_another_one_at_once() {
    let limit = Duration::from_secs(30);
    for waits in [true, false] {
        let mut queue = Queue::default();
        (1..=4).for_each(|number| push(&mut queue, number, Count, Need::Pressing, 9));
        let (_, lane) = queue.next(1).unwrap();
        assert_eq!(started(&mut queue, 1).len(), 2);
        let rests = async {
            if waits {
                lane.rest(limit, &"status 503").await;
            } else {
                lane.answered(limit, limit);
                sleep(limit).await;
            }
        };
        tokio::select! {
            () = rests => panic!("the read went on first"),
            () = queue.eased() => {}
        }
        assert!(queue.next(1).is_some());
    }
}
