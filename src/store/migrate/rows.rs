//! The rows that are copied, and what tells that two tables have the same ones.

use std::num::Wrapping;

use futures_util::TryStreamExt as _;
use ring::digest::{SHA256, digest};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row as _};

use crate::store::error::StoreError;
use crate::store::part::Part;
use crate::store::statement::{Statement, Value, unnamed};

/// Rows that are in memory at a time.
const ROWS: usize = 1_000;

/// A table whose rows are copied. Each has texts, then numbers, then a document.
#[derive(Debug)]
pub(super) struct Table {
    pub name: &'static str,
    pub part: Part,
    pub texts: &'static [&'static str],
    pub numbers: &'static [&'static str],
    pub document: &'static str,
}

pub(super) const TABLES: [Table; 4] = [
    Table {
        name: "portal",
        part: Part::State,
        texts: &["portal", "shard"],
        numbers: &[],
        document: "document",
    },
    Table {
        name: "folder",
        part: Part::State,
        texts: &["portal", "folder"],
        numbers: &["number", "token", "written"],
        document: "document",
    },
    Table {
        name: "file",
        part: Part::State,
        texts: &["portal", "folder", "file"],
        numbers: &[],
        document: "document",
    },
    Table {
        name: "event",
        part: Part::Ledger,
        texts: &["portal"],
        numbers: &["number", "token"],
        document: "event",
    },
];

impl Table {
    fn columns(&self) -> Vec<&'static str> {
        [self.texts, self.numbers, &[self.document]].concat()
    }

    /// Copies the rows to a table that is empty.
    pub async fn copy(
        &self,
        from: &mut AnyConnection,
        to: &mut AnyConnection,
    ) -> Result<(), StoreError> {
        let columns = self.columns().join(", ");
        let insert = format!("INSERT INTO {} ({columns}) VALUES ", self.name);
        let query = self.query();
        let mut rows = unnamed(query).fetch(from);
        let mut some = Vec::new();
        while let Some(row) = rows.try_next().await? {
            some.push(self.values(&row)?);
            if some.len() == ROWS {
                let rows = std::mem::take(&mut some);
                Statement::new(&insert).rows(rows).fetch(to).await?;
            }
        }
        if !some.is_empty() {
            Statement::new(&insert).rows(some).fetch(to).await?;
        }
        Ok(())
    }

    fn query(&self) -> String {
        format!("SELECT {} FROM {}", self.columns().join(", "), self.name)
    }

    /// What the table has. Fails for a document that is not JSON.
    pub async fn content(&self, connection: &mut AnyConnection) -> Result<Content, StoreError> {
        let query = self.query();
        let mut rows = unnamed(query).fetch(connection);
        let mut content = Content::default();
        while let Some(row) = rows.try_next().await? {
            content.add(&self.values(&row)?);
        }
        Ok(content)
    }

    fn values(&self, row: &AnyRow) -> Result<Vec<Value>, StoreError> {
        let mut values = Vec::new();
        for text in self.texts {
            values.push(Value::Text(row.try_get(text)?));
        }
        for number in self.numbers {
            values.push(Value::Integer(row.try_get(number)?));
        }
        let document: String = row.try_get(self.document)?;
        serde_json::from_str::<serde::de::IgnoredAny>(&document)?;
        values.push(Value::Text(document));
        Ok(values)
    }
}

/// How many rows a table has, and a sum that depends on each of them and not on their order, which engines choose.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Content {
    pub rows: u64,
    sum: Wrapping<u128>,
}

impl Content {
    fn add(&mut self, row: &[Value]) {
        let hash = digest(&SHA256, format!("{row:?}").as_bytes());
        let half = hash.as_ref().first_chunk().copied().unwrap_or_default();
        self.rows += 1;
        self.sum += Wrapping(u128::from_be_bytes(half));
    }
}
