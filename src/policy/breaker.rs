//! When attempts in a portal stop for want of effect.

use std::collections::{BTreeMap, BTreeSet};

use crate::classify::Class;
use crate::config::{Breaker, ReindexRules};
use crate::ledger::{ActiveMode, Attempt, LedgerView, Track, Verdict};
use crate::model::{FolderId, Timestamp};
use crate::policy::class::{ClassState, Response};

/// What the breaker of a portal says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerState {
    /// Attempts have effect, or there were too few to tell.
    Closed,
    /// The last attempts had no effect, or who tried whether they have one again could not show it: none is made.
    Open {
        /// Until then.
        until: Timestamp,
    },
    /// One folder may try. What comes of it closes the breaker or opens it anew.
    HalfOpen {
        /// Not the one that failed last.
        but: FolderId,
    },
}

/// So many attempts are read for each one of `no_effect`, the newest.
const LOOKED_AT: usize = 20;

impl BreakerState {
    /// Reads the state from the verdicts: how many folders in a row were tried for one class without effect, each counted once. What any
    /// attempt brought back ends every row. Classes that do not respond are no reason to stop the others: they are passed over, as is
    /// what tells nothing.
    #[must_use]
    pub fn of(ledger: &LedgerView, mode: ActiveMode, rules: &Breaker, now: Timestamp) -> Self {
        let track = ledger.track(mode);
        let wanted = usize::try_from(rules.no_effect.get()).unwrap_or(usize::MAX);
        let mut rows = Rows::new(ledger);
        for attempt in track.judged().take(wanted.saturating_mul(LOOKED_AT)) {
            let Some((at, verdict)) = attempt.verdict() else {
                continue;
            };
            match verdict {
                Verdict::Inconclusive => continue,
                Verdict::Recovered | Verdict::Partial => break,
                Verdict::None => rows.add(attempt, at),
            }
            if let Some((at, but)) = rows.longest(wanted) {
                return Self::opened(track, at.after(rules.open_for), but, rules, now);
            }
        }
        Self::Closed
    }

    /// The state of a breaker that was to stay open until then. Who tried since, and did not show that attempts have an effect
    /// again, keeps it open for as long anew.
    fn opened(
        track: &Track,
        until: Timestamp,
        but: FolderId,
        rules: &Breaker,
        now: Timestamp,
    ) -> Self {
        let tried = track
            .within(rules.open_for, now)
            .filter(|attempt| attempt.intended >= until && !attempt.is_unjudged())
            .map(|attempt| attempt.intended.after(rules.open_for));
        let until = tried.fold(until, Timestamp::max);
        if now < until {
            Self::Open { until }
        } else {
            Self::HalfOpen { but }
        }
    }

    /// Whether attempts have had no effect, and nothing has shown since that they have one again: the metric
    /// `kb_reindex_breaker_open`.
    #[must_use]
    pub const fn is_open(self) -> bool {
        !matches!(self, Self::Closed)
    }

    /// Whether an attempt may be made in a folder now: while the breaker is half-open, only one at a time, and not where the last one
    /// failed before the longest pause is over.
    #[must_use]
    pub fn allows(
        self,
        track: &Track,
        folder: FolderId,
        rules: &ReindexRules,
        now: Timestamp,
    ) -> bool {
        match self {
            Self::Closed => true,
            Self::Open { .. } => false,
            Self::HalfOpen { but } => {
                let last = track.last_of(folder).map(|last| last.intended);
                let rested = last.is_none_or(|last| now >= last.after(rules.max_cooldown));
                track.unjudged_count() == 0 && (folder != but || rested)
            }
        }
    }
}

/// The newest attempts without effect, by class.
struct Rows<'a> {
    ledger: &'a LedgerView,
    rows: BTreeMap<Option<Class>, Row>,
}

/// Those of one class. Attempts of which no class is known are a row of their own.
struct Row {
    counts: bool,
    folders: BTreeSet<FolderId>,
    newest: (Timestamp, FolderId),
}

impl<'a> Rows<'a> {
    const fn new(ledger: &'a LedgerView) -> Self {
        Self {
            ledger,
            rows: BTreeMap::new(),
        }
    }

    fn add(&mut self, attempt: &Attempt, at: Timestamp) {
        if attempt.classes.is_empty() {
            self.add_to(None, attempt.folder, at);
        }
        let track = self.ledger.track(attempt.mode());
        let failed = attempt.classes.iter().filter(|fate| fate.refailed > 0);
        for fate in failed.filter(|fate| track.counts_for(&fate.class, attempt)) {
            self.add_to(Some(fate.class.clone()), attempt.folder, at);
        }
    }

    fn add_to(&mut self, class: Option<Class>, folder: FolderId, at: Timestamp) {
        let responds =
            |class: &Class| ClassState::of(self.ledger, class).response != Response::Unresponsive;
        let row = self.rows.entry(class).or_insert_with_key(|class| Row {
            counts: class.as_ref().is_none_or(responds),
            folders: BTreeSet::new(),
            newest: (at, folder),
        });
        row.folders.insert(folder);
    }

    /// The newest attempt of a row with so many folders.
    fn longest(&self, wanted: usize) -> Option<(Timestamp, FolderId)> {
        let long = |row: &&Row| row.counts && row.folders.len() >= wanted;
        self.rows.values().find(long).map(|row| row.newest)
    }
}
