//! When a folder is written.

use super::*;
use crate::store::{Access, Place};

/// Goes on with what is stored, and collects once.
async fn go_on_with(scene: &mut Story, state: &Documents) {
    let before = &scene.collector.dependencies;
    let dependencies = Dependencies {
        client: Arc::clone(&before.client),
        state: state.clone(),
        events: Arc::clone(&before.events),
        publisher: before.publisher.clone(),
        progress: Arc::default(),
        ledger: None,
    };
    let settings = Settings::clone(&scene.collector.settings);
    scene.collector = Collector::new(settings, dependencies);
    scene.collector.once().await;
}

/// How often the one folder was written.
async fn writes(scene: &Story, state: &Documents) -> i64 {
    let address = scene.collector.settings.address.clone();
    let stored = state.load(address).await.unwrap();
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
    go_on_with(&mut scene, &state).await;
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
