//! What must last.

mod clock;
mod connection;
mod database;
mod error;
mod folder;
mod insert;
pub mod ledger;
pub mod migrate;
mod place;
mod revision;
mod sqlite;
mod tables;
mod url;
mod worker;

pub use clock::StoreClock;
pub use error::StoreError;
pub use folder::StateFolder;
pub use place::{Access, Part, Place};
pub use revision::Revision;

#[cfg(test)]
pub(crate) mod testing;
