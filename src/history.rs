//! The data of a folder that is stored between two reads, and what follows from both reads: entries into a status,
//! indexing times, since when a file waits, error classes. Pure (docs/metrics.md, "Whole rows", "Entries", "Indexing time").
//!
//! - Of failed and flagged, files are remembered by their identity. Others are *unidentified* there: they were counted, and no read has shown
//!   their rows. Of the other statuses, all files are.
//! - A file is *new* where a read lists it if its last settled status was another one, or none. It entered, or it was unidentified: with `new`
//!   files and the `unidentified` ones before and after a consistent read, `new + after - before` files entered. A read that is not
//!   consistent has no count: new files were unidentified as long as there are such files.
//! - The rows of a status are *whole* if a consistent read listed as many files as it counted there. A file that they do not list is
//!   *missed*, and forgotten when the next whole rows miss it as well; if most files of the folder were missed with it, not before a day has
//!   passed: a list that was empty for some time comes back. A file whose row is read as done is forgotten at once.
//! - At most [`MAX_REMEMBERED`](crate::count::MAX_REMEMBERED) files are remembered, for any sequence of reads. The others are unidentified.

mod absence;
mod apply;
mod counters;
mod day;
mod departure;
mod entries;
mod files;
mod record;
mod update;

pub use apply::apply;
pub use counters::{FolderCounters, IndexingTimes};
pub use day::Day;
pub use departure::{Departure, DepartureReason, Unavailable, Unreadable};
pub use entries::Unidentified;
pub use files::{FileHistory, KnownFile, classes, misses_files, oldest, settled};
pub use record::{FolderRecord, FullRead, ListEntry, Look, Scanned};
pub use update::{CompletedRead, Update};
