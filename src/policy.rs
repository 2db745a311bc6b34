//! Whether a folder's failed files are reindexed, and the verdict on it. Pure: the input is the facts about the folder, the
//! attempts in the ledger, the rules and the time; the output is a decision with a reason from a closed list.
//!
//! ```text
//! Candidate, LedgerView, now ─decide→ Decision ──→ intent, request, outcome
//! Attempt, later read ─judge::review→ Review ──→ file states, verdict
//! ```
//!
//! The ledger has only facts. Their meaning for the next attempt (cooldown, budget, breaker) is computed here
//! from the rules as they are now, so that changed rules hold from the next decision on.

mod breaker;
mod budget;
mod candidate;
mod class;
mod cooldown;
mod decide;
pub mod judge;
mod numbers;
mod order;
mod outlook;
mod reason;
mod record;

pub use breaker::BreakerState;
pub use budget::Remaining;
pub use candidate::{Candidate, CountQuality, FailedFiles};
pub use class::{ClassPace, ClassState, Response};
pub use decide::{Choice, Decision, Trigger, decide};
pub use numbers::Numbers;
pub(crate) use order::horizon;
pub use order::in_order;
pub use outlook::{FailedFile, FolderFailures, FreshFailures, Outlook};
pub use reason::Reason;
pub(crate) use reason::reasons;
pub use record::ClassRecord;
pub(crate) use record::class_records;

#[cfg(test)]
mod tests;
