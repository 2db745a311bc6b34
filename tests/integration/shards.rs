//! Several processes share the folders of a portal: each folder is counted by one shard, and a real Prometheus with the shipped rules and
//! the queries of the dashboards has the whole, also while processes are restarted and while the number of shards changes.

mod story;

use std::collections::BTreeMap;

use story::{FOLDERS, Process, Story};

/// Shards, at first and in the end.
const MANY: usize = 8;
const FEWER: usize = 6;

/// The processes of so many shards with so many replicas each.
fn processes(shards: usize, replicas: usize) -> Vec<Process> {
    let of = |shard| (0..replicas).map(move |replica| Process { shard, replica });
    (0..shards).flat_map(of).collect()
}

/// The first replica of a shard.
fn first(shard: usize) -> Process {
    Process { shard, replica: 0 }
}

/// A folder of a shard.
fn folder_of(owners: &BTreeMap<String, usize>, shard: usize) -> String {
    let mut folders = owners.iter().filter(|(_, owner)| **owner == shard);
    folders.next().unwrap().0.clone()
}

fn each_has_its_part(owners: &BTreeMap<String, usize>) {
    assert_eq!(owners.len(), FOLDERS);
    for shard in 0..MANY {
        let owned = owners.values().filter(|owner| **owner == shard).count();
        let part = 400..600;
        assert!(part.contains(&owned), "shard {shard} has {owned} folders");
    }
}

/// With fewer shards, only the folders of those move that are not there any more.
fn only_what_must_moved(before: &BTreeMap<String, usize>, after: &BTreeMap<String, usize>) {
    assert_eq!(after.len(), FOLDERS);
    for (folder, owner) in before {
        let may_move = *owner >= FEWER;
        assert!(may_move || after[folder] == *owner, "{folder} moved");
    }
}

#[tokio::test]
async fn shards_are_together_what_one_process_would_be_while_they_restart_and_while_their_number_changes()
 {
    let mut story = Story::with_folders(MANY).await;
    story.start(&processes(MANY, 1), MANY).await;
    story.shows_the_truth(0).await;
    let many = story.owners().await;
    each_has_its_part(&many);

    // What fails while two are away is counted when they are back.
    let [stays, moves] = [1, 7].map(|shard| folder_of(&many, shard));
    story.lose(first(1), first(7)).await;
    story.rules_show_the_truth().await;
    story.fail(&stays);
    story.fail(&moves);
    story.start(&[first(1), first(7)], MANY).await;
    story.shows_the_truth(2).await;
    assert_eq!(story.owners().await, many);

    // Fewer go on with the folders of all.
    story.stop().await;
    let [stays_too, moves_too] = [2, 6].map(|shard| folder_of(&many, shard));
    story.fail(&stays_too);
    story.fail(&moves_too);
    story.start(&processes(FEWER, 1), FEWER).await;
    story.shows_the_truth(2).await;
    only_what_must_moved(&many, &story.owners().await);
    for (folder, entries) in [(stays, 1), (stays_too, 1), (moves, 0), (moves_too, 0)] {
        // The state of a folder that moves is not there.
        assert_eq!(story.entries(&folder).await, [entries], "{folder}");
    }
    story.nobody_was_told(2).await;
    story.stop().await;
}

#[tokio::test]
async fn replicas_of_shards_leave_no_gap_while_some_restart_and_what_they_share_moves_with_its_folder()
 {
    let mut story = Story::with_a_database().await;
    story.start(&processes(MANY, 2), MANY).await;
    story.shows_the_truth(0).await;
    let many = story.owners().await;
    each_has_its_part(&many);

    // What fails while a replica is away is counted by the other one.
    let [stays, moves] = [1, 7].map(|shard| folder_of(&many, shard));
    story.lose(first(1), first(7)).await;
    story.fail(&stays);
    story.fail(&moves);
    story.shows_the_truth(2).await;
    story.start(&[first(1), first(7)], MANY).await;
    story.shows_the_truth(2).await;
    assert_eq!(story.owners().await, many);

    // Fewer go on with the folders of all.
    story.stop().await;
    let [stays_too, moves_too] = [2, 6].map(|shard| folder_of(&many, shard));
    story.fail(&stays_too);
    story.fail(&moves_too);
    story.start(&processes(FEWER, 2), FEWER).await;
    story.shows_the_truth(4).await;
    only_what_must_moved(&many, &story.owners().await);
    for folder in [stays, stays_too, moves, moves_too] {
        assert_eq!(story.entries(&folder).await, [1, 1], "{folder}");
    }
    story.nobody_was_told(4).await;
    story.stop().await;
}
