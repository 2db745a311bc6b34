//! One file of a synthetic folder: everything about it follows from its number and its status.

use chrono::{DateTime, TimeDelta, Utc};
use fastrand::Rng;
use uuid::Uuid;

use crate::reasons::{Reason, random_uuid};
use crate::status::Status;

/// Size of every file, in bytes.
pub(crate) const SIZE: u64 = 1_000;

/// How long before the folder's own time the oldest file came to it, in seconds.
const OLDEST: u64 = 365 * 24 * 3_600;

/// Why files fail: a few reasons, as in one folder in one week.
const FAILURES: [Reason; 4] = [
    Reason::OCR_TIMEOUT,
    Reason::EMBEDDING_UNAVAILABLE,
    Reason::PASSWORD,
    Reason::WORKER_LOST,
];

const SUSPICIONS: [Reason; 2] = [Reason::INSTRUCTION, Reason::HIDDEN_TEXT];

/// One file of a synthetic folder.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct File<'a> {
    pub link_id: Uuid,
    pub id: Uuid,
    /// Place in the order of names.
    pub number: u64,
    pub created: DateTime<Utc>,
    pub status: &'a Status,
    /// What the reason is drawn from.
    chance: u64,
}

impl<'a> File<'a> {
    pub(super) fn new(seed: u64, born: DateTime<Utc>, number: u64, status: &'a Status) -> Self {
        let mut rng = Rng::with_seed(seed.wrapping_add(number));
        let age = TimeDelta::seconds(rng.u64(..OLDEST).cast_signed());
        Self {
            link_id: random_uuid(&mut rng),
            id: random_uuid(&mut rng),
            number,
            created: born - age,
            status,
            chance: rng.u64(..),
        }
    }

    pub fn filename(&self) -> String {
        format!("Report {:012}.pdf", self.number)
    }

    /// Why it failed or was set aside; none in any other status.
    pub fn error(&self) -> Option<String> {
        let mut rng = Rng::with_seed(self.chance);
        let reason = match self.status {
            Status::Failed => rng.choice(FAILURES),
            Status::Flagged => rng.choice(SUSPICIONS),
            _ => None,
        };
        reason.map(|reason| reason.text(&mut rng))
    }
}
