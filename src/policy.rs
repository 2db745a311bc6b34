//! Which folders' failed files are reindexed now, and what came of earlier attempts. Pure: the input is the facts about a portal, the
//! attempts in the ledger, the rules and the time.
//!
//! - A failed file is *eligible* if it has been failed for `min_age`, has attempts left, and its class is not in `never_classes`.
//! - A class is *good* while enough of its newest files with a result came back. Every folder with eligible files of it is sent.
//! - Otherwise one folder at a time *tries* a class, one with few files: when no new file failed for a while (an outage has ended), or after a
//!   pause, which doubles with each try in vain. A portal has two tries an hour.
//! - What holds a folder whatever its classes are is in `hold`.
//!
//! ```text
//! PortalFacts, Book ─decide→ Decisions ──→ intent, request, outcome
//! Attempt, later read     ─review→ Review    ──→ file states, verdict
//! ```
//!
//! The ledger has only facts. Their meaning for the next attempt is computed here from the rules as they are now, so that changed rules hold
//! from the next decision on.

mod budget;
mod class;
mod decide;
mod decision;
mod facts;
mod hold;
pub mod judge;
mod limits;
mod record;
mod tries;

pub use budget::remaining_files;
pub use decide::decide;
pub use decision::{Cause, Choice, Decision, Decisions, Hold, Numbers, Reason};
pub use facts::{FailedFile, FolderFacts, PortalFacts};
pub(crate) use hold::in_window;
pub use record::ClassRecord;
pub(crate) use record::class_records;
pub use tries::{Tries, tries};

#[cfg(test)]
mod tests;
