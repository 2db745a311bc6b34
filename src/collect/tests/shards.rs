//! Folders that move to other shards and come back, with a store that only this process has.

use std::collections::BTreeSet;
use std::num::NonZeroU16;

use kb_simulator::World;
use uuid::Uuid;

use super::*;
use crate::model::Status;
use crate::snapshot::FolderView;
use crate::store::{Access, Place, StoredPortal};

/// Another process goes on with what is stored, as another shard, and collects once.
pub(super) async fn go_on_as(scene: &mut Story, state: &Documents, shard: Shard) -> StoredPortal {
    let settings = Settings {
        shard,
        ..Settings::clone(&scene.collector.settings)
    };
    let before = &scene.collector.dependencies;
    let dependencies = Dependencies {
        client: Arc::clone(&before.client),
        state: state.clone(),
        events: Arc::clone(&before.events),
        publisher: before.publisher.clone(),
        progress: Arc::default(),
        ledger: None,
    };
    let address = settings.address.clone();
    scene.collector = Collector::new(settings, dependencies);
    scene.collector.once().await;
    state.load(address, Shard::default()).await.unwrap()
}

fn add_failed(world: &mut World, folders: &[Uuid]) {
    for folder in folders {
        world
            .add_files(*folder, &SimulatedStatus::Failed, 5)
            .unwrap();
    }
}

/// The files that entered `failed`, by what is shown of each folder.
fn entries(scene: &Story) -> BTreeSet<(FolderId, u64)> {
    let view = scene.view();
    let folders = view.folders.values();
    let entries = |folder: &FolderView| folder.counters.as_ref().unwrap().entries[Status::Failed];
    folders.map(|folder| (folder.id, entries(folder))).collect()
}

#[tokio::test]
async fn a_folder_that_was_with_another_shard_begins_anew_and_the_others_go_on() {
    let simulator = Simulator::empty(Options::default());
    let folders: Vec<Uuid> = simulator.with(|world| {
        let names = (0..8).map(|number| format!("Folder {number}"));
        names.map(|name| world.add_folder(&name)).collect()
    });
    let unobserved = Arc::new(crate::portal::Unobserved);
    let mut scene = Story::at(simulator.router(), unobserved, |_| {});
    let folder = tempfile::tempdir().unwrap();
    let store = Documents::open(Place::folder(folder.path()), Access::Serve);
    let address = scene.collector.settings.address.clone();
    let half = Shard::new(1, NonZeroU16::new(2).unwrap()).unwrap();
    let own = |id: &Uuid| half.owns(&address, (*id).into());
    let (own, others): (Vec<_>, Vec<_>) = folders.iter().copied().partition(own);
    assert!(!own.is_empty() && !others.is_empty());
    let expected = |own_entries: u64, other_entries: Option<u64>| -> BTreeSet<(FolderId, u64)> {
        let own = own.iter().map(|id| ((*id).into(), own_entries));
        let others = others.iter();
        let others = others.filter_map(|id| Some(((*id).into(), other_entries?)));
        own.chain(others).collect()
    };

    let saved = go_on_as(&mut scene, &store, Shard::default()).await;
    assert_eq!(saved.folders.len(), 8);
    simulator.with(|world| add_failed(world, &folders));
    scene.collector.once().await;
    assert_eq!(entries(&scene), expected(5, Some(5)));

    let saved = go_on_as(&mut scene, &store, half).await;
    let stored: BTreeSet<_> = saved.folders.keys().copied().collect();
    assert_eq!(stored, own.iter().map(|id| (*id).into()).collect());
    simulator.with(|world| add_failed(world, &folders));
    scene.collector.once().await;
    assert_eq!(entries(&scene), expected(10, None));

    go_on_as(&mut scene, &store, Shard::default()).await;
    assert_eq!(entries(&scene), expected(10, Some(0)), "no false spike");
}
