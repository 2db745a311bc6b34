//! The tables.

use crate::sql::Schema;

pub(crate) const SCHEMA: Schema = Schema {
    name: "kb_ledger",
    version: 1,
    tables: include_str!("schema.sql"),
    shared_tables: include_str!("shared.sql"),
};

/// Every column that holds a time which moves with the clock.
pub(super) const TIMES: [(&str, &str); 7] = [
    ("ledger", "created"),
    ("portal", "met"),
    ("folder", "unseen_since"),
    ("attempt", "intended"),
    ("attempt", "answered"),
    ("attempt", "judged"),
    ("forgiven", "at"),
];
