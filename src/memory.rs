//! What is remembered of a folder between two looks, and what two looks tell together: entries into a status,
//! indexing times, since when a file waits. Pure (contract, "Whole rows", "Entries", "Indexing time").

mod apply;
mod indexing;
mod record;

pub use apply::{Look, Update, apply};
pub use indexing::{INDEXING_BUCKETS, IndexingTimes};
pub use record::{FolderRecord, FullRead, Left, LeftReason, Memory, Remembered, Settled};
