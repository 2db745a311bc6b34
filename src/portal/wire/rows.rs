//! The rows of an answer. A hostile body may hold millions.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};

/// A limited number of rows. One that is null has no fields.
#[derive(Debug)]
pub(in crate::portal) struct Rows<R, const MOST: usize>(pub Vec<R>);

impl<'de, R: Deserialize<'de> + Default, const MOST: usize> Deserialize<'de> for Rows<R, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Reader(PhantomData))
    }
}

struct Reader<R, const MOST: usize>(PhantomData<R>);

impl<'de, R: Deserialize<'de> + Default, const MOST: usize> Visitor<'de> for Reader<R, MOST> {
    type Value = Rows<R, MOST>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        let mut rows = Vec::new();
        while let Some(row) = elements.next_element::<Option<R>>()? {
            if rows.len() == MOST {
                return Err(A::Error::custom(format!("more than {MOST} rows")));
            }
            rows.push(row.unwrap_or_default());
        }
        Ok(Rows(rows))
    }
}
