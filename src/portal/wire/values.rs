//! Values that are read with tolerance for other JSON types.

use std::borrow::Cow;
use std::fmt::{self, Display};
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::model::{StatusWord, Timestamp};

/// A value that is read from any JSON type, so that an unexpected type affects only its own field. The methods define the meaning of each
/// type; by default, all mean the same.
pub(in crate::portal) trait Lenient<'de>: Sized {
    /// The meaning of an unexpected type.
    fn other(value: &dyn Display) -> Self;

    fn null() -> Self {
        Self::other(&"null")
    }
    fn whole(number: u64) -> Self {
        Self::other(&number)
    }
    fn float(number: f64) -> Self {
        Self::other(&number)
    }
    fn text(text: Cow<'de, str>) -> Self {
        Self::other(&text)
    }
    fn array<A: SeqAccess<'de>>(values: A) -> Result<Self, A::Error> {
        IgnoredAny.visit_seq(values).map(|_| Self::other(&"[]"))
    }
    fn object<A: MapAccess<'de>>(fields: A) -> Result<Self, A::Error> {
        IgnoredAny.visit_map(fields).map(|_| Self::other(&"{}"))
    }
}

/// Reads a value of any type.
pub(in crate::portal) fn lenient<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Lenient<'de>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_any(AnyType(PhantomData))
}

struct AnyType<T>(PhantomData<T>);

impl<'de, T: Lenient<'de>> Visitor<'de> for AnyType<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }
    fn visit_unit<E: de::Error>(self) -> Result<T, E> {
        Ok(T::null())
    }
    fn visit_bool<E: de::Error>(self, value: bool) -> Result<T, E> {
        Ok(T::other(&value))
    }
    fn visit_u64<E: de::Error>(self, number: u64) -> Result<T, E> {
        Ok(T::whole(number))
    }
    fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
        Ok(u64::try_from(number).map_or_else(|_| T::other(&number), T::whole))
    }
    fn visit_f64<E: de::Error>(self, number: f64) -> Result<T, E> {
        Ok(T::float(number))
    }
    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<T, E> {
        Ok(T::text(text.into()))
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        Ok(T::text(text.to_owned().into()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, values: A) -> Result<T, A::Error> {
        T::array(values)
    }
    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<T, A::Error> {
        T::object(fields)
    }
}

/// An amount that nothing depends on: anything but a valid number is 0.
impl<'de> Lenient<'de> for u64 {
    fn other(_: &dyn Display) -> Self {
        0
    }
    fn whole(number: u64) -> Self {
        number
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast from float to integer saturates, which is what is wanted"
    )]
    fn float(number: f64) -> Self {
        number as Self
    }
    fn text(text: Cow<'de, str>) -> Self {
        text.parse().unwrap_or(0)
    }
}

/// Reads an amount that nothing depends on, however large: by itself, `serde_json` refuses a number such as `1e999`, and with it the page.
pub(super) fn size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let value = <&RawValue>::deserialize(deserializer)?.get();
    let read = |_| {
        let mut deserializer = serde_json::Deserializer::from_str(value);
        lenient(&mut deserializer).unwrap_or(0)
    };
    Ok(value.parse().unwrap_or_else(read))
}

/// A time that nothing depends on: anything but a timestamp (docs/portal.md, Values) is unknown.
impl<'de> Lenient<'de> for Option<Timestamp> {
    fn other(_: &dyn Display) -> Self {
        None
    }
    fn text(text: Cow<'de, str>) -> Self {
        Timestamp::parse(&text)
    }
}

/// A string; any other type is the empty string.
impl<'de> Lenient<'de> for Cow<'de, str> {
    fn other(_: &dyn Display) -> Self {
        Cow::default()
    }
    fn text(text: Cow<'de, str>) -> Self {
        text
    }
}

/// A string or null; any other type is the empty string.
impl<'de> Lenient<'de> for Option<Cow<'de, str>> {
    fn other(_: &dyn Display) -> Self {
        Some(Cow::default())
    }
    fn null() -> Self {
        None
    }
    fn text(text: Cow<'de, str>) -> Self {
        Some(text)
    }
}

/// The word of an `indexStatus`; any other type is no word.
impl<'de> Lenient<'de> for StatusWord {
    fn other(_: &dyn Display) -> Self {
        Self::NONE
    }
    fn text(text: Cow<'de, str>) -> Self {
        Self::read(text.as_bytes())
    }
}

/// A number of things: never negative, and cut at `u64::MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Whole(pub u64);

impl<'de> Lenient<'de> for Option<Whole> {
    fn other(_: &dyn Display) -> Self {
        None
    }
    fn whole(number: u64) -> Self {
        Some(Whole(number))
    }
    fn float(number: f64) -> Self {
        let is_whole = number >= 0.0 && number.fract() == 0.0;
        is_whole.then(|| Whole(Lenient::float(number)))
    }
    /// Some databases give the result of `COUNT(*)` as text.
    fn text(text: Cow<'de, str>) -> Self {
        text.parse().ok().map(Whole)
    }
}

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        lenient::<Option<Self>, D>(deserializer)?
            .ok_or_else(|| de::Error::custom("expected a number of things that is not negative"))
    }
}

/// A row; any other type is a row without fields.
#[derive(Debug)]
pub struct Row<T>(pub T);

impl<'de, T: Deserialize<'de> + Default> Lenient<'de> for Row<T> {
    fn other(_: &dyn Display) -> Self {
        Self(T::default())
    }
    fn object<A: MapAccess<'de>>(fields: A) -> Result<Self, A::Error> {
        T::deserialize(MapAccessDeserializer::new(fields)).map(Self)
    }
}

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for Row<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        lenient(deserializer)
    }
}
