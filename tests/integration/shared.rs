//! Several processes that share their state and their ledger in PostgreSQL, and what happens to them, to the server and to what lies between.
//!
//! [`scene`] is a portal and a database, [`ledger`] reads what was attempted. Every portal asserts at its end that nothing was written to
//! it but what a story allows.

mod commits;
mod hosts;
mod ledger;
mod login;
mod lost;
mod migrations;
mod outage;
mod pooler;
mod scene;
pub(crate) mod storm;
mod takeover;
