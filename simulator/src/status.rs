//! Processing states (docs/portal.md, Statuses).

use std::sync::Arc;

use serde::{Serialize, Serializer};

/// Processing state of a file, `indexStatus` in its row.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    Pending,
    Processing,
    Done,
    /// Processing failed; the row gives a reason.
    Failed,
    /// Set aside for an administrator; the row gives a reason.
    Flagged,
    /// A state that docs/portal.md does not name, as a later portal may send it.
    Other(Arc<str>),
    /// The row says `null`.
    Null,
}

impl Status {
    /// The states that docs/portal.md names, in its order.
    pub const KNOWN: [Self; 5] = [
        Self::Pending,
        Self::Processing,
        Self::Done,
        Self::Failed,
        Self::Flagged,
    ];

    /// What stands in the row: `None` is `null`.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Pending => Some("pending"),
            Self::Processing => Some("processing"),
            Self::Done => Some("done"),
            Self::Failed => Some("failed"),
            Self::Flagged => Some("flagged"),
            Self::Other(name) => Some(name),
            Self::Null => None,
        }
    }
}

impl Serialize for Status {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.name().serialize(serializer)
    }
}

impl From<&str> for Status {
    fn from(name: &str) -> Self {
        Self::KNOWN
            .into_iter()
            .find(|known| known.name() == Some(name))
            .unwrap_or_else(|| Self::Other(name.into()))
    }
}
