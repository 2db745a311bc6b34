//! Whether a retry helps the files of a class, and when the next one may be tried.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::classify::Class;
use crate::config::ReindexRules;
use crate::ledger::{ActiveMode, Attempt, ClassFate, LedgerView, Track};
use crate::model::{FolderId, Timestamp};
use crate::policy::cooldown::{after, doubled};

/// As many files of the newest attempts tell whether a class responds.
const WINDOW: f64 = 20.0;

/// Files of one attempt that count at most: they were sent together, so they do not tell independently of each other.
const MOST_OF_ONE: f64 = 8.0;

/// A class does not respond when its success rate is below this.
const RATE: f64 = 0.2;

/// The quantile of the normal distribution for the bounds on the success rate: 95 % lie within both.
const QUANTILE: f64 = 1.96;

/// A class of which no file ever came back does not respond after attempts in so many folders, however few their files.
const FOLDERS: usize = 3;

/// Whether retries help the files of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Response {
    /// They were sent often enough, and hardly ever came back.
    Unresponsive,
    /// It cannot be told.
    Unknown,
    /// They come back.
    Responsive,
}

impl Response {
    /// Reads it from the newest attempts that tell something, newest first: the folder, and what became of the files.
    pub fn of<'a>(attempts: impl IntoIterator<Item = (FolderId, &'a ClassFate)>) -> Self {
        let (mut recovered, mut told) = (0.0, 0.0);
        let mut folders = BTreeSet::new();
        for (folder, fate) in attempts {
            let files = float(fate.recovered + fate.refailed);
            let part = (MOST_OF_ONE.min(WINDOW - told) / files).min(1.0);
            recovered += float(fate.recovered) * part;
            told += files * part;
            folders.insert(folder);
            if told >= WINDOW {
                break;
            }
        }
        let never = recovered <= 0.0 && folders.len() >= FOLDERS;
        if never || upper_bound(recovered, told) < RATE {
            Self::Unresponsive
        } else if recovered > 0.0 && recovered >= RATE * told {
            Self::Responsive
        } else {
            Self::Unknown
        }
    }

    /// The word for people and documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unresponsive => "unresponsive",
            Self::Unknown => "unknown",
            Self::Responsive => "responsive",
        }
    }
}

/// Wilson's upper bound of the success rate; 1 without any trial.
#[must_use]
pub fn upper_bound(successes: f64, trials: f64) -> f64 {
    if trials <= 0.0 {
        return 1.0;
    }
    let rate = successes / trials;
    let square = QUANTILE * QUANTILE;
    let centre = rate + square / (2.0 * trials);
    let spread = (rate * (1.0 - rate) / trials + square / (4.0 * trials * trials)).sqrt();
    (centre + QUANTILE * spread) / (1.0 + square / trials)
}

/// What the ledger knows of a class in one portal.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassState {
    /// Whether retries help.
    pub response: Response,
    /// The newest attempt that sent files of it.
    pub last: Option<Timestamp>,
    /// The share of its files that the next attempt is expected to bring back, from 0 to 1.
    pub expected: f64,
    /// Whether it is known of any attempt whether it brought files back.
    is_known: bool,
    /// How many of the newest attempts in a row brought none back.
    in_vain: u32,
    /// Attempts of which it is not known yet whether they bring any back.
    open: u32,
    /// The newest attempt that brought some back.
    pub(super) helped: Option<Timestamp>,
}

/// Files of a class that failed since its last attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Burst {
    /// The last attempt before them.
    pub after: Option<Timestamp>,
    /// How many.
    pub files: u64,
    /// The first one.
    pub first: Timestamp,
    /// The last one.
    pub newest: Timestamp,
}

/// So many files make a burst: fewer do not tell how often they fail.
const BURST: u64 = 3;

/// A burst is over when nothing failed for so many times the mean time between two failures, and for `min_age`.
const GAPS: u32 = 3;

impl Burst {
    /// Whether the cause seems to have ended: no more files fail with it.
    #[must_use]
    pub fn is_over(&self, min_age: Duration, now: Timestamp) -> bool {
        self.files >= BURST && now.since(self.newest) >= self.quiet(min_age)
    }

    /// Whether more files fail with the cause.
    #[must_use]
    pub fn goes_on(&self, min_age: Duration, now: Timestamp) -> bool {
        self.files >= BURST && now.since(self.newest) < self.quiet(min_age)
    }

    fn quiet(&self, min_age: Duration) -> Duration {
        let gaps = u32::try_from(self.files.saturating_sub(1)).unwrap_or(u32::MAX);
        let gap = self.newest.since(self.first) / gaps.max(1);
        gap.saturating_mul(GAPS).max(min_age)
    }
}

impl ClassState {
    /// Reads the state from the attempts that were sent.
    #[must_use]
    pub fn of(ledger: &LedgerView, class: &Class) -> Self {
        let track = ledger.track(ActiveMode::Enforce);
        let row = evidence(track, class).take_while(|(_, fate)| fate.had_effect() == Some(false));
        let mut helpful = evidence(track, class).filter(|(_, fate)| fate.had_effect() == Some(true));
        let open = track.unjudged().filter(|attempt| {
            let mut fates = attempt.classes.iter();
            fates.any(|fate| fate.class == *class && fate.had_effect().is_none())
        });
        let last = track.of_class(class).next();
        Self {
            response: Response::of(
                evidence(track, class).map(|(attempt, fate)| (attempt.folder, fate)),
            ),
            last: last.map(|(attempt, _)| attempt.intended),
            expected: expected(track, class),
            is_known: evidence(track, class).next().is_some(),
            in_vain: u32::try_from(row.take(32).count()).unwrap_or(u32::MAX),
            open: u32::try_from(open.count()).unwrap_or(u32::MAX),
            helped: helpful.next().map(|(attempt, _)| attempt.intended),
        }
    }

    /// Whether one more folder may try. While more files fail with the cause, none does. At once while files come back; a few folders at
    /// a time while nothing is known; else one at a time, and after an attempt in vain after a pause that doubles, or as soon as no more
    /// files fail with the cause.
    #[must_use]
    pub fn is_ready(&self, burst: Option<&Burst>, rules: &ReindexRules, now: Timestamp) -> bool {
        let burst = burst.filter(|burst| burst.after == self.last);
        let goes_on = |burst: &Burst| {
            burst.goes_on(rules.min_age, now) && now.since(burst.first) < rules.cooldown
        };
        if burst.is_some_and(goes_on) {
            return false;
        }
        if self.comes_back(rules, now) {
            return true;
        }
        if !self.is_known {
            return self.open < few(rules);
        }
        let over = burst.is_some_and(|burst| burst.is_over(rules.min_age, now));
        self.open == 0 && (over || self.has_rested(rules, now))
    }

    /// Whether files came back a short while ago, and none was sent in vain since.
    fn comes_back(&self, rules: &ReindexRules, now: Timestamp) -> bool {
        let recent = |at| now.since(at) < rules.verify_after;
        self.in_vain == 0 && self.helped.is_some_and(recent)
    }

    /// Whether the pause after the last attempts in vain is over.
    fn has_rested(&self, rules: &ReindexRules, now: Timestamp) -> bool {
        let Some(more) = self.in_vain.checked_sub(1) else {
            return true;
        };
        let rests_until = self.last.map(|last| after(last, doubled(rules, more)));
        rests_until.is_none_or(|end| now >= end)
    }

    /// How many of so many files an attempt is expected to bring back. Where it is to show first whether files come back, one file shows as
    /// much as many.
    #[must_use]
    pub fn gain(&self, files: u64, rules: &ReindexRules, now: Timestamp) -> f64 {
        let shows_first = self.is_known && !self.comes_back(rules, now);
        self.expected * float(if shows_first { files.min(1) } else { files })
    }
}

/// How many folders may try at once a class of which nothing is known.
fn few(rules: &ReindexRules) -> u32 {
    rules.breaker.no_effect.get().saturating_sub(1).max(1)
}

/// The attempts that tell something of a class, newest first.
fn evidence<'a>(
    track: &'a Track,
    class: &'a Class,
) -> impl Iterator<Item = (&'a Attempt, &'a ClassFate)> {
    track
        .of_class(class)
        .filter(|(_, fate)| fate.had_effect().is_some())
        .map(|(attempt, fate)| (&**attempt, fate))
}

/// Laplace's estimate of the success rate, from the newest attempts.
fn expected(track: &Track, class: &Class) -> f64 {
    let newest = evidence(track, class).take(5);
    let (recovered, told) = newest.fold((0, 0), |(recovered, told), (_, fate)| {
        (
            recovered + fate.recovered,
            told + fate.recovered + fate.refailed,
        )
    });
    float(recovered + 1) / float(told + 2)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of files are far below 2^52"
)]
const fn float(number: u64) -> f64 {
    number as f64
}
