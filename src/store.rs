//! What must last.

mod clock;
mod connection;
mod database;
mod documents;
mod error;
mod folder;
mod part;
mod place;
mod revision;
mod sqlite;
mod statement;
mod tables;
mod url;
mod worker;

pub use clock::StoreClock;
pub use documents::{
    Answer, Changes, Documents, FileChanges, FolderChange, FolderDocument, PortalDocument,
    Refutation, StoredFolder, StoredPortal, Written,
};
pub use error::StoreError;
pub use folder::StateFolder;
pub use place::{Access, Part, Place};
pub use revision::Revision;
