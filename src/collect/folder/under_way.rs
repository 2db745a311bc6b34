//! Whether a read of a folder waits, or is under way.

use crate::clock::Moment;
use crate::collect::due::ReadOutcome;
use crate::collect::folder::Folder;
use crate::collect::queue::{Due, QueuedRead, ReadKind, Walk};
use crate::snapshot::Unavailable;

impl Folder {
    /// Whether it is collected, and nothing is queued or under way.
    pub fn is_idle(&self) -> bool {
        self.is_collected() && !self.is_being_read
    }

    /// A count is due.
    pub fn queue(&mut self, due: Due) -> QueuedRead {
        self.is_being_read = true;
        QueuedRead {
            is_slow: self.slow,
            ..QueuedRead::new(self.view.id, ReadKind::Count, due)
        }
    }

    /// A read begins; returns false if it is not wanted any more.
    pub fn start(&mut self, kind: ReadKind) -> bool {
        if kind == ReadKind::Walk(Walk::AllRows) {
            return self.is_there();
        }
        self.is_being_read = self.is_collected();
        if self.is_being_read {
            self.read_log.begin(Moment::now().steady);
        }
        self.is_being_read
    }

    /// Shows that it cannot be read, although its read goes on, and may still succeed.
    pub fn show_failing(&mut self, error: String) -> ReadOutcome {
        if self.is_collected() {
            self.unavailable(Unavailable::Error, error);
        }
        ReadOutcome::Failed
    }

    /// The read ended.
    pub(super) fn end_read(&mut self, outcome: ReadOutcome) -> ReadOutcome {
        self.is_being_read = false;
        self.read_log.end(outcome);
        outcome
    }

    /// What was queued or under way is lost.
    pub fn forget_read(&mut self) -> ReadOutcome {
        self.show_scan(None);
        self.end_read(ReadOutcome::Failed)
    }
}
