//! What must last: one database, in a file of the state folder or in PostgreSQL, and who may write it.
//!
//! One process at a time holds the lease of a portal. It alone reads the portal and writes what is stored of it; others wait. Every write is one
//! transaction that beats the lease, so a process that lost it can write nothing, and a database that lost writes is noticed.
//!
//! ```text
//! Store ─take→ Lease ─┬─ load, write ─→ folders and their files   (documents)
//!                     └─ Ledger ──────→ attempts at reindexing    (ledger)
//! ```

mod commands;
mod connection;
mod database;
mod documents;
mod error;
mod keeper;
mod lease;
mod ledger;
mod packed;
mod parts;
mod place;
mod statement;
mod tables;
mod url;
mod worker;

pub use commands::{books, forgive};
pub(crate) use connection::wrong_url;
pub use documents::{
    EntryKey, FolderChange, FolderChanges, FolderDocument, PortalDocument, StoredFolder,
    StoredPortal,
};
pub use error::StoreError;
pub use keeper::{Standing, Store};
pub use lease::Lease;
pub use ledger::Ledger;
pub use parts::FileParts;
pub use place::Place;

#[cfg(test)]
pub(crate) mod tests;
