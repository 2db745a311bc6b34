//! Several processes share the folders of a portal: each folder is counted by one shard, and a real Prometheus with the shipped rules and
//! the queries of the dashboards has the whole, also while processes are restarted and while the number of shards changes.

mod size;
mod story;

use std::collections::BTreeMap;

pub(crate) use size::{LARGE, Size};
pub(crate) use story::State;
use story::{Process, Story};

#[tokio::test]
async fn shards_are_together_what_one_process_would_be_while_they_restart_and_while_their_number_changes()
 {
    are_one_exporter(&size::SMALL, State::Private).await;
}

#[tokio::test]
async fn replicas_of_shards_leave_no_gap_while_some_restart_and_what_they_share_moves_with_its_folder()
 {
    are_one_exporter(&size::SMALL, State::Shared).await;
}

/// The first replica of a shard.
fn first(shard: usize) -> Process {
    Process { shard, replica: 0 }
}

/// One of the folders of a shard.
fn folder_of(owners: &BTreeMap<String, usize>, shard: usize, number: usize) -> String {
    let mut folders = owners.iter().filter(|(_, owner)| **owner == shard);
    folders.nth(number).unwrap().0.clone()
}

fn each_has_its_part(size: &Size, owners: &BTreeMap<String, usize>) {
    assert_eq!(owners.len(), size.folders);
    for shard in 0..size.shards {
        let owned = owners.values().filter(|owner| **owner == shard).count();
        assert!(size.part.contains(&owned), "shard {shard} has {owned}");
    }
}

/// With fewer shards, only the folders of those move that are not there any more.
fn only_what_must_moved(
    size: &Size,
    before: &BTreeMap<String, usize>,
    after: &BTreeMap<String, usize>,
) {
    assert_eq!(after.len(), size.folders);
    for (folder, owner) in before {
        let may_move = *owner >= size.fewer;
        assert!(may_move || after[folder] == *owner, "{folder} moved");
    }
}

/// Shards lose two processes, get them back, and become fewer, and at each step they show what one process would.
pub(crate) async fn are_one_exporter(size: &'static Size, state: State) {
    let mut story = Story::new(size, state).await;
    let last = size.shards - 1;
    story.start_all(size.shards).await;
    story.shows_the_truth(0).await;
    let many = story.owners().await;
    each_has_its_part(size, &many);

    // What fails while two are away is counted by their replicas at once, or by themselves when they are back.
    let [stays, moves] = [1, last].map(|shard| folder_of(&many, shard, 0));
    story.lose(first(1), first(last)).await;
    story.rules_show_the_truth().await;
    story.fail(&stays);
    story.fail(&moves);
    if state == State::Shared {
        story.shows_the_truth(2).await;
    }
    story.start(&[first(1), first(last)], size.shards).await;
    story.shows_the_truth(2).await;
    assert_eq!(story.owners().await, many);

    // Fewer go on with the folders of all, and with what is stored of those folders, unless it is in the store of a shard that is gone.
    story.stop().await;
    let stays_too = folder_of(&many, 0, 0);
    let moves_too = folder_of(&many, size.fewer, 1);
    story.fail(&stays_too);
    story.fail(&moves_too);
    let (kept, all) = match state {
        State::Private => (0, 2),
        State::Shared => (1, 4),
    };
    story.start_all(size.fewer).await;
    story.shows_the_truth(all).await;
    only_what_must_moved(size, &many, &story.owners().await);
    for (folder, entries) in [(stays, 1), (stays_too, 1), (moves, kept), (moves_too, kept)] {
        let shown = story.entries(&folder).await;
        assert_eq!(shown, vec![entries; state.replicas()], "{folder}");
    }
    story.nobody_was_told(all).await;
    story.stop().await;
}
