//! One page of a folder's files, read row by row: no row is kept that its reader does not keep.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{FileRow, Pagination, Row};

/// What a page says beside its rows.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    /// Rows of this page.
    pub rows: u64,
    /// Where this page stands.
    pub pagination: Pagination,
}

/// Reads an answer to a request for a page, and hands each row on as it comes.
pub struct PageReader<F>(pub F);

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Field {
    Data,
    Pagination,
    #[serde(other)]
    Unknown,
}

impl<'de, F: FnMut(FileRow<'de>)> DeserializeSeed<'de> for PageReader<F> {
    type Value = Page;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Page, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, F: FnMut(FileRow<'de>)> Visitor<'de> for PageReader<F> {
    type Value = Page;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a page of files")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut fields: A) -> Result<Page, A::Error> {
        let (mut rows, mut pagination) = (None, None);
        while let Some(field) = fields.next_key()? {
            match field {
                Field::Data if rows.is_some() => return Err(de::Error::duplicate_field("data")),
                Field::Data => rows = Some(fields.next_value_seed(Rows(&mut self.0))?),
                Field::Pagination => pagination = Some(fields.next_value()?),
                Field::Unknown => {
                    fields.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(Page {
            rows: rows.ok_or_else(|| de::Error::missing_field("data"))?,
            pagination: pagination.ok_or_else(|| de::Error::missing_field("pagination"))?,
        })
    }
}

/// Reads the rows of a page, and says how many there were.
struct Rows<'a, F>(&'a mut F);

impl<'de, F: FnMut(FileRow<'de>)> DeserializeSeed<'de> for Rows<'_, F> {
    type Value = u64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u64, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(FileRow<'de>)> Visitor<'de> for Rows<'_, F> {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of files")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<u64, A::Error> {
        let mut count = 0;
        while let Some(Row(row)) = rows.next_element()? {
            (self.0)(row);
            count += 1;
        }
        Ok(count)
    }
}
