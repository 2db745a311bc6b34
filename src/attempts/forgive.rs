//! What people forgive: limits ignore what was before. The facts stay where they are.
//!
//! Any process may add the event. The one that acts reads it before it decides the next time.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::classify::Class;
use crate::model::{FolderId, Timestamp};

/// What people forgive in a portal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Forgiven {
    /// All of the following except [`Self::Clock`], and the pause of a portal that does not carry out requests.
    Everything,
    /// The cooldown of a folder, and the attempts of its files.
    Folder(FolderId),
    /// The results of the files of a class of error.
    Class(Class),
    /// Times in the future: they were written by a clock that was ahead, and are replaced by the time of the request.
    Clock,
}

impl fmt::Display for Forgiven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everything => f.write_str("everything"),
            Self::Folder(folder) => write!(f, "folder {folder}"),
            Self::Class(class) => write!(f, "class {class}"),
            Self::Clock => f.write_str("clock"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forgiveness {
    /// Limits ignore attempts that were made until then.
    pub at: Timestamp,
    pub what: Forgiven,
}

/// Until when each limit ignores attempts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ForgivenUntil(BTreeMap<Forgiven, Timestamp>);

impl ForgivenUntil {
    pub fn note(&mut self, Forgiveness { at, what }: &Forgiveness) {
        let until = self.0.entry(what.clone()).or_insert(*at);
        *until = (*until).max(*at);
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Forgiven, &Timestamp)> {
        self.0.iter()
    }

    /// With every time moved by this number of milliseconds.
    pub fn moved(&self, by: i64) -> Self {
        let moved = self.iter().map(|(what, at)| (what.clone(), at.moved(by)));
        Self(moved.collect())
    }

    /// For limits that read what `what` names.
    pub fn get(&self, what: &Forgiven) -> Option<Timestamp> {
        let all = self.0.get(&Forgiven::Everything).copied();
        all.max(self.0.get(what).copied())
    }
}
