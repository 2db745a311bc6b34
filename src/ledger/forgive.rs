//! What people forgive: limits ignore what was before. The facts stay where they are.
//!
//! A request is a row in the table `forgiven`, which any process may write. The program that holds the ledger takes it in before it
//! decides the next time, or at its next start.

use std::collections::HashMap;
use std::fmt;

use crate::classify::Class;
use crate::model::{FolderId, Timestamp};

/// What people forgive in a portal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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

impl Forgiven {
    /// The columns `kind` and `target`.
    pub(super) fn words(&self) -> (&'static str, Option<String>) {
        match self {
            Self::Everything => ("everything", None),
            Self::Folder(folder) => ("folder", Some(folder.to_string())),
            Self::Class(class) => ("class", Some(class.as_str().to_owned())),
            Self::Clock => ("clock", None),
        }
    }

    /// Reads the columns `kind` and `target`.
    pub(super) fn from_words(kind: &str, target: Option<&str>) -> Option<Self> {
        Some(match (kind, target) {
            ("everything", None) => Self::Everything,
            ("folder", Some(id)) => Self::Folder(FolderId::parse(id)?),
            ("class", Some(label)) => Self::Class(Class::from_label(label)),
            ("clock", None) => Self::Clock,
            _ => return None,
        })
    }
}

impl fmt::Display for Forgiven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.words() {
            (kind, Some(target)) => write!(f, "{kind} {target}"),
            (kind, None) => f.write_str(kind),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forgiveness {
    /// Limits ignore attempts that were made until then.
    pub at: Timestamp,
    pub what: Forgiven,
}

/// Until when each limit ignores attempts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ForgivenUntil(HashMap<Forgiven, Timestamp>);

impl ForgivenUntil {
    pub fn note(&mut self, Forgiveness { at, what }: &Forgiveness) {
        let until = self.0.entry(what.clone()).or_insert(*at);
        *until = (*until).max(*at);
    }

    /// For limits that read what `what` names.
    pub fn get(&self, what: &Forgiven) -> Option<Timestamp> {
        let all = self.0.get(&Forgiven::Everything).copied();
        all.max(self.0.get(what).copied())
    }
}
