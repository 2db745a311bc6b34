//! Folders that another process counts and stores as well.

use super::shards::go_on_as;
use super::*;
use crate::model::Status;
use crate::store::{Access, Answer, Changes, FileChanges, FolderChange, Place};

#[tokio::test]
async fn what_a_count_found_is_added_to_what_another_process_wrote_first_and_no_counter_falls() {
    let simulator = Simulator::empty(Options::default());
    let inbox = simulator.with(|world| world.add_folder("Inbox"));
    let unobserved = Arc::new(crate::portal::Unobserved);
    let mut scene = Story::at(simulator.router(), unobserved, |_| {});
    let folder = tempfile::tempdir().unwrap();
    let state = Documents::open(Place::folder(folder.path()), Access::Serve);
    go_on_as(&mut scene, &state, Shard::default()).await;

    for (failed, shown) in [(5, 12), (2, 14)] {
        another_process_writes(&scene, &state, 7).await;
        simulator.with(|world| {
            let status = &SimulatedStatus::Failed;
            world.add_files(inbox, status, failed).unwrap();
        });
        scene.collector.once().await;
        assert_eq!(entries(&scene), shown);
    }
}

/// What is shown of the files that entered `failed`.
fn entries(scene: &Story) -> u64 {
    let view = scene.view();
    let folder = view.folders.values().next().unwrap();
    let counters = folder.counters.as_ref().unwrap();
    counters.entries[Status::Failed]
}

/// Another process, which knows what is stored, writes other counters.
async fn another_process_writes(scene: &Story, state: &Documents, failed: u64) {
    let address = scene.collector.settings.address.clone();
    let stored = state.load(address.clone(), Shard::default()).await.unwrap();
    let (id, stored) = stored.folders.into_iter().next().unwrap();
    let mut document = stored.document;
    let record = document.record.as_mut().unwrap();
    Arc::make_mut(&mut record.counters).entries[Status::Failed] = failed;
    let change = FolderChange {
        id,
        known: Some(stored.revision),
        document,
        files: FileChanges::Some {
            changed: Vec::new(),
            forgotten: Vec::new(),
        },
    };
    let changes = Changes {
        folders: vec![change],
        ..Changes::default()
    };
    let written = state.write(address, Shard::default(), changes).await;
    let answers = written.answers.unwrap();
    assert!(
        matches!(answers[..], [(_, Answer::Written(_))]),
        "{answers:?}"
    );
}

/// How often the one folder was written.
async fn writes(scene: &Story, state: &Documents) -> i64 {
    let address = scene.collector.settings.address.clone();
    let stored = state.load(address, Shard::default()).await.unwrap();
    stored.folders.into_values().next().unwrap().revision.number
}

#[tokio::test(start_paused = true)]
async fn an_idle_folder_is_written_when_the_stored_time_of_its_count_is_old() {
    let simulator = Simulator::empty(Options::default());
    let inbox = simulator.with(|world| world.add_folder("Inbox"));
    let add = |files| {
        let failed = &SimulatedStatus::Failed;
        simulator.with(|world| world.add_files(inbox, failed, files).unwrap());
    };
    add(3);
    let unobserved = Arc::new(crate::portal::Unobserved);
    let mut scene = Story::at(simulator.router(), unobserved, |_| {});
    let folder = tempfile::tempdir().unwrap();
    let state = Documents::open(Place::folder(folder.path()), Access::Serve);
    go_on_as(&mut scene, &state, Shard::default()).await;
    scene.collector.once().await;
    let before = writes(&scene, &state).await;
    for (minutes, files, more) in [(1, 0, 0), (1, 0, 0), (4, 0, 1), (1, 0, 1), (1, 2, 2)] {
        sleep(Duration::from_mins(minutes)).await;
        if files > 0 {
            add(files);
        }
        scene.collector.once().await;
        let after = writes(&scene, &state).await;
        assert_eq!(after - before, more, "{minutes} minutes, {files} files");
    }
}
