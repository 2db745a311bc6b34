//! The read of a folder: from when it is due until its result is known.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::clock::Moment;
use crate::collect::due::ReadOutcome;
use crate::collect::folder::Folder;
use crate::collect::queue::{Due, Need, QueuedRead, ReadKind};
use crate::model::FileKey;
use crate::portal::Lane;
use crate::snapshot::Unavailable;

/// A read that waits, or is under way.
pub(super) struct DueRead {
    due: Due,
    /// Since when it waits, or waited.
    queued: Instant,
    /// Requests that were made for it before it waits again.
    requests: u64,
    begun: Option<BegunRead>,
}

struct BegunRead {
    kind: ReadKind,
    lane: Arc<Lane>,
    /// The files that the ledger watched when it began.
    watched: Arc<HashSet<FileKey>>,
}

impl DueRead {
    fn new(due: Due) -> Self {
        Self {
            due,
            queued: Moment::now().steady,
            requests: 0,
            begun: None,
        }
    }
}

impl Folder {
    /// Whether a read is queued or under way, or has a refusal that is not explained yet.
    pub fn is_being_read(&self) -> bool {
        self.read.is_some()
    }

    /// Whether it is collected, and nothing is queued or under way.
    pub fn is_idle(&self) -> bool {
        self.is_collected() && !self.is_being_read()
    }

    /// A read is due: it waits.
    pub fn queue(&mut self, due: Due) {
        self.read = Some(Box::new(DueRead::new(due)));
    }

    /// The folder presses by now, while its read waits that was due.
    pub fn press(&mut self, due: Due) -> Due {
        let due = Due {
            need: Need::Pressing,
            ..due
        };
        if let Some(read) = &mut self.read {
            read.due = due;
        }
        due
    }

    /// How a read of it waits.
    pub fn queued(&self, kind: ReadKind, due: Due) -> QueuedRead {
        QueuedRead {
            due,
            folder: self.view.id,
            kind,
            is_slow: self.slow,
        }
    }

    /// The read goes on as another one, for which requests were made already; returns when it was due.
    pub fn queue_again(&mut self, requests: u64) -> Due {
        let now = Due {
            need: Need::Pressing,
            at: Moment::now().steady,
        };
        let read = self.read.get_or_insert_with(|| Box::new(DueRead::new(now)));
        read.requests = requests;
        read.queued = now.at;
        read.begun = None;
        read.due
    }

    /// The read begins: returns the requests that were made for it before; `None` if it is not wanted any more.
    pub fn start(
        &mut self,
        kind: ReadKind,
        lane: &Arc<Lane>,
        watched: &Arc<HashSet<FileKey>>,
    ) -> Option<u64> {
        if !self.is_collected() {
            self.read = None;
        }
        let read = self.read.as_mut()?;
        read.begun = Some(BegunRead {
            kind,
            lane: Arc::clone(lane),
            watched: Arc::clone(watched),
        });
        self.read_log.begin(Moment::now().steady);
        Some(read.requests)
    }

    /// Since when its read waits, if it does.
    pub fn waits_since(&self) -> Option<Instant> {
        let read = self.read.as_ref()?;
        read.begun.is_none().then_some(read.queued)
    }

    fn begun(&self) -> Option<&BegunRead> {
        self.read.as_ref().and_then(|read| read.begun.as_ref())
    }

    /// Shows that it cannot be read, if the requests of its read have failed for so long. The read may still succeed. A walk is no count.
    pub fn show_failing(&mut self, time: Duration) -> bool {
        let begun = self.begun().filter(|begun| begun.kind != ReadKind::Walk);
        let failing = begun.and_then(|begun| begun.lane.failed_for(time));
        let is_failing = failing.is_some() && self.is_collected();
        if let Some(error) = failing.filter(|_| is_failing) {
            self.unavailable(Unavailable::Error, error);
        }
        is_failing
    }

    /// The read ended; returns the files that the ledger watched when it began.
    pub(super) fn take_read(&mut self) -> Arc<HashSet<FileKey>> {
        let begun = self.read.take().and_then(|read| read.begun);
        begun.map_or_else(Arc::default, |begun| begun.watched)
    }

    /// What was under way is lost.
    pub fn forget_read(&mut self) {
        if self.begun().is_some() {
            self.read_log.end(ReadOutcome::Failed);
        }
        self.read = None;
        self.show_scan(None);
    }

    /// No read is made, because the portal cannot be read.
    pub fn give_up_read(&mut self) -> ReadOutcome {
        self.forget_read();
        self.portal_failed();
        ReadOutcome::Failed
    }
}
