//! What happens in a portal that lives.

use std::time::Duration;

use chrono::DateTime;
use uuid::Uuid;

use super::{Reason, WORKERS, What};
use crate::{Clock, Entry, NewFile, Options, Status, World};

const LONG: Duration = Duration::from_hours(2);

fn options(seed: u64) -> Options {
    Options {
        seed,
        folders: 4,
        files: 900,
        clock: Clock::From(DateTime::UNIX_EPOCH),
        ..Options::default()
    }
}

fn empty() -> (World, Uuid) {
    let mut world = World::new(options(1));
    let folder = world.add_folder("F");
    (world, folder)
}

fn history(seed: u64, steps: &[Duration]) -> Vec<Entry> {
    let mut world = World::populated(options(seed));
    for step in steps {
        world.step(*step);
    }
    world.journal().cloned().collect()
}

#[test]
fn the_same_seed_and_steps_are_the_same_world() {
    let steps = [Duration::from_mins(10); 6];
    let history_of_one = history(1, &steps);
    assert!(history_of_one.len() > 50);
    assert_eq!(history_of_one, history(1, &steps));
    assert_ne!(history_of_one, history(2, &steps));
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
fn without_steps_nothing_moves() {
    assert_eq!(history(1, &[]), []);
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

#[test]
fn work_on_a_file_that_is_gone_ends_without_a_trace_and_frees_its_worker() {
    let (mut world, folder) = empty();
    let files = world.add_files(folder, &Status::Pending, 40).unwrap();
    world.step(Duration::ZERO);
    for file in &files[..WORKERS] {
        world.delete_file(folder, *file).unwrap();
    }
    world.step(LONG);
    let counts = world.counts(folder).unwrap();
    assert!(!counts.contains_key(&Status::Pending), "{counts:?}");
    assert_eq!(counts.values().sum::<u64>(), 40 - WORKERS as u64);
}

#[test]
fn a_file_requeued_under_work_is_read_again() {
    let (mut world, folder) = empty();
    let file = world.add_files(folder, &Status::Pending, 1).unwrap()[0];
    world.step(Duration::ZERO);
    world.reindex_all(folder).unwrap();
    world.step(LONG);
    let started = world.journal().filter(|entry| match &entry.change {
        crate::Change::File {
            after: Some(after), ..
        } => after.file == file && after.status == Status::Processing,
        _ => false,
    });
    assert_eq!(started.count(), 2);
}

#[test]
fn what_comes_of_work_begun_before_a_requeue_is_dropped() {
    let (mut world, folder) = empty();
    world.add_files(folder, &Status::Pending, 1).unwrap();
    world.step(Duration::ZERO);
    let first_end = world.life.events.peek().unwrap().0.at;
    world.step(first_end.saturating_sub(Duration::from_millis(1)));
    world.reindex_all(folder).unwrap();
    world.step(Duration::from_millis(2));
    let counts = world.counts(folder).unwrap();
    assert_eq!(counts, [(Status::Processing, 1)].into());
}

#[test]
fn a_recording_is_converted_before_it_is_processed() {
    let (mut world, folder) = empty();
    let file = NewFile::new("talk.mp3", Status::Processing);
    world.add_file(folder, &file).unwrap();
    let mut stages = Vec::new();
    while world
        .counts(folder)
        .unwrap()
        .contains_key(&Status::Processing)
    {
        let next = world.life.events.peek().unwrap();
        stages.push(format!("{:?}", next.0.what));
        let wait = next.0.at.saturating_sub(world.life.now);
        world.step(wait);
    }
    let stages: Vec<_> = stages.iter().filter_map(|s| s.split('(').next()).collect();
    assert_eq!(stages, ["Converted", "Processed"]);
}

#[test]
fn while_the_portal_is_in_trouble_most_files_fail_for_one_reason_and_recover_later() {
    let (mut world, folder) = empty();
    world.happen(What::Trouble);
    assert!(world.life.trouble.is_some());
    world.life.trouble = Some(Reason::EMBEDDING_UNAVAILABLE);
    world.add_files(folder, &Status::Processing, 100).unwrap();
    let relief = world
        .life
        .events
        .iter()
        .find(|event| event.0.what == What::Relief);
    assert!(relief.is_some(), "the trouble will end");
    let files: Vec<usize> = world.documents.iter().map(|(file, _)| file).collect();
    for file in files {
        world.end_processing(file);
    }
    let failed = world.counts(folder).unwrap()[&Status::Failed];
    assert!((40..80).contains(&failed), "{failed}");
    let errors = world.errors(folder);
    assert!(errors.keys().all(|error| error.contains("503")));
    world.happen(What::Relief);
    world.reindex_failed(folder).unwrap();
    world.step(LONG);
    let still = world.counts(folder).unwrap().get(&Status::Failed).copied();
    assert!(still.unwrap_or_default() < 10, "{still:?}");
}

#[test]
fn the_world_keeps_its_size_and_has_every_status() {
    let mut world = World::populated(options(3));
    world.step(Duration::from_hours(24 * 20));
    let ids = world.folder_ids();
    let counts: Vec<_> = ids.iter().map(|id| world.counts(*id).unwrap()).collect();
    let total: u64 = counts.iter().flat_map(|counts| counts.values()).sum();
    assert!((600..1_100).contains(&total), "{total}");
    for status in [Status::Done, Status::Failed, Status::Flagged] {
        assert!(counts.iter().any(|counts| counts.contains_key(&status)));
    }
    assert_eq!(counts[3], [].into(), "the empty folder stays empty");
}
