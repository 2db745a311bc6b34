//! What must last.

mod clock;
mod connection;
mod database;
mod documents;
mod error;
mod folder;
pub mod ledger;
pub mod migrate;
mod part;
mod pause;
mod place;
mod revision;
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
pub use folder::StateFolder;
pub use part::Part;
pub use place::{Access, Place};
pub use revision::Revision;

#[cfg(test)]
pub(crate) mod testing;
