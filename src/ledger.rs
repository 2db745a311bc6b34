//! What was attempted at reindexing, and what came of it: never forgotten, and never written over.
//!
//! One SQLite file beside the state (`ledger.db`), written by a thread of its own, one transaction for each change, synced to
//! disk before it counts. The intent of an attempt is written before its request is sent, so a crash at any point leaves
//! the attempt charged: what has no outcome when the file is opened has the outcome `unknown`.
//!
//! ```text
//! Change ─LedgerView::change (pure)→ next view ─database (commit)→ disk
//!                                        └──────── after it ─────→ what everybody sees
//! ```
//!
//! The state folder is locked by whoever opens [`crate::state::Store`]; this opens the file that is beside it. A file that is newer,
//! unreadable or read-only stays as it is, and every question and every change is answered with the reason. The ledger knows
//! facts alone; what they mean for the next attempt is [`crate::policy`]'s.

mod apply;
mod attempt;
mod change;
mod database;
mod error;
mod history;
mod load;
mod outcome;
mod portal;
mod rows;
mod schema;
mod tidy;
mod track;
mod view;
mod write;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::SystemTime;

use tokio::sync::watch;
use tracing::warn;

use crate::model::{PortalName, Timestamp};
use database::Database;
use load::Views;
use portal::{Job, SharedView};

pub use attempt::{
    ActiveMode, Answered, Attempt, AttemptId, ClassFate, Course, IntendedFile, Intent, SentFile,
};
pub use change::{Change, Misfit, Review, Tidy};
pub use database::FILE_NAME;
pub use error::LedgerError;
pub use history::{Entry, history, views};
pub use outcome::{FileState, Lost, Outcome, StateCounts, Verdict};
pub use portal::PortalLedger;
pub use track::Track;
pub use view::{ClassTotals, FolderBook, LedgerView, Totals};

/// A handle to the ledger. Cheap to clone; the file is closed when the last one, and the last portal's, is dropped.
#[derive(Debug, Clone)]
pub struct Ledger(Result<Open, LedgerError>);

#[derive(Debug, Clone)]
struct Open {
    created: Timestamp,
    views: Arc<Mutex<HashMap<PortalName, SharedView>>>,
    jobs: mpsc::Sender<Job>,
}

impl Ledger {
    /// Opens the ledger in a state folder that this process has locked, or makes one where there is none. Blocks.
    ///
    /// Where that fails, the ledger answers everything with the reason, which is returned as well.
    #[must_use]
    pub fn open(folder: &Path) -> (Self, Option<LedgerError>) {
        match Database::open(folder) {
            Ok((database, created, views)) => (Self::start(database, created, views), None),
            Err(error) => (Self::refused(error.clone()), Some(error)),
        }
    }

    /// A ledger that answers everything with this reason: for a process that does not hold the state folder.
    #[must_use]
    pub const fn refused(error: LedgerError) -> Self {
        Self(Err(error))
    }

    /// The ledger of one portal. A portal that is not known yet is met now, which is written down as well.
    #[must_use]
    pub fn portal(&self, portal: &PortalName) -> PortalLedger {
        let open = match &self.0 {
            Ok(open) => open,
            Err(error) => return PortalLedger::refused(error.clone()),
        };
        let mut views = open.views.lock().unwrap_or_else(PoisonError::into_inner);
        let view = views
            .entry(portal.clone())
            .or_insert_with(|| open.meet(portal));
        PortalLedger::new(portal.clone(), view.clone(), open.jobs.clone())
    }

    fn start(mut database: Database, created: Timestamp, views: Views) -> Self {
        let (jobs, queue) = mpsc::channel::<Job>();
        std::thread::spawn(move || {
            for job in queue {
                job(&mut database);
            }
        });
        let views = views
            .into_iter()
            .map(|(portal, view)| (portal, watch::Sender::new(Arc::new(view))));
        Self(Ok(Open {
            created,
            views: Arc::new(Mutex::new(views.collect())),
            jobs,
        }))
    }
}

impl Open {
    /// Begins to know a portal. Where the disk does not take it, it holds for this process, and is written with the first change.
    fn meet(&self, portal: &PortalName) -> SharedView {
        // A clock that is behind the ledger's own time is noticed by it.
        let now = Timestamp::from(SystemTime::now()).max(self.created);
        let view = Arc::new(LedgerView::new(now));
        let (name, met) = (portal.clone(), Arc::clone(&view));
        let job: Job = Box::new(move |database| {
            if let Err(error) = database.meet(&name, &met) {
                warn!(portal = %name, %error, "it cannot be written to the reindex ledger that this portal is new");
            }
        });
        // A ledger that is closed refuses every change that comes after this one, and says so.
        let _ = self.jobs.send(job);
        watch::Sender::new(view)
    }
}

#[cfg(test)]
mod tests;
