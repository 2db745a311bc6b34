//! The read of a folder: from when it is due until its result is known.

use std::collections::HashSet;
use std::sync::Arc;

use tokio::time::Instant;

use crate::clock::Moment;
use crate::collect::due::ReadOutcome;
use crate::collect::folder::Folder;
use crate::collect::queue::{Due, Need};
use crate::model::FileKey;
use crate::portal::{Lane, Session};

/// Reads that go on at once, at most: enough for every row that is remembered.
const MOST_READS_ON: u32 = 12;

#[derive(Default)]
pub(super) enum ReadState {
    #[default]
    Idle,
    Queued {
        due: Due,
        since: Instant,
        /// Requests that were made for it before.
        requests: u64,
    },
    Reading {
        due: Due,
        queued: Instant,
        session: Arc<Session>,
        lane: Arc<Lane>,
        /// The files that the ledger watched when it began.
        watched: Arc<HashSet<FileKey>>,
    },
}

impl Folder {
    /// Whether a read is queued or under way, or has a refusal that is not explained yet.
    pub fn is_being_read(&self) -> bool {
        !matches!(self.read, ReadState::Idle)
    }

    /// Whether it is collected, and nothing is queued or under way.
    pub fn is_idle(&self) -> bool {
        self.is_collected() && !self.is_being_read()
    }

    /// When the read was due that waits for its turn; none if there is no such read.
    pub fn queued_since(&self) -> Option<Due> {
        match self.read {
            ReadState::Queued { due, .. } => Some(due),
            _ => None,
        }
    }

    /// A read is due: it waits for its turn.
    pub fn queue(&mut self, due: Due) {
        self.read = ReadState::Queued {
            due,
            since: Moment::now().steady,
            requests: 0,
        };
        self.times_read_on = 0;
    }

    /// The read goes on as another one, for which requests were made already; returns when it was due.
    pub fn queue_again(&mut self, requests: u64) -> Due {
        let now = Moment::now().steady;
        let at_once = Due {
            need: Need::Pressing,
            at: now,
        };
        let (due, since) = match self.read {
            ReadState::Idle => (at_once, now),
            ReadState::Queued { due, since, .. } => (due, since),
            ReadState::Reading { due, queued, .. } => (due, queued),
        };
        self.read = ReadState::Queued {
            due,
            since,
            requests,
        };
        self.times_read_on += 1;
        due
    }

    /// It is the turn of the read: returns the requests that were made for it before; `None` if it is not wanted any more.
    pub fn start(
        &mut self,
        session: &Arc<Session>,
        lane: &Arc<Lane>,
        watched: &Arc<HashSet<FileKey>>,
    ) -> Option<u64> {
        let ReadState::Queued {
            due,
            since,
            requests,
        } = self.read
        else {
            return None;
        };
        if !self.is_collected() {
            self.read = ReadState::Idle;
            return None;
        }
        self.read = ReadState::Reading {
            due,
            queued: since,
            session: Arc::clone(session),
            lane: Arc::clone(lane),
            watched: Arc::clone(watched),
        };
        self.read_log.begin(since, Moment::now().steady);
        Some(requests)
    }

    /// The session of the read that is under way.
    pub fn session(&self) -> Option<Arc<Session>> {
        match &self.read {
            ReadState::Reading { session, .. } => Some(Arc::clone(session)),
            _ => None,
        }
    }

    /// Whether the read that is under way is answered slowly compared with others, or the last one was.
    pub fn is_slow(&self) -> bool {
        match &self.read {
            ReadState::Reading { session, lane, .. } => session.is_slow(lane),
            ReadState::Idle | ReadState::Queued { .. } => self.slow,
        }
    }

    /// Whether the read presses that waits or is under way.
    pub fn presses(&self) -> bool {
        match &self.read {
            ReadState::Idle => false,
            ReadState::Queued { due, .. } | ReadState::Reading { due, .. } => {
                due.need == Need::Pressing
            }
        }
    }

    /// Whether a read that counted the folder goes on with rows of failed and flagged files that no read has listed.
    pub fn has_more_to_read(&self) -> bool {
        self.times_read_on < MOST_READS_ON && self.persisted.has_unread_rows()
    }

    /// The read ended; returns the files that the ledger watched when it began.
    pub(super) fn take_read(&mut self) -> Arc<HashSet<FileKey>> {
        match std::mem::take(&mut self.read) {
            ReadState::Reading { watched, .. } => watched,
            ReadState::Idle | ReadState::Queued { .. } => Arc::default(),
        }
    }

    /// What was under way is lost.
    pub fn forget_read(&mut self) {
        if matches!(self.read, ReadState::Reading { .. }) {
            self.read_log.end(ReadOutcome::Failed, false);
        }
        self.read = ReadState::Idle;
        self.show_scan(None);
    }

    /// No read is made, because the portal cannot be read.
    pub fn give_up_read(&mut self) -> ReadOutcome {
        self.forget_read();
        self.portal_failed();
        ReadOutcome::Failed
    }
}
