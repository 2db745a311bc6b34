//! The attempts at reindexing in a portal, as limits need them. Pure.
//!
//! A [`Book`] has the facts: intents, the outcomes of their requests, what later reads showed, and what people forgave. What they mean for the
//! next attempt is [`crate::policy`]'s. Times are those of the ledger's clock, which goes on steadily while the process runs.

mod attempt;
mod book;
mod outcome;
mod totals;
mod track;

pub use attempt::{Attempt, AttemptId, ClassResult, Intent, Judged, SentFile};
pub use book::{Book, Misfit, Review};
pub use outcome::{FileState, StateCounts, Verdict};
pub use totals::{ClassTotals, FolderLedger, Totals};
pub use track::{Forgiven, Track};
