//! When attempts in a portal stop for want of effect.

use crate::config::Breaker;
use crate::ledger::Track;
use crate::model::Timestamp;
use crate::policy::cooldown::after;

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
    HalfOpen,
}

impl BreakerState {
    /// Reads the state from the verdicts. Those that tell nothing are passed over while it is closed.
    #[must_use]
    pub fn of(track: &Track, rules: &Breaker, now: Timestamp) -> Self {
        let wanted = usize::try_from(rules.no_effect.get()).unwrap_or(usize::MAX);
        let mut told = track
            .verdicts()
            .filter_map(|(at, verdict)| Some((at, verdict.had_effect()?)))
            .take_while(|(_, effect)| !effect)
            .take(wanted)
            .map(|(at, _)| at);
        let newest = told.next();
        let in_vain = usize::from(newest.is_some()) + told.count();
        match newest.map(|at| after(at, rules.open_for)) {
            Some(until) if in_vain == wanted => Self::opened(track, until, rules, now),
            _ => Self::Closed,
        }
    }

    /// The state of a breaker that was to stay open until then. Who tried since, and did not show that attempts have an effect
    /// again, keeps it open for as long anew.
    fn opened(track: &Track, until: Timestamp, rules: &Breaker, now: Timestamp) -> Self {
        let tried = track
            .within(rules.open_for, now)
            .filter(|attempt| attempt.intended >= until && !attempt.is_unjudged())
            .map(|attempt| after(attempt.intended, rules.open_for));
        let until = tried.fold(until, Timestamp::max);
        if now < until {
            Self::Open { until }
        } else {
            Self::HalfOpen
        }
    }

    /// Whether attempts have had no effect, and nothing has shown since that they have one again: the metric
    /// `kb_reindex_breaker_open`.
    #[must_use]
    pub const fn is_open(self) -> bool {
        !matches!(self, Self::Closed)
    }

    /// Whether an attempt may be made now: while the breaker is half-open, only one at a time.
    #[must_use]
    pub fn allows(self, track: &Track) -> bool {
        match self {
            Self::Closed => true,
            Self::Open { .. } => false,
            Self::HalfOpen => track.unjudged_count() == 0,
        }
    }
}
