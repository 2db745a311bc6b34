//! The simulated portal, in the test's own process, in which nothing moves by itself, with faults.

use std::ops::Deref;

use kb_exposition::Exposition;
use kb_simulator::faults::{Fault, Faults, RetryAfter, Scope, Target};
use kb_simulator::{NewFile, Options, Simulator, Status, World};
use uuid::Uuid;

use super::server::Server;
use crate::faults::oracle::{Files, files_of};

/// A simulated portal on an address of its own.
pub(crate) struct Portal {
    simulator: Simulator,
    server: Server,
    pub(crate) faults: Faults,
    base_path: String,
}

impl Portal {
    /// A portal without folders that answers as the interface's samples do.
    pub(crate) async fn start() -> Self {
        Self::with(|_| {}).await
    }

    /// A portal without folders, with other options.
    pub(crate) async fn with(change: impl FnOnce(&mut Options)) -> Self {
        let mut options = Options {
            speed: 0.0,
            ..Options::default()
        };
        change(&mut options);
        let base_path = options.base_path.clone();
        let seed = options.seed;
        let portal = Self::of(Simulator::empty(options), seed).await;
        Self {
            base_path,
            ..portal
        }
    }

    /// A portal without folders and with a key.
    pub(crate) async fn keyed(key: &str) -> Self {
        Self::with(|options| key.clone_into(&mut options.key)).await
    }

    /// Serves a portal; the seed decides which faults strike by chance.
    pub(crate) async fn of(simulator: Simulator, seed: u64) -> Self {
        let faults = Faults::new(seed);
        Self {
            server: Server::before(&simulator, &faults).await,
            simulator,
            faults,
            base_path: String::new(),
        }
    }

    /// Strikes every request for a target.
    pub(crate) fn strike(&self, target: Target, fault: Fault) {
        self.faults.add(Scope::each(target), fault);
    }

    /// Answers to every request for a target with a status, and strikes no other; also those that were held back.
    pub(crate) fn refuse(&self, target: Target, status: u16) {
        self.faults.clear();
        self.strike(target, Fault::Status(status, RetryAfter::Absent));
        self.release();
    }

    /// Answers as it should again, also what was held back.
    pub(crate) fn heal(&self) {
        self.faults.clear();
        self.release();
    }

    /// The address that a configuration names.
    pub(crate) fn base_url(&self) -> String {
        format!("http://{}{}", self.address(), self.base_path)
    }

    /// Inspects the portal or changes it, between two requests.
    pub(crate) fn world<T>(&self, act: impl FnOnce(&mut World) -> T) -> T {
        self.simulator.with(act)
    }

    /// The portal itself, to be changed by a task of its own.
    pub(crate) fn simulator(&self) -> Simulator {
        self.simulator.clone()
    }

    /// Adds an empty folder.
    pub(crate) fn folder(&self, name: &str) -> Uuid {
        self.world(|world| world.add_folder(name))
    }

    /// Adds a folder with this number of files, of all statuses.
    pub(crate) fn mixed_folder(&self, name: &str, files: usize) -> Uuid {
        self.world(|world| {
            let folder = world.add_folder(name);
            for (number, status) in Status::KNOWN.iter().enumerate() {
                let share = files / 5 + usize::from(number < files % 5);
                world.add_files(folder, status, share).unwrap();
            }
            folder
        })
    }

    /// Moves a file of a folder that has not failed to failed.
    pub(crate) fn fail_one(&self, folder: Uuid) {
        self.world(|world| {
            for file in world.file_ids(folder) {
                let before = world.counts(folder);
                let status = Status::Failed;
                world
                    .set_status(folder, file, status, Some("a reason"))
                    .unwrap();
                if world.counts(folder) != before {
                    return;
                }
            }
        });
    }

    /// Files by status, as the exposition should have them.
    pub(crate) fn counts(&self, folder: Uuid) -> Files {
        let counts = self.world(|world| world.counts(folder));
        files_of(&counts.unwrap_or_default())
    }

    /// Whether folders are shown with the files that they have.
    pub(crate) fn are_counted(&self, folders: &[Uuid], metrics: &Exposition) -> bool {
        let files = |folder: &Uuid| metrics.folder(folder).by_status("kb_folder_files");
        folders
            .iter()
            .all(|folder| files(folder) == self.counts(*folder))
    }

    /// Adds a file of a status to a folder's root.
    pub(crate) fn file(&self, folder: Uuid, name: &str, status: Status) -> Uuid {
        let file = NewFile::new(name, status);
        self.add(folder, &file)
    }

    /// Adds a file.
    pub(crate) fn add(&self, folder: Uuid, file: &NewFile) -> Uuid {
        self.world(|world| world.add_file(folder, file)).unwrap()
    }

    /// Brings a file into another status.
    pub(crate) fn set(&self, folder: Uuid, file: Uuid, status: Status) {
        let reason = matches!(status, Status::Failed | Status::Flagged).then_some("a reason");
        self.world(|world| world.set_status(folder, file, status, reason))
            .unwrap();
    }
}

impl Deref for Portal {
    type Target = Server;

    fn deref(&self) -> &Server {
        &self.server
    }
}
