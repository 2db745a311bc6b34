//! What the reindex ledger knows of the attempts in a portal, as a log of events and the view that they fold to. Pure.
//!
//! ```text
//! Event, Event, … ─apply→ LedgerView ─Track→ limits of the policy
//! ```
//!
//! An event is a fact: an intent, the outcome of its request, what a later read showed. The view is what they say together, and nothing of it is
//! stored but as an event: [`Event::Known`] has a whole view, and stands for the events before it. Times are those of the ledger's clock.
//!
//! What the facts mean for the next attempt is [`crate::policy`]'s.

mod attempt;
mod event;
mod fold;
mod merge;
mod outcome;
mod totals;
mod track;
mod view;

pub use attempt::{Attempt, AttemptId, ClassResult, Intent, Judged, SentFile};
pub use event::{Event, Misfit, Review};
pub use outcome::{FileState, StateCounts, Verdict};
pub use totals::{ClassTotals, FolderLedger, Totals};
pub use track::{Forgiven, Forgiveness, Track};
pub use view::LedgerView;

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
