//! What must last.

mod clock;
mod connection;
mod database;
mod documents;
mod error;
pub mod ledger;
mod place;
mod sqlite;
mod statement;
mod tables;
mod url;
mod worker;

pub use clock::StoreClock;
pub(crate) use connection::wrong_url;
pub use documents::{
    Answer, Changes, Documents, FileChanges, FolderChange, FolderDocument, PortalDocument,
    Refutation, StoredFolder, StoredPortal, Written,
};
pub use error::StoreError;
pub use place::{Access, Part, Place, StateFolder};
pub use statement::Revision;

#[cfg(test)]
pub(crate) mod testing;
