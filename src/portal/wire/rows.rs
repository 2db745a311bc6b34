//! The rows of an answer. A hostile body may hold millions.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};

/// A limited number of rows. One that is null has no fields.
#[derive(Debug)]
pub(in crate::portal) struct Rows<R, const MOST: usize>(pub Vec<R>);

impl<'de, R: Deserialize<'de> + Default, const MOST: usize> Deserialize<'de> for Rows<R, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Self(Vec::new()))
    }
}

/// Reads into itself.
impl<'de, R: Deserialize<'de> + Default, const MOST: usize> Visitor<'de> for Rows<R, MOST> {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<Self, A::Error> {
        while let Some(row) = elements.next_element::<Option<R>>()? {
            if self.0.len() == MOST {
                return Err(A::Error::custom(format!("more than {MOST} rows")));
            }
            self.0.push(row.unwrap_or_default());
        }
        Ok(self)
    }
}
