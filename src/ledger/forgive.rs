//! What people take back: limits pass over what was before. The facts stay where they are.
//!
//! A request is a row in the table `forgiven`, which any process may write. The program that holds the ledger takes it in before it
//! decides the next time, or at its next start.

use std::collections::HashMap;
use std::fmt;

use crate::classify::Class;
use crate::model::{FolderId, Timestamp};

/// What people take back in a portal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forgiven {
    /// All of what follows, but for [`Self::Clock`].
    Everything,
    /// The cooldown of a folder, and the attempts that its files have behind them.
    Folder(FolderId),
    /// What attempts told of a class of error.
    Class(Class),
    /// What the breaker, and the pause of a portal that does not carry out requests, are made from.
    Breaker,
    /// Times in the future: they were written by a clock that was ahead, and are taken for the time of the request.
    Clock,
}

impl Forgiven {
    pub(super) fn words(&self) -> (&'static str, Option<String>) {
        match self {
            Self::Everything => ("everything", None),
            Self::Folder(folder) => ("folder", Some(folder.to_string())),
            Self::Class(class) => ("class", Some(class.as_str().to_owned())),
            Self::Breaker => ("breaker", None),
            Self::Clock => ("clock", None),
        }
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

/// What people took back, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forgiveness {
    /// Attempts that were made until then are passed over.
    pub at: Timestamp,
    /// What they took back.
    pub what: Forgiven,
}

/// Until when attempts are passed over, by what asks for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PassedOver {
    everything: Option<Timestamp>,
    breaker: Option<Timestamp>,
    folders: HashMap<FolderId, Timestamp>,
    classes: HashMap<Class, Timestamp>,
}

impl PassedOver {
    pub fn note(&mut self, Forgiveness { at, what }: &Forgiveness) {
        match what {
            Forgiven::Everything => self.everything = self.everything.max(Some(*at)),
            Forgiven::Breaker => self.breaker = self.breaker.max(Some(*at)),
            Forgiven::Folder(folder) => {
                let until = self.folders.entry(*folder).or_insert(*at);
                *until = (*until).max(*at);
            }
            Forgiven::Class(class) => {
                let until = self.classes.entry(class.clone()).or_insert(*at);
                *until = (*until).max(*at);
            }
            Forgiven::Clock => {}
        }
    }

    /// For limits of a folder.
    pub fn folder(&self, folder: FolderId) -> Option<Timestamp> {
        self.everything.max(self.folders.get(&folder).copied())
    }

    /// For what is known of a class.
    pub fn class(&self, class: &Class) -> Option<Timestamp> {
        self.everything.max(self.classes.get(class).copied())
    }

    /// For the breaker.
    pub fn breaker(&self) -> Option<Timestamp> {
        self.everything.max(self.breaker)
    }

    /// Moves every time by so many milliseconds.
    pub fn moved(&self, by: i64) -> Self {
        let moved = |time: Timestamp| time.moved(by);
        Self {
            everything: self.everything.map(moved),
            breaker: self.breaker.map(moved),
            folders: self
                .folders
                .iter()
                .map(|(id, time)| (*id, moved(*time)))
                .collect(),
            classes: self
                .classes
                .iter()
                .map(|(class, time)| (class.clone(), moved(*time)))
                .collect(),
        }
    }
}
