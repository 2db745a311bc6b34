//! When a folder is written.

use super::*;
use crate::model::Timestamp;

/// Goes on with what is stored.
pub(super) async fn go_on_with(scene: &mut Story, store: &Store) -> Ledger {
    let settings = Settings::clone(&scene.collector.settings);
    let (ledger, stored) = restored(store, &settings).await;
    let before = &scene.collector.dependencies;
    let dependencies = Dependencies {
        client: Arc::clone(&before.client),
        events: Arc::clone(&before.events),
        publisher: before.publisher.clone(),
        progress: Arc::default(),
        ledger: ledger.clone(),
    };
    scene.collector = Collector::new(settings, dependencies, stored);
    ledger.unwrap()
}

/// When the one folder was written.
async fn written(ledger: &Ledger) -> Timestamp {
    let times = crate::store::tests::folders_written(ledger.lease()).await;
    times[0]
}

#[tokio::test(start_paused = true)]
async fn an_idle_folder_is_written_when_the_stored_time_of_its_count_is_old() {
    let failed = SimulatedStatus::Failed;
    let (simulator, folders) = portal([("Inbox", &[(failed.clone(), 3)][..])]);
    let add = |files| {
        simulator.with(|world| world.add_files(folders[0], &failed, files).unwrap());
    };
    let mut scene = Story::at(simulator.router(), |_| {});
    let folder = tempfile::tempdir().unwrap();
    let store = store_in(folder.path()).await;
    let ledger = go_on_with(&mut scene, &store).await;
    scene.collector.once().await;
    scene.collector.once().await;
    let mut before = written(&ledger).await;
    for (minutes, files, is_written) in [
        (1, 0, false),
        (1, 0, false),
        (4, 0, true),
        (1, 0, false),
        (1, 2, true),
    ] {
        sleep(Duration::from_mins(minutes)).await;
        if files > 0 {
            add(files);
        }
        scene.collector.once().await;
        let after = written(&ledger).await;
        assert_eq!(
            after != before,
            is_written,
            "{minutes} minutes, {files} files"
        );
        before = after;
    }
}
