//! The databases that are copied.

use crate::ledger;
use crate::migrate::error::MigrateError;
use crate::sql::{Schema, Table, Transaction};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Ledger,
}

impl Part {
    pub const ALL: [Self; 1] = [Self::Ledger];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Ledger => "ledger",
        }
    }

    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Ledger => ledger::FILE_NAME,
        }
    }

    pub const fn tables(self) -> &'static [Table] {
        match self {
            Self::Ledger => &ledger::transfer::TABLES,
        }
    }

    pub const fn schema(self) -> &'static Schema {
        match self {
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
