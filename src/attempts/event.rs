//! What happened.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::attempts::attempt::{AttemptId, Intent};
use crate::attempts::outcome::{FileState, Verdict};
use crate::attempts::track::Forgiveness;
use crate::attempts::view::LedgerView;
use crate::model::{FileKey, FolderId, Outcome, Timestamp};

/// A fact about the attempts in a portal, in the order in which they became known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The ledger met the portal: it knows nothing from before.
    Met { at: Timestamp },
    /// An attempt is about to be made. Its request is sent after this was written.
    Intended(Intent),
    /// What came of the request.
    Settled {
        id: AttemptId,
        at: Timestamp,
        outcome: Outcome,
    },
    /// What a read of the folder showed about an attempt.
    Reviewed {
        id: AttemptId,
        at: Timestamp,
        review: Review,
    },
    /// Files were seen done, or are other files now: their attempts are counted from 0 again.
    Renewed {
        folder: FolderId,
        files: Vec<FileKey>,
    },
    /// People let limits ignore what was before.
    Forgiven(Forgiveness),
    /// The clock was set by `step` milliseconds while the program ran. Every time moves by `by`, so that each limit lasts as long as it should.
    ClockSet { at: Timestamp, step: i64, by: i64 },
    /// The clock that several processes share was set, or the database lost events: limits may have ended early.
    Doubted { at: Timestamp },
    /// What was known, in place of the events that said it. What is known already stays.
    Known(Box<LedgerView>),
}

/// What a read of a folder shows about an attempt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// Files of the attempt whose state changed.
    pub changed: Vec<(FileKey, FileState)>,
    /// The verdict, where it can be given.
    pub verdict: Option<Verdict>,
}

impl Review {
    /// Whether there is nothing to write.
    pub const fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.verdict.is_none()
    }
}

/// An event that does not fit what is known. It is not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Misfit {
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
