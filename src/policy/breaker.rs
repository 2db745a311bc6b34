//! When attempts in a portal stop because they have no effect.

use std::collections::{BTreeMap, BTreeSet};

use crate::classify::Class;
use crate::config::{Breaker, ReindexRules};
use crate::ledger::{ActiveMode, Attempt, Judged, LedgerView, Track, Verdict};
use crate::model::{FolderId, Timestamp};
use crate::policy::class::{ClassState, Response};

/// The state of the breaker of a portal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerState {
    /// Attempts have effect, or there were too few to know.
    Closed,
    /// The last attempts had no effect, nor had the trials since: no attempt is made.
    Open { until: Timestamp },
    /// One folder may try. The outcome closes the breaker or opens it again.
    HalfOpen {
        /// Not the one that failed last.
        but: FolderId,
    },
}

/// Number of newest attempts that are read for each one of `no_effect`.
const READ: usize = 20;

/// The newest attempts in a row without effect for one class.
struct Row {
    folders: BTreeSet<FolderId>,
    newest: (Timestamp, FolderId),
}

impl BreakerState {
    /// Reads the state from the verdicts: how many folders in a row were tried for one class without effect, each counted once. An attempt in
    /// which any file recovered ends every row. Classes that do not respond are no reason to stop the others: they are ignored, as are inconclusive
    /// attempts.
    pub fn of(ledger: &LedgerView, mode: ActiveMode, rules: &Breaker, now: Timestamp) -> Self {
        let track = ledger.track(mode);
        let wanted = usize::try_from(rules.no_effect.get()).unwrap_or(usize::MAX);
        let mut rows: BTreeMap<&Class, Row> = BTreeMap::new();
        for attempt in track.judged().take(wanted.saturating_mul(READ)) {
            let Some(Judged { at, verdict, .. }) = attempt.judged else {
                continue;
            };
            match verdict {
                Verdict::Inconclusive => continue,
                Verdict::Recovered | Verdict::Partial => break,
                Verdict::None => {}
            }
            for class in failed_classes(track, attempt) {
                let row = rows.entry(class).or_insert_with(|| Row {
                    folders: BTreeSet::new(),
                    newest: (at, attempt.folder),
                });
                row.folders.insert(attempt.folder);
                if row.folders.len() >= wanted && may_respond(ledger, class) {
                    let (at, but) = row.newest;
                    return Self::opened(track, at.after(rules.open_for), but, rules, now);
                }
            }
        }
        Self::Closed
    }

    /// The state of a breaker that was to stay open until then. Each trial since that did not show an effect opens it for as long again.
    fn opened(
        track: &Track,
        until: Timestamp,
        but: FolderId,
        rules: &Breaker,
        now: Timestamp,
    ) -> Self {
        let trials = track
            .within(rules.open_for, now)
            .filter(|attempt| attempt.intended >= until && !attempt.is_unjudged())
            .map(|attempt| attempt.intended.after(rules.open_for));
        let until = trials.fold(until, Timestamp::max);
        if now < until {
            Self::Open { until }
        } else {
            Self::HalfOpen { but }
        }
    }

    /// Whether attempts have had no effect, and nothing has shown since that they have one again: the metric
    /// `kb_reindex_breaker_open`.
    pub const fn is_open(self) -> bool {
        !matches!(self, Self::Closed)
    }

    /// Whether an attempt may be made in a folder now: while the breaker is half-open, only one at a time, and not where the last one
    /// failed before the longest pause is over.
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

/// The classes of which an attempt left files failed, but for those that were forgiven.
fn failed_classes<'a>(track: &Track, attempt: &'a Attempt) -> impl Iterator<Item = &'a Class> {
    let failed = attempt.classes.iter().filter(|result| result.refailed > 0);
    let classes = failed.map(|result| &result.class);
    classes.filter(|class| track.counts_for(class, attempt))
}

fn may_respond(ledger: &LedgerView, class: &Class) -> bool {
    ClassState::of(ledger, class).response != Response::Unresponsive
}
