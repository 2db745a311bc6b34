//! Which requests a fault strikes.

use axum::http::Uri;
use uuid::Uuid;

use crate::query::file_query;

/// The requests that a fault strikes.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    target: Target,
    turn: Turn,
    /// Requests for the target so far.
    seen: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    All,
    List,
    Files,
    Folder(Uuid),
    /// One page of a folder's files.
    Page(Uuid, u64),
    /// What puts failed files back into the queue, of any folder.
    ReindexFailed,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Turn {
    Each,
    Nth(u64),
    Chance(f64),
}

impl Scope {
    pub fn each(target: Target) -> Self {
        Self::new(target, Turn::Each)
    }

    /// One request for a target alone: the first is 1.
    pub fn nth(target: Target, number: u64) -> Self {
        Self::new(target, Turn::Nth(number))
    }

    /// Each request for a target with a probability from 0 to 1.
    pub fn chance(target: Target, probability: f64) -> Self {
        Self::new(target, Turn::Chance(probability))
    }

    fn new(target: Target, turn: Turn) -> Self {
        Self {
            target,
            turn,
            seen: 0,
        }
    }

    pub(super) fn strikes(&mut self, asked: &Asked, random: &mut fastrand::Rng) -> bool {
        if !self.target.is(asked) {
            return false;
        }
        self.seen += 1;
        match &self.turn {
            Turn::Each => true,
            Turn::Nth(number) => *number == self.seen,
            Turn::Chance(probability) => random.f64() < *probability,
        }
    }
}

impl Target {
    fn is(self, asked: &Asked) -> bool {
        match self {
            Self::All => true,
            Self::List => asked.list,
            Self::Files => asked.folder.is_some(),
            Self::Folder(folder) => asked.folder == Some(folder),
            Self::Page(folder, page) => asked.folder == Some(folder) && asked.page == page,
            Self::ReindexFailed => asked.reindex_failed,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Asked {
    pub list: bool,
    pub reindex_failed: bool,
    /// The folder whose files are asked for.
    pub folder: Option<Uuid>,
    pub page: u64,
}

impl Asked {
    pub fn of(uri: &Uri) -> Self {
        let mut segments = uri.path().rsplit('/');
        let (last, before) = (segments.next(), segments.next());
        let files = last == Some("files");
        Self {
            list: last == Some("mine"),
            reindex_failed: last == Some("reindex-failed"),
            folder: before
                .filter(|_| files)
                .and_then(|folder| folder.parse().ok()),
            page: file_query(uri.query().unwrap_or_default()).page.page as u64,
        }
    }
}
