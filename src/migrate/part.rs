//! The two databases that are copied.

use crate::ledger;
use crate::migrate::error::MigrateError;
use crate::sql::{Schema, Table, Transaction};
use crate::state;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    State,
    Ledger,
}

impl Part {
    pub const ALL: [Self; 2] = [Self::State, Self::Ledger];

    pub const fn name(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Ledger => "ledger",
        }
    }

    pub const fn file_name(self) -> &'static str {
        match self {
            Self::State => state::FILE_NAME,
            Self::Ledger => ledger::FILE_NAME,
        }
    }

    pub const fn tables(self) -> &'static [Table] {
        match self {
            Self::State => &state::transfer::TABLES,
            Self::Ledger => &ledger::transfer::TABLES,
        }
    }

    pub const fn schema(self) -> &'static Schema {
        match self {
            Self::State => &state::SCHEMA,
            Self::Ledger => &ledger::SCHEMA,
        }
    }

    /// Reads both sides as the program does, and says what is not the same.
    pub fn difference(
        self,
        one: &mut dyn Transaction,
        other: &mut dyn Transaction,
    ) -> Result<Option<String>, MigrateError> {
        match self {
            Self::State => Ok(state::transfer::difference(one, other)?),
            Self::Ledger => Ok(ledger::transfer::difference(one, other)?),
        }
    }

    /// A table that has rows of the program's data.
    pub fn table_with_rows(
        self,
        transaction: &mut dyn Transaction,
    ) -> Result<Option<&'static str>, MigrateError> {
        for table in self.tables().iter().filter(|table| !table.key.is_empty()) {
            if table.count(transaction)? > 0 {
                return Ok(Some(table.name));
            }
        }
        Ok(None)
    }
}
