//! The folders of a portal, and what reading them takes.

use std::num::NonZeroU16;

use super::{Installation, float};
use crate::collect::MEAN_AUDIT_SHARE;
use crate::collect::read_schedule::Load;
use crate::collect::strategy::{self, Expected, choose};
use crate::config::{Collect, Strategy};
use crate::model::{ByStatus, Status};
use crate::snapshot::{SortingState, Way};

/// Folders with failed files, and folders without.
pub(super) struct Folders {
    pub with_failed: Alike,
    pub without: Alike,
    collect: Collect,
}

/// Folders that are alike.
#[derive(Debug, Clone, Copy)]
pub(super) struct Alike {
    /// How many.
    pub folders: f64,
    /// The files of each.
    pub files: u64,
    /// Those that failed.
    pub failed: u64,
}

impl Folders {
    /// Spreads the files over the folders, and the failed files at random: a folder of `n` files has none with the probability
    /// (1 - share of failed files)ⁿ.
    pub fn of(installation: &Installation) -> Self {
        let folders = float(installation.folders);
        let files = installation.files.div_ceil(installation.folders);
        let each = float(installation.files) / folders;
        let with_failed = folders * (1.0 - (1.0 - installation.failed).powf(each));
        let failed = installation.failed * float(installation.files) / with_failed.max(1.0);
        let alike = |folders, failed| Alike {
            folders,
            files,
            failed,
        };
        Self {
            with_failed: alike(with_failed, whole(failed.round()).clamp(1, files.max(1))),
            without: alike(folders - with_failed, 0),
            collect: installation.collect.clone(),
        }
    }

    /// Folders that are read in each interval.
    pub fn pressing(&self) -> f64 {
        self.with_failed.folders
    }

    /// All others.
    pub fn quiet(&self) -> f64 {
        self.without.folders
    }

    /// Files that failed.
    pub fn failed_files(&self) -> f64 {
        self.with_failed.folders * float(self.with_failed.failed)
    }

    /// Files of one folder.
    pub fn files_of_one(&self) -> f64 {
        float(self.without.files)
    }

    /// Requests of the first reads.
    pub fn first_requests(&self) -> f64 {
        self.sum(Alike::first_read)
    }

    /// Requests of the dearest of the later reads.
    pub fn dearest_read(&self) -> f64 {
        let [with_failed, without] = self.kinds().map(|alike| alike.read(&self.collect));
        float(if self.pressing() >= 1.0 {
            with_failed.max(without)
        } else {
            without
        })
    }

    /// What later reads of the folders of one process take.
    pub fn load(&self, shards: NonZeroU16) -> Load {
        let [pressing, quiet] = self.kinds().map(|alike| {
            let requests = alike.folders * float(alike.read(&self.collect));
            whole((requests / f64::from(shards.get())).ceil())
        });
        Load { pressing, quiet }
    }

    /// Pages that audits read when each folder has one.
    pub fn audited_pages(&self) -> f64 {
        self.sum(Alike::audited_pages)
    }

    /// The mean time between two audits of a folder, in seconds.
    pub fn audit_seconds(&self) -> f64 {
        self.collect.full_every.as_secs_f64() * MEAN_AUDIT_SHARE
    }

    fn kinds(&self) -> [Alike; 2] {
        [self.with_failed, self.without]
    }

    fn sum(&self, of_one: impl Fn(Alike, &Collect) -> u64) -> f64 {
        let sums = self
            .kinds()
            .map(|alike| alike.folders * float(of_one(alike, &self.collect)));
        sums.into_iter().sum()
    }
}

impl Alike {
    /// Its files by status.
    pub fn counts(self) -> ByStatus<u64> {
        ByStatus::from_fn(|status| match status {
            Status::Done => self.files.saturating_sub(self.failed),
            Status::Failed => self.failed.min(self.files),
            _ => 0,
        })
    }

    fn known(self) -> Expected {
        Expected::new(Some(self.counts()), self.files)
    }

    /// Requests of the first read: the way is chosen by the number of files alone.
    fn first_read(self, collect: &Collect) -> u64 {
        let unknown = Expected::new(None, self.files);
        let requests = match choose(collect.strategy, SortingState::Assumed, &unknown) {
            Way::Full => unknown.pages(),
            Way::Sorted => {
                strategy::requests(Strategy::Sorted, SortingState::Assumed, &self.known())
            }
        };
        requests.max(1)
    }

    /// Requests of a read when the counts of the one before are known.
    fn read(self, collect: &Collect) -> u64 {
        let sorting = SortingState::Shown;
        strategy::requests(collect.strategy, sorting, &self.known()).max(1)
    }

    /// Pages of its audit; none where each read is a full scan, or the folder is too large.
    fn audited_pages(self, collect: &Collect) -> u64 {
        let known = self.known();
        let is_sorted = choose(collect.strategy, SortingState::Shown, &known) == Way::Sorted;
        let is_audited = is_sorted && known.pages() <= collect.max_pages_per_folder.get();
        if is_audited { known.pages() } else { 0 }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is not negative, and the cast saturates"
)]
fn whole(number: f64) -> u64 {
    number as u64
}
