//! Which requests a fault strikes.

use std::time::{Duration, Instant};

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
    /// The pages of a folder's files behind this one.
    PagesBehind(Uuid, u64),
    /// What puts failed files back into the queue, of any folder.
    ReindexFailed,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Turn {
    Each,
    Nth(u64),
    Chance(f64),
    Beyond(Allowance),
}

/// Requests that are passed: a burst after a pause, and one in each gap.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Allowance {
    gap: Duration,
    at_once: u32,
    /// When all of them are there again.
    whole: Option<Instant>,
}

impl Allowance {
    fn passes(&mut self, now: Instant) -> bool {
        let whole = self.whole.map_or(now, |whole| whole.max(now));
        let passes = whole.duration_since(now) <= self.gap * (self.at_once - 1);
        if passes {
            self.whole = Some(whole + self.gap);
        }
        passes
    }
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

    /// What a steady limit refuses: requests for a target above a rate, with bursts of a limited size.
    pub fn beyond(target: Target, per_second: u32, at_once: u32) -> Self {
        let allowance = Allowance {
            gap: Duration::from_secs(1) / per_second.max(1),
            at_once: at_once.max(1),
            whole: None,
        };
        Self::new(target, Turn::Beyond(allowance))
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
        match &mut self.turn {
            Turn::Each => true,
            Turn::Nth(number) => *number == self.seen,
            Turn::Chance(probability) => random.f64() < *probability,
            Turn::Beyond(allowance) => !allowance.passes(Instant::now()),
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
            Self::PagesBehind(folder, page) => asked.folder == Some(folder) && asked.page > page,
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
