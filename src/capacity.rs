//! What a portal with given numbers of folders and files costs: pure.
//!
//! Requests follow from the functions by which the collector plans its reads ([`crate::collect::strategy`],
//! [`crate::collect::read_schedule`]), series and bytes of an exposition from an exposition of made-up folders. Bytes of memory and of state
//! are constants that were measured by `cargo bench --bench shards`.
//!
//! It is assumed that all folders are equally large, that failed files are spread over them at random, that all other files are done, and that
//! the portal sorts by status.

mod exposition;
mod folders;
mod limit;

use std::io;
use std::num::NonZeroU16;
use std::time::Duration;

use crate::collect::read_schedule::{Load, ReadIntervals, RequestBudget};
use crate::config::{Collect, Rate};
use crate::history::KnownFile;
use crate::model::FileKey;
use crate::portal::BACKGROUND_SHARE;

use exposition::Exposition;
use folders::Folders;

pub(crate) use limit::{Limit, Usage};

/// Resident memory of a process without folders, in bytes: measured.
const PROCESS_BYTES: f64 = 24.0 * MIB;

/// Resident memory of a folder in which every file is done, and of its part of the exposition, in bytes: measured.
const FOLDER_BYTES: f64 = 3.6 * 1024.0;

/// Resident memory for each row of the list of folders, also those of other shards, in bytes: measured.
const LISTED_BYTES: f64 = 0.45 * 1024.0;

/// Memory of a file that is not done, in bytes: maps are half empty at worst.
const FILE_BYTES: usize = 2 * (size_of::<FileKey>() + size_of::<KnownFile>());

/// Memory of a row during a full scan, in bytes: see [`crate::count::hash`].
const ROW_BYTES: usize = size_of::<u64>();

/// A folder in `state.db`, in bytes: measured with 40,000 folders.
const STORED_FOLDER_BYTES: f64 = 300.0;

/// A file that is not done in `state.db`, in bytes: measured with 10,000 files.
const STORED_FILE_BYTES: f64 = 80.0;

const MIB: f64 = 1024.0 * 1024.0;

/// A portal, and what collects it.
#[derive(Debug, Clone)]
pub(crate) struct Installation {
    /// Its folders, at least one.
    pub folders: u64,
    /// The files of all folders together.
    pub files: u64,
    /// The share of the files that failed, from 0 to 1.
    pub failed: f64,
    /// The time between two collections.
    pub interval: Duration,
    /// The processes that share the folders.
    pub shards: NonZeroU16,
    /// How the folders are counted. The schedule in it is not used.
    pub collect: Collect,
}

/// What an installation costs. Figures are those of all its processes together, unless the description says otherwise.
pub(crate) struct Capacity {
    folders: Folders,
    exposition: Exposition,
    installation: Installation,
    /// Requests per second of one process.
    rate: f64,
    /// What one process may request in an interval.
    budget: RequestBudget,
    /// What counting all folders of one process takes.
    load: Load,
}

impl Capacity {
    /// Works it out; nothing where the rate has no limit.
    pub fn of(installation: Installation) -> io::Result<Option<Self>> {
        let Installation {
            interval,
            shards,
            ref collect,
            ..
        } = installation;
        let share = collect.max_requests_per_second.divided_by(shards);
        let budget = RequestBudget::new(share, interval, collect.timeout);
        let (Some(budget), Rate::PerSecond(rate)) = (budget, share) else {
            return Ok(None);
        };
        let folders = Folders::of(&installation);
        Ok(Some(Self {
            exposition: Exposition::of(&folders)?,
            load: folders.load(shards),
            folders,
            installation,
            rate,
            budget,
        }))
    }

    /// Requests until every folder was counted once: each process asks for the list, and reads its folders without knowing their counts.
    pub fn first_requests(&self) -> f64 {
        self.folders.first_requests() + self.shards()
    }

    /// The seconds until every folder was counted once: as many intervals as the first reads have budgets.
    pub fn first_seconds(&self) -> f64 {
        let intervals = self.folders.first_requests() / self.shards() / float(self.budget.requests);
        intervals * self.interval()
    }

    /// Folders with files that are not done: they are counted in each interval, as far as the rate allows.
    pub fn pressing_folders(&self) -> f64 {
        self.folders.pressing()
    }

    /// The seconds between two counts of a folder in which nothing changes: `collect.quiet_every`, or the cycle where folders take turns.
    pub fn quiet_seconds(&self) -> f64 {
        self.quiet_every().max(self.cycle_seconds())
    }

    /// Requests in an interval in which nothing changes: each process asks for the list, reads the folders with files that are not done, and
    /// the part of the others that is due; never more than its budget.
    pub fn idle_requests(&self) -> f64 {
        let reads = self.wanted_requests().min(float(self.budget.requests));
        (1.0 + reads) * self.shards()
    }

    /// The fewest seconds until a change shows: a collection begins just after it, and the folder comes first.
    pub fn change_best_seconds(&self) -> f64 {
        (1.0 + self.folders.dearest_read()) / self.rate
    }

    /// The most seconds until a change shows that the list of folders shows: it came just after the list was requested. In the next collection, the
    /// folder may be the last one.
    pub fn change_listed_seconds(&self) -> f64 {
        let pressing = Load {
            quiet: 0,
            ..self.load
        };
        let cycle = pressing.cycle(self.budget).as_secs_f64();
        cycle + self.last_in_collection_seconds()
    }

    /// The most seconds until a change shows that the list does not show: the folder was counted just before.
    pub fn change_unlisted_seconds(&self) -> f64 {
        self.quiet_seconds() + self.last_in_collection_seconds()
    }

    /// Resident memory of one process in bytes: the list of folders, its folders, the files that are not done, and two full scans of folders at
    /// the same time.
    pub fn process_bytes(&self) -> f64 {
        let folders = FOLDER_BYTES * float(self.installation.folders);
        let list = LISTED_BYTES * float(self.installation.folders);
        let files = real(FILE_BYTES) * self.folders.failed_files();
        let scans = 2.0 * real(ROW_BYTES) * self.folders.files_of_one();
        PROCESS_BYTES + (folders + files) / self.shards() + list + scans
    }

    /// Series of the folders.
    pub fn series(&self) -> f64 {
        self.exposition.series
    }

    /// The exposition of one process as text, in bytes.
    pub fn text_bytes(&self) -> f64 {
        self.exposition.text_bytes / self.shards()
    }

    /// The exposition of one process, compressed, in bytes.
    pub fn gzip_bytes(&self) -> f64 {
        self.exposition.gzip_bytes / self.shards()
    }

    /// The seconds between two renderings of the exposition of one process.
    pub fn rendering_seconds(&self) -> f64 {
        self.exposition.rendering_seconds(self.installation.shards)
    }

    /// The state, in bytes.
    pub fn state_bytes(&self) -> f64 {
        STORED_FOLDER_BYTES * float(self.installation.folders)
            + STORED_FILE_BYTES * self.folders.failed_files()
    }

    /// The most transactions in an interval in which nothing changes: each count of a folder, and the end of the collection of each process.
    /// Folders that are counted at about the same time are written in one transaction.
    pub fn idle_transactions(&self) -> f64 {
        let due = self.interval() / self.quiet_seconds();
        let counts = self.folders.pressing() + self.folders.quiet() * due;
        let share = float(self.budget.requests) / self.wanted_requests();
        counts * share.min(1.0) + self.shards()
    }

    /// Requests of audits in a day: every page of the folders that are counted by their boundaries, as far as the share of audits in the rate
    /// allows.
    pub fn audit_requests(&self) -> f64 {
        let day = Duration::from_hours(24).as_secs_f64();
        let wanted = self.folders.audited_pages() * day / self.folders.audit_seconds();
        let most = self.rate * self.shards() * day / f64::from(BACKGROUND_SHARE);
        wanted.min(most)
    }

    /// The seconds in which the portal must answer on average, so that `collect.concurrency` requests in flight reach the rate.
    pub fn answer_seconds(&self) -> f64 {
        real(self.installation.collect.concurrency.get()) / self.rate
    }

    /// Requests per second with which no folder waits for longer than it should: those that have files not done for an interval, the others for
    /// `collect.quiet_every`.
    pub fn wanted_rate(&self) -> f64 {
        let quiet = float(self.load.quiet) * self.interval() / self.quiet_every();
        let reads = float(self.load.pressing) + quiet;
        (1.0 + reads) * self.shards() / self.interval()
    }

    /// How far each limit is used.
    pub fn usage(&self) -> Usage {
        Usage {
            rate: self.wanted_rate() / (self.rate * self.shards()),
            series: self.series() / self.shards() / limit::SERIES,
            memory: self.process_bytes() / limit::PROCESS_BYTES,
            rendering: self.rendering_seconds() / self.interval(),
        }
    }

    /// The number of processes with which none exceeds the limits of a process.
    pub fn recommended_shards(&self) -> NonZeroU16 {
        self.usage().recommended_shards(self.installation.shards)
    }

    /// What one process requests for reads in an interval in which nothing changes, if the rate allows it.
    fn wanted_requests(&self) -> f64 {
        float(self.load.pressing) + float(self.load.quiet) * self.interval() / self.quiet_seconds()
    }

    /// The seconds from the beginning of a collection until its last folder is shown.
    fn last_in_collection_seconds(&self) -> f64 {
        let reads = self.load.total().min(self.budget.requests);
        (1.0 + float(reads)) / self.rate + self.rendering_seconds()
    }

    /// The cycle of the folders of one process: at least an interval.
    fn cycle_seconds(&self) -> f64 {
        self.load.cycle(self.budget).as_secs_f64()
    }

    fn quiet_every(&self) -> f64 {
        let intervals = ReadIntervals {
            interval: self.installation.interval,
            quiet_every: self.installation.collect.quiet_every,
        };
        intervals.quiet().as_secs_f64()
    }

    fn interval(&self) -> f64 {
        self.installation.interval.as_secs_f64()
    }

    fn shards(&self) -> f64 {
        self.installation.shards.get().into()
    }
}

#[expect(clippy::cast_precision_loss, reason = "people need three digits")]
fn float(number: u64) -> f64 {
    number as f64
}

fn real(number: usize) -> f64 {
    float(number as u64)
}

#[cfg(test)]
mod tests;
