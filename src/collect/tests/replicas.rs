//! Folders that another process counts and stores as well.

use super::shards::go_on_as;
use super::*;
use crate::model::Status;
use crate::sql::StateFolder;

#[tokio::test]
async fn what_a_count_found_is_added_to_what_another_process_wrote_first() {
    let simulator = Simulator::empty(Options::default());
    let inbox = simulator.with(|world| world.add_folder("Inbox"));
    let unobserved = Arc::new(crate::portal::Unobserved);
    let mut scene = Story::at(simulator.router(), unobserved, |_| {});
    let state = tempfile::tempdir().unwrap();
    let store = Store::in_folder(StateFolder::new(state.path()));
    go_on_as(&mut scene, &store, Shard::default()).await;

    let other = rusqlite::Connection::open(state.path().join(crate::state::FILE_NAME)).unwrap();
    let written = "UPDATE folder SET version = version + 1, entries = '[0,0,0,7,0,0]'";
    for (failed, shown) in [(5, 12), (2, 9)] {
        other.execute(written, []).unwrap();
        simulator.with(|world| {
            let status = &SimulatedStatus::Failed;
            world.add_files(inbox, status, failed).unwrap();
        });
        scene.collector.once().await;
        let view = scene.view();
        let folder = view.folders.values().next().unwrap();
        let counters = folder.counters.as_ref().unwrap();
        assert_eq!(counters.entries[Status::Failed], shown);
    }
}
