//! What can be written to the ledger.

use std::collections::HashSet;
use std::time::Duration;

use thiserror::Error;

use crate::classify::Class;
use crate::ledger::attempt::Intent;
use crate::ledger::forgive::Forgiveness;
use crate::ledger::mode::AttemptId;
use crate::ledger::outcome::{FileState, Outcome, Verdict};
use crate::model::{FileKey, FolderId, Timestamp};

/// One change of the ledger: one transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// An attempt is about to be made.
    Intend {
        /// The number that it gets.
        id: AttemptId,
        /// What is about to be attempted.
        intent: Intent,
    },
    /// What came of its request is known.
    Settle {
        /// The attempt.
        id: AttemptId,
        /// Now.
        at: Timestamp,
        /// What came of it.
        outcome: Outcome,
    },
    /// More is known of its files.
    Review {
        /// The attempt.
        id: AttemptId,
        /// Now.
        at: Timestamp,
        /// What is known.
        review: Review,
    },
    /// Files were seen done, or are not there any more: their attempts start anew.
    Renew {
        /// Their folder.
        folder: FolderId,
        /// The files.
        files: Vec<FileKey>,
    },
    /// People took something back.
    Forgive {
        /// The number of their request.
        id: i64,
        /// What they took back.
        forgiveness: Forgiveness,
    },
    /// What no limit can ask for any more goes.
    Tidy(Tidy),
}

/// What a read of a folder tells about an attempt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Review {
    /// Files of the attempt whose state is another one now.
    pub changed: Vec<(FileKey, FileState)>,
    /// The verdict, where it can be given.
    pub verdict: Option<Verdict>,
}

impl Review {
    /// Whether there is nothing to write.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.verdict.is_none()
    }
}

/// What is needed to tell what may go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tidy {
    /// Now.
    pub at: Timestamp,
    /// The longest time that any limit looks back. Counted from the newest entry, so that a clock that jumped forward
    /// forgets nothing.
    pub horizon: Duration,
    /// The folders that the portal lists.
    pub listed: HashSet<FolderId>,
}

/// A change that does not fit what is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Misfit {
    /// There is no such attempt.
    #[error("there is no attempt {0}")]
    NoAttempt(AttemptId),
    /// The attempt is not at the point where this can happen.
    #[error("attempt {0} is already further than that, or not yet so far")]
    WrongCourse(AttemptId),
    /// A second attempt in a folder whose last one has no verdict yet.
    #[error("attempt {0} in the same folder has not been judged yet")]
    Unjudged(AttemptId),
    /// The ledger was changed since the decision that leads to an attempt.
    #[error("the ledger was changed since the attempt was decided on")]
    Changed,
}

/// What a change touched: what the disk has to store, or to forget where the view does not have it any more.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Touched {
    pub folders: Vec<FolderId>,
    pub attempts: Vec<AttemptId>,
    /// Files whose state in an attempt changed.
    pub states: Vec<(AttemptId, FileKey)>,
    /// Files whose number of attempts changed.
    pub tries: Vec<(FolderId, FileKey)>,
    /// Classes whose counters changed.
    pub classes: Vec<Class>,
    /// Whether the time changed at which the portal was met.
    pub met: bool,
    /// The request of people that was taken in, and until when attempts are passed over for it.
    pub forgiven: Option<(i64, Timestamp)>,
}
