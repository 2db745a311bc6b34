//! The attempts at reindexing and their results: the file is never replaced.
//!
//! One SQLite file next to the state (`ledger.db`), written by a thread of its own, one transaction for each change, synced to
//! disk before it counts. The intent of an attempt is written before its request is sent, so a crash at any point leaves
//! the attempt charged: what has no outcome when the file is opened has the outcome `unknown`.
//!
//! ```text
//! LedgerView ─change (pure)→ next view ─what differs (commit)→ disk
//!                                └──────── after it ────────→ what everybody sees
//! ```
//!
//! A portal is known by its address, so that entries of the configuration with one base URL share its limits, and a new name
//! forgets nothing. Times are those of the wall clock. When that is set while the program runs, they are moved with it
//! (`ledger/clock.rs`), so that each limit lasts as long as it should.
//!
//! While another process has the state folder, or the folder is missing, and where the file is newer, unreadable or read-only, it stays as it
//! is, every question and every change is answered with the reason, and it is tried again. The ledger knows facts alone; what they mean for the
//! next attempt is [`crate::policy`]'s.

mod attempt;
mod attempt_id;
mod change;
mod class_results;
mod clock;
mod database;
mod error;
mod file;
mod folder;
mod forgive;
mod lease;
mod load;
mod open;
mod other_process;
mod outcome;
mod portal;
mod schema;
mod shared;
mod tables;
mod tidy;
mod track;
pub(crate) mod transfer;
mod view;
mod write;
mod writer;

use std::time::Duration;

use crate::clock::Moment;
use crate::config::HiddenPath;
use crate::model::{PortalAddress, Shard};
use crate::sql::{SqlError, Worker};
use lease::Leases;
use shared::SharedViews;
use writer::{Place, Writer};

pub use crate::sql::StateFolder;
pub use attempt::{Attempt, ClassResult, Intent, Judged, SentFile};
pub use attempt_id::AttemptId;
pub use change::{Misfit, Review};
pub use error::LedgerError;
pub use file::FILE_NAME;
pub use folder::{ClassTotals, FolderLedger, Totals};
pub use forgive::{Forgiven, Forgiveness};
pub use other_process::{Entry, ask_to_forgive, history, views};
pub use outcome::{FileState, StateCounts, Verdict};
pub use portal::PortalLedger;
pub(crate) use schema::SCHEMA;
pub use tidy::Tidy;
pub use track::Track;
pub use view::LedgerView;

/// A handle to the ledger. Cheap to clone; the database is closed by [`Self::close`], or when the last handle, and the last portal's, is
/// dropped.
#[derive(Debug, Clone)]
pub struct Ledger {
    views: SharedViews,
    writer: Worker<Writer>,
    /// Where other processes share the ledger.
    leases: Option<Leases>,
}

impl Ledger {
    /// Opens the ledger in a state folder, or creates it. Blocks.
    ///
    /// Where that fails, every question and change is answered with the error, which is returned as well, until the file can be opened.
    pub fn open(folder: StateFolder) -> (Self, Option<LedgerError>) {
        let views = SharedViews::refused(SqlError::Closed.into());
        let place = Place::Folder(folder);
        let mut writer = Writer::new(place, views.clone());
        let refused = writer.open().err();
        let ledger = Self {
            views,
            writer: Worker::start(writer),
            leases: None,
        };
        (ledger, refused)
    }

    /// Uses the ledger in PostgreSQL. One process of each shard may act: the one that has the lease, which lasts so long. Connects with the
    /// first use, and again where a connection ended.
    pub fn on_server(url_file: &HiddenPath, shard: Shard, lease: Duration) -> Self {
        let leases = Leases::new(shard, lease);
        let why = SqlError::Away("not connected yet".to_owned());
        let views = SharedViews::refused(why.into());
        let place = Place::Server(url_file.clone(), leases.clone());
        Self {
            writer: Worker::start(Writer::new(place, views.clone())),
            views,
            leases: Some(leases),
        }
    }

    /// Whether other processes use the ledger as well.
    pub const fn is_shared(&self) -> bool {
        self.leases.is_some()
    }

    fn now(&self) -> Moment {
        self.leases.as_ref().map_or_else(Moment::now, Leases::now)
    }

    /// The ledger of one portal. A portal that is not known yet is met now, which is written as well.
    pub fn portal(&self, portal: &PortalAddress) -> PortalLedger {
        let ledger = PortalLedger::new(portal.clone(), self.clone());
        // Where the file is not open, the portal is met later.
        let _ = ledger.view();
        ledger
    }

    /// Closes the file after all earlier changes are written: the next start has nothing to repair. From then on every change is
    /// refused.
    pub async fn close(&self) {
        // Where the thread has ended, the file is closed.
        let close = |writer: &mut Writer| writer.close(&SqlError::Closed.into());
        let _ = self.writer.run(close).await;
    }
}

#[cfg(test)]
mod tests;
