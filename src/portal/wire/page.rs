//! Answers that are a list of rows, read row by row: no row is stored unless its reader stores it. A hostile body may hold millions.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::portal::error::PortalError;

/// Reads an object whose field `data` is an array of at most this number of rows, and passes each row on as it comes; then returns the number
/// of rows and the field `beside`, if there is one. By itself, serde would read structures from arrays as well.
pub(in crate::portal) fn read_rows<'a, R, B>(
    text: &'a str,
    beside: &'static str,
    most: u64,
    each: impl FnMut(R),
) -> Result<(u64, Option<B>), PortalError>
where
    R: Deserialize<'a> + Default,
    B: Deserialize<'a>,
{
    let reader = AnswerReader {
        beside,
        rows: RowReader {
            each,
            most,
            row: PhantomData,
        },
        value: PhantomData,
    };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let read = deserializer.deserialize_map(reader);
    read.and_then(|read| deserializer.end().map(|()| read))
        .map_err(|error| PortalError::from_json(&error, text.as_bytes()))
}

struct AnswerReader<F, R, B> {
    beside: &'static str,
    rows: RowReader<F, R>,
    value: PhantomData<B>,
}

impl<'de, F, R, B> Visitor<'de> for AnswerReader<F, R, B>
where
    F: FnMut(R),
    R: Deserialize<'de> + Default,
    B: Deserialize<'de>,
{
    type Value = (u64, Option<B>);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with rows")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut fields: A) -> Result<Self::Value, A::Error> {
        let (mut rows, mut beside) = (None, None);
        while let Some(field) = fields.next_key::<String>()? {
            match &*field {
                "data" if rows.is_some() => return Err(de::Error::duplicate_field("data")),
                "data" => rows = Some(fields.next_value_seed(&mut self.rows)?),
                field if field == self.beside => beside = fields.next_value()?,
                _ => {
                    fields.next_value::<IgnoredAny>()?;
                }
            }
        }
        let rows = rows.ok_or_else(|| de::Error::missing_field("data"))?;
        Ok((rows, beside))
    }
}

/// Reads the rows, and returns how many there were.
struct RowReader<F, R> {
    each: F,
    most: u64,
    row: PhantomData<R>,
}

impl<'de, F: FnMut(R), R: Deserialize<'de> + Default> DeserializeSeed<'de>
    for &mut RowReader<F, R>
{
    type Value = u64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u64, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(R), R: Deserialize<'de> + Default> Visitor<'de> for &mut RowReader<F, R> {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<u64, A::Error> {
        let mut count = 0;
        while let Some(Row(row)) = rows.next_element()? {
            count += 1;
            if count > self.most {
                let more = format!("more than {} rows on one page", self.most);
                return Err(de::Error::custom(more));
            }
            (self.each)(row);
        }
        Ok(count)
    }
}

/// A row; any other type is a row without fields.
#[derive(Debug)]
pub(super) struct Row<T>(pub T);

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for Row<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let row = deserializer.deserialize_any(ObjectReader(PhantomData))?;
        Ok(Self(row))
    }
}

struct ObjectReader<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Default> Visitor<'de> for ObjectReader<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }
    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(fields))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, values: A) -> Result<T, A::Error> {
        IgnoredAny.visit_seq(values).map(|_| T::default())
    }
    fn visit_unit<E>(self) -> Result<T, E> {
        Ok(T::default())
    }
    fn visit_bool<E>(self, _: bool) -> Result<T, E> {
        Ok(T::default())
    }
    fn visit_u64<E>(self, _: u64) -> Result<T, E> {
        Ok(T::default())
    }
    fn visit_i64<E>(self, _: i64) -> Result<T, E> {
        Ok(T::default())
    }
    fn visit_f64<E>(self, _: f64) -> Result<T, E> {
        Ok(T::default())
    }
    fn visit_str<E>(self, _: &str) -> Result<T, E> {
        Ok(T::default())
    }
}
