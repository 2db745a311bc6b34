//! The databases of the program: SQLite files, or PostgreSQL if several processes share them.
//!
//! What is stored is read and written by the same statements in both: a [`Transaction`] takes a statement with the parameters `$1`, `$2`,
//! …, and values of SQLite's kinds (null, integer, text, blob).
//!
//! A [`Database`] belongs to the thread of one [`Worker`], and blocks.

mod copy;
mod database;
mod error;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(not(feature = "postgres"))]
#[path = "sql/without_postgres.rs"]
mod postgres;
mod record;
mod schema;
mod server_clock;
mod sqlite;
mod transaction;
mod worker;

pub use crate::store::StateFolder;
pub(crate) use copy::{Table, keep_others_from_writing};
pub(crate) use database::Database;
pub use error::SqlError;
pub(crate) use postgres::Postgres;
pub(crate) use record::{Json, Record, Row, columns, label_column, record, text_column, to_value};
pub(crate) use schema::{SERVER_NOW, Schema};
pub(crate) use server_clock::ServerClock;
pub(crate) use sqlite::SqliteFile;
pub(crate) use transaction::{Transaction, one_of, select, upsert, upsert_statement};
pub(crate) use worker::Worker;
