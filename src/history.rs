//! The data of a folder that is stored between two reads, and what follows from both reads: entries into a status,
//! indexing times, since when a file waits, error classes. Pure (docs/metrics.md, "Whole rows", "Entries", "Indexing time").
//!
//! # Entries
//!
//! Of failed and flagged, files are remembered by their identity. A status has *unidentified* files as well: they were counted, and no
//! read has shown their rows ([`Unidentified`]). A file that a read lists in the status is *new* there if its last settled status was
//! another one, or none. It entered the status, or it was unidentified. So with `new` files and the `unidentified` ones before and after
//! a consistent read, `new + after - before` files entered. If every row was read, that is `new`; if no row was read, it is the growth of
//! the count. A read that is not consistent has no count: files that are new there were unidentified as long as there are such files.
//!
//! Of the other statuses, all files are unidentified: entries are the growth between consistent counts.
//!
//! # Files that are not listed
//!
//! The rows of a status are *whole* if a consistent read listed as many files as it counted there. A file that whole rows do not list is
//! *missed*: it is no longer in the status. It is forgotten when the next whole rows miss it as well; if most files of the folder were missed
//! with it, not before a day has passed, so that it does not enter the status again when a list that was empty for some time comes back. A file
//! is forgotten at once when its row is read as done.
//!
//! # Limit
//!
//! At most [`MAX_REMEMBERED`](crate::count::MAX_REMEMBERED) files are remembered, for any sequence of reads: [`limit_rows`] leaves out rows
//! that wait, and [`apply()`] forgets files that the read does not list, which are unidentified from then on.

mod absence;
mod apply;
mod day;
mod departure;
mod entries;
mod indexing;
mod limit;
mod record;
mod update;

pub use apply::apply;
pub use day::Day;
pub use departure::{Departure, DepartureReason, Unavailable, Unreadable};
pub use entries::Unidentified;
pub use indexing::{INDEXING_BUCKETS, IndexingTimes};
pub use limit::limit_rows;
pub use record::{
    FileHistory, FolderCounters, FolderRecord, FullRead, KnownFile, ListEntry, Look, Scanned,
};
pub use update::{CompletedRead, Update};
