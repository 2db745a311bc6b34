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
        if !self.is_collected() {
            return false;
        }
        self.is_being_read = true;
        self.read_log.begin(Moment::now().steady);
        true
    }

    /// Shows that it cannot be read, although its read goes on, and may still succeed.
    pub fn show_failing(&mut self, error: String) -> ReadOutcome {
        if self.is_collected() {
            self.unavailable(Unavailable::Error, error);
        }
        ReadOutcome::Failed
    }

    /// The read ended.
    pub fn end_read(&mut self, outcome: ReadOutcome) -> ReadOutcome {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::folder::stored::Stored;
    use crate::collect::queue::Need;
    use crate::history::DepartureReason;
    use crate::model::FolderName;

    #[test]
    fn a_folder_that_returns_while_its_count_waits_is_not_idle() {
        let id = uuid::Uuid::from_u128(7).into();
        let mut folder = Folder::new(id, FolderName::new("Inbox"), Stored::default());
        let now = Moment::now();
        let (need, at) = (Need::Pressing, now.steady);
        folder.queue(Due { need, at });
        folder.leave(DepartureReason::Excluded, now.wall);
        assert!(!folder.start(ReadKind::Walk(Walk::WithReason)));
        folder.come_back();
        assert!(!folder.is_idle());
    }
}
