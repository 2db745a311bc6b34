//! What came of a request to reindex failed files.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What came of the request of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Nothing was sent: reindexing was stopped after the intent was written, that took too long, or there was no connection.
    NotSent,
    /// The portal answered 200 with a number.
    Accepted {
        /// How many files it says it queued.
        updated: u64,
    },
    /// The portal answered 4xx: nothing was queued.
    Refused {
        status: u16,
        /// What `Retry-After` asked for.
        retry_after: Option<Duration>,
    },
    /// Files may have been queued. It is charged, and not sent again before its cooldown.
    Unknown {
        /// Why it is not known.
        why: Lost,
    },
}

impl Outcome {
    /// A word for each. Those of requests that were sent are values of the label `result` of `kb_reindex_attempts_total`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotSent => "not_sent",
            Self::Accepted { .. } => "accepted",
            Self::Refused { .. } => "refused",
            Self::Unknown { .. } => "unknown",
        }
    }

    /// For how long the portal asked to be left alone, if it said that it has too much to do.
    pub fn asks_for_rest(self) -> Option<Duration> {
        let (Self::Refused {
            status: 429,
            retry_after,
        }
        | Self::Unknown {
            why:
                Lost::Status {
                    status: 503,
                    retry_after,
                },
        }) = self
        else {
            return None;
        };
        retry_after
    }

    /// Whether files may have been queued: only then is an attempt charged, and its files are watched.
    pub const fn is_charged(self) -> bool {
        matches!(self, Self::Accepted { .. } | Self::Unknown { .. })
    }
}

/// Why the result of a request is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lost {
    /// No answer came: the time ran out, or the connection was cut.
    NoAnswer,
    /// An answer with a status such as 5xx, after which files may have been queued or not.
    Status {
        status: u16,
        /// What `Retry-After` asked for.
        retry_after: Option<Duration>,
    },
    /// 200 without a readable `updated`.
    Unreadable,
    /// The program ended, or gave up, between the intent and the answer.
    Interrupted,
}
