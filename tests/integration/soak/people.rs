//! What people do to the portal, at random.

use std::time::Duration;

use kb_simulator::{NewFile, Simulator, Status, World};
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::KEY;
use crate::support::portal::Portal;

/// Between two things that are done.
const PAUSE: Duration = Duration::from_millis(10);

/// How likely it is that something is done after a pause: nothing for a while, little, much.
const BUSTLE: [f64; 4] = [0.0, 0.05, 0.3, 1.0];

/// People who work with a portal.
pub(super) struct People {
    stop: CancellationToken,
    work: JoinHandle<()>,
}

impl People {
    /// They work until they are stopped.
    pub(super) fn start(portal: &Portal, seed: u64) -> Self {
        let stop = CancellationToken::new();
        let work = work(portal.simulator(), fastrand::Rng::with_seed(seed ^ 1));
        let work = tokio::spawn({
            let stop = stop.clone();
            async move {
                stop.run_until_cancelled(work).await;
            }
        });
        Self { stop, work }
    }

    /// Returns when nobody works any more.
    pub(super) async fn stop(self) {
        self.stop.cancel();
        self.work.await.unwrap();
    }
}

async fn work(simulator: Simulator, mut random: fastrand::Rng) {
    let mut bustle = 0.0;
    loop {
        if random.u32(..100) == 0 {
            bustle = random.choice(BUSTLE).unwrap_or_default();
        }
        if random.f64() < bustle {
            simulator.with(|world| do_something(world, &mut random));
        }
        sleep(PAUSE).await;
    }
}

fn do_something(world: &mut World, random: &mut fastrand::Rng) {
    let folders = world.folder_ids();
    let Some(folder) = random.choice(&folders).copied() else {
        return;
    };
    let files = world.file_ids(folder);
    let file = random.choice(&files).copied();
    let status = random.choice(Status::KNOWN).unwrap_or(Status::Done);
    match (random.u32(..200), file) {
        (0, _) if folders.len() < 10 => drop(world.add_folder("New \u{1b}[1mfolder\n\"")),
        (1, _) if folders.len() > 4 => must(world.delete_folder(folder)),
        (2, _) => must(world.rename_folder(folder, "Renamed")),
        (3, _) => take_away(world, &folders, folder),
        (4, _) => world.key_folders(KEY, folders),
        (5, _) => drop(world.reindex_failed(folder)),
        (6..16, _) => world.step(Duration::from_secs(5)),
        (16..80, Some(file)) => must(world.set_status(folder, file, status, Some("at random"))),
        (80..130, Some(file)) if files.len() > 20 => must(world.delete_file(folder, file)),
        _ => add(world, folder, status, random),
    }
}

/// The key may not use a folder any more.
fn take_away(world: &mut World, folders: &[Uuid], folder: Uuid) {
    let others = folders.iter().filter(|other| **other != folder);
    let others: Vec<_> = others.copied().collect();
    world.key_folders(KEY, others);
}

fn add(world: &mut World, folder: Uuid, status: Status, random: &mut fastrand::Rng) {
    let file = NewFile::new(format!("{:04}.pdf", random.u32(..10_000)), status);
    must(world.add_file(folder, &file).map(drop));
}

fn must<E: std::fmt::Debug>(done: Result<(), E>) {
    done.unwrap();
}
