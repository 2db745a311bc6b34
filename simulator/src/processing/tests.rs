//! What happens in a portal that lives.

use std::time::Duration;

use uuid::Uuid;

use super::WORKERS;
use crate::{Change, Options, Status, World};

const LONG: Duration = Duration::from_hours(2);

fn options(seed: u64) -> Options {
    Options {
        seed,
        folders: 4,
        files: 900,
        ..Options::default()
    }
}

fn empty() -> (World, Uuid) {
    let mut world = World::new(options(1));
    let folder = world.add_folder("F");
    (world, folder)
}

fn history(seed: u64, steps: &[Duration]) -> Vec<Change> {
    let mut world = World::populated(options(seed));
    for step in steps {
        world.step(*step);
    }
    world.journal().map(|entry| entry.change.clone()).collect()
}

#[test]
fn how_a_time_is_cut_into_steps_makes_no_difference() {
    let whole = history(1, &[Duration::from_secs(1_000)]);
    let cut = history(1, &vec![Duration::from_millis(10); 100_000]);
    assert_eq!(whole, cut);
    let uneven = history(1, &vec![Duration::from_micros(1_900); 530_000]);
    assert!(uneven.starts_with(&whole), "no fraction of a step is lost");
}

#[test]
fn waiting_files_are_processed_in_turn_by_so_many_workers() {
    let (mut world, folder) = empty();
    world.add_files(folder, &Status::Pending, 100).unwrap();
    world.step(Duration::ZERO);
    let counts = world.counts(folder).unwrap();
    assert_eq!(counts[&Status::Processing], WORKERS as u64);
    assert_eq!(counts[&Status::Pending], 100 - WORKERS as u64);
    world.step(LONG);
    let counts = world.counts(folder).unwrap();
    let ended = [Status::Done, Status::Failed].map(|s| counts.get(&s).copied());
    assert_eq!(ended.into_iter().flatten().sum::<u64>(), 100);
}
