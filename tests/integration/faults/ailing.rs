//! A simulated portal that can be made ill.

use std::net::SocketAddr;

use kb_simulator::faults::{Fault, Faults, Scope, Target};
use kb_simulator::{Options, Simulator, Status, World};
use tokio::net::TcpListener;
use uuid::Uuid;

use crate::support::writes::Writes;

/// A portal in which nothing moves by itself, with faults.
pub(crate) struct Ailing {
    pub(crate) simulator: Simulator,
    pub(crate) faults: Faults,
    pub(crate) writes: Writes,
    address: SocketAddr,
}

impl Ailing {
    /// A portal without folders that is well.
    pub(crate) async fn start(key: &str, seed: u64) -> Self {
        let simulator = Simulator::empty(Options {
            speed: 0.0,
            key: key.to_owned(),
            seed,
            ..Options::default()
        });
        Self::serve(simulator, seed).await
    }

    /// Serves a portal on an address of its own.
    pub(crate) async fn serve(simulator: Simulator, seed: u64) -> Self {
        let faults = Faults::new(seed);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let served = simulator.clone();
        let serving = served.serve_with_faults(faults.clone(), listener, std::future::pending());
        tokio::spawn(serving);
        Self {
            simulator,
            faults,
            writes: Writes::default(),
            address,
        }
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Inspects the portal or changes it, between two requests.
    pub(crate) fn world<T>(&self, act: impl FnOnce(&mut World) -> T) -> T {
        self.simulator.with(act)
    }

    /// Adds a folder with so many files, of all statuses.
    pub(crate) fn folder(&self, name: &str, files: usize) -> Uuid {
        self.world(|world| {
            let folder = world.add_folder(name);
            for (number, status) in Status::KNOWN.iter().enumerate() {
                let share = files / 5 + usize::from(number < files % 5);
                world.add_files(folder, status, share).unwrap();
            }
            folder
        })
    }

    /// Moves a file of a folder that is done to failed.
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

    /// Strikes every request for a target.
    pub(crate) fn strike(&self, target: Target, fault: Fault) {
        self.faults.add(Scope::each(target), fault);
    }

    /// Requests so far whose path ends so, and that reached the portal.
    pub(crate) fn requests_to(&self, end: &str) -> usize {
        self.world(|world| world.requests().filter(|it| it.path.ends_with(end)).count())
    }

    /// Files by status, as the exposition should have them.
    pub(crate) fn counts(&self, folder: Uuid) -> super::oracle::Files {
        let counts = self.world(|world| world.counts(folder));
        super::oracle::files_of(&counts.unwrap_or_default())
    }
}

impl Drop for Ailing {
    /// No test forgets to ask whether anything was written.
    fn drop(&mut self) {
        let asked = self.world(|world| world.requests().cloned().collect::<Vec<_>>());
        let asked = asked.iter();
        self.writes
            .judge(asked.map(|asked| (asked.method.as_str(), asked.path.as_str())));
    }
}
