//! The data of a folder that is stored between two reads, and what follows from both reads: entries into a status,
//! indexing times, since when a file waits. Pure (docs/metrics.md, "Whole rows", "Entries", "Indexing time").
//!
//! # Entries
//!
//! A read is *whole* for a status when it is consistent and lists as many distinct files as the status has; *counted*
//! when it is consistent and does not list them all; *torn* when it is not consistent.
//!
//! - **By identity**, into failed and flagged, once a whole read has listed the status: a file enters when it is listed there
//!   and its last settled status was another one. This continues through torn reads, because files that they leave out
//!   stay remembered. It ends with a counted read, after which files may be there that were never listed.
//! - **By growth** everywhere else: the growth since the last consistent count. Entries by identity
//!   since then are added to that base, so that they are not counted by growth again. A torn count is never a base.
//! - A whole read after a counted one counts by growth and lists anew; a first count enters nothing. Pages that shift may make
//!   it leave out a file that is there. So until the next consistent read the hashes of all its rows are remembered: a file that is not among
//!   them, and that was not uploaded since, enters nothing.
//! - If no read is ever consistent, a status counts as listed after sixteen torn reads: a file that was there from
//!   the beginning was in one of them. The first consistent read ends that, and is a base.
//!
//! A file is forgotten when its row is read as done, or when two whole reads of everything that is not done have missed it; a
//! torn or counted read proves nothing by what it does not list. Until then it is remembered, and counts neither as old nor as done:
//! ages are those of rows that were read, and a missing file counts as done at most once, when it is first missed.
//!
//! # Limit
//!
//! At most [`MAX_REMEMBERED`](crate::count::MAX_REMEMBERED) files are remembered, for any sequence of reads: [`limit_rows`] leaves out rows
//! that wait, and [`apply()`] forgets files that the read does not list. If one of these had failed or was flagged, its
//! status is no longer listed.

mod absence;
mod apply;
mod entries;
mod indexing;
mod limit;
mod record;
mod update;

pub use apply::apply;
pub use indexing::{INDEXING_BUCKETS, IndexingTimes};
pub use limit::limit_rows;
pub use record::{
    Coverage, Departure, DepartureReason, FileHistory, FolderCounters, FolderRecord, FullRead,
    KnownFile,
};
pub use update::{CompletedRead, Update};
