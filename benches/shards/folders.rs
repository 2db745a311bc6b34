//! The portal and its folders.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use kb_simulator::faults::Faults;
use kb_simulator::{Switches, UpdatedAt};
use uuid::Uuid;

use crate::portal::{Portal, asked_folder, let_one_fail};

/// Requests that the portal keeps in its log: all of a run.
const LOG: usize = 2_000_000;

/// What has not happened by then never will.
const PATIENCE: Duration = Duration::from_mins(15);

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(500);

/// A portal with many folders in which all files are done.
pub struct Folders {
    /// Serves them.
    pub portal: Portal,
    ids: Vec<Uuid>,
}

impl Folders {
    /// Starts a portal with so many folders.
    pub fn start(folders: u32) -> Result<Self> {
        let switches = Switches {
            updated_at: UpdatedAt::Files,
            ..Switches::default()
        };
        let portal = Portal::start(LOG, switches, Faults::new(1))?;
        let ids = portal.add_folders(folders);
        Ok(Self { portal, ids })
    }

    /// Waits for something while the portal goes on.
    pub fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.portal.wait(future)
    }

    /// Waits until the folders were counted so often on average.
    pub fn wait_for_counts(&self, times: usize) -> Result<()> {
        let begun = Instant::now();
        while self.counts() < times * self.ids.len() {
            let counts = self.counts();
            ensure!(begun.elapsed() < PATIENCE, "only {counts} counts were made");
            self.wait(async { tokio::time::sleep(PAUSE).await });
        }
        Ok(())
    }

    /// How long the first count of all folders took.
    pub fn first_count(&self) -> Result<Duration> {
        let requests = self.portal.requests_from(0);
        let mut counts = requests.iter().filter(|it| asked_folder(it).is_some());
        let first = counts.next().context("nothing was asked for")?;
        let last = counts.nth(self.ids.len() - 2).unwrap_or(first);
        Ok((last.at - first.at).to_std()?)
    }

    /// Requests so far.
    pub fn requests(&self) -> usize {
        self.portal.world(|world| world.requests().count())
    }

    /// Requests for files so far, each of which counts a folder.
    pub fn counts(&self) -> usize {
        self.portal.world(|world| {
            world
                .requests()
                .filter(|it| asked_folder(it).is_some())
                .count()
        })
    }

    /// Lets one file fail in a folder, another one for each number. Returns the folder's id.
    pub fn let_one_fail(&self, number: usize) -> Result<Uuid> {
        // Spread over the folders, and so over the processes.
        let folder = self.ids[(number * 997 + 1) % self.ids.len()];
        self.portal.world(|world| let_one_fail(world, folder))?;
        Ok(folder)
    }
}
