//! The simulated portal, in the test's own process, in which nothing moves by itself.

use std::ops::Deref;

use kb_simulator::{NewFile, Options, Simulator, Status, World};
use uuid::Uuid;

use super::server::Server;

/// A simulated portal on an address of its own.
pub(crate) struct Portal {
    simulator: Simulator,
    server: Server,
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
        let simulator = Simulator::empty(options);
        Self {
            server: Server::start(simulator.router()).await,
            simulator,
            base_path,
        }
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
