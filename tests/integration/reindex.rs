//! Failed files that are reindexed, as the portal sees it: at most one request for each attempt, never one too many.
//!
//! [`scene`] is a portal with failed files and an exporter with rules for them, [`ledger`] reads what was attempted and lets
//! it grow old. Every portal asserts at its end that nothing else was written to it.

mod addresses;
mod answers;
mod checked;
mod classes;
pub(crate) mod clock;
mod disk;
mod forgive;
mod holds;
pub(crate) mod kills;
pub(crate) mod ledger;
pub(crate) mod limits;
mod meanwhile;
mod modes;
mod reload;
pub(crate) mod scene;
