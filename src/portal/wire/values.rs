//! Values that are read with more patience than JSON has.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::model::{StatusWord, Timestamp};

/// A number of things: never negative, and cut at `u64::MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Whole(pub u64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WholeVisitor)
    }
}

struct WholeVisitor;

impl Visitor<'_> for WholeVisitor {
    type Value = Whole;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number that is not negative")
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Whole, E> {
        Ok(Whole(number))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Whole, E> {
        u64::try_from(number)
            .map(Whole)
            .map_err(|_| E::invalid_value(de::Unexpected::Signed(number), &self))
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast from float to integer saturates, and negative numbers were refused"
    )]
    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Whole, E> {
        if number >= 0.0 && number.fract() == 0.0 {
            Ok(Whole(number as u64))
        } else {
            Err(E::invalid_value(de::Unexpected::Float(number), &self))
        }
    }
}

/// A value of any type. Nothing but its own field depends on it, so a type that was not expected costs nothing else.
enum Any<'a> {
    Text(Cow<'a, str>),
    Whole(u64),
    Float(f64),
    /// Null, true or false, a negative whole number, an array, an object.
    Other,
}

impl<'de: 'a, 'a> Deserialize<'de> for Any<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor)
    }
}

struct AnyVisitor;

impl<'de> Visitor<'de> for AnyVisitor {
    type Value = Any<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Any::Text(text.into()))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Any::Text(text.to_owned().into()))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Any::Whole(number))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
        Ok(u64::try_from(number).map_or(Any::Other, Any::Whole))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Any::Float(number))
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Any::Other)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(Any::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, values: A) -> Result<Self::Value, A::Error> {
        IgnoredAny.visit_seq(values).map(|_| Any::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Self::Value, A::Error> {
        IgnoredAny.visit_map(fields).map(|_| Any::Other)
    }
}

/// An amount that nothing depends on: whatever is not a sensible number is 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amount(pub u64);

impl<'de> Deserialize<'de> for Amount {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast from float to integer saturates, which is what is wanted"
    )]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match Any::deserialize(deserializer)? {
            Any::Whole(number) => number,
            Any::Float(number) => number as u64,
            Any::Text(_) | Any::Other => 0,
        }))
    }
}

/// A time that nothing depends on: whatever is no timestamp (docs/portal.md, Values) is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Time(pub Option<Timestamp>);

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Text::deserialize(deserializer)?;
        Ok(Self(Timestamp::parse(text.as_str())))
    }
}

/// A string; whatever is none is the empty one.
#[derive(Debug)]
pub struct Text<'a>(Cow<'a, str>);

impl Text<'_> {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match Any::deserialize(deserializer)? {
            Any::Text(text) => text,
            Any::Whole(_) | Any::Float(_) | Any::Other => Cow::default(),
        }))
    }
}

/// The word of an `indexStatus`; whatever is no string is as good as none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word(pub StatusWord);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match Any::deserialize(deserializer)? {
            Any::Text(text) => StatusWord::read(text.as_bytes()),
            Any::Whole(_) | Any::Float(_) | Any::Other => StatusWord::NONE,
        }))
    }
}

/// An answer, which must be an object: by themselves, serde's structures are read from arrays as well.
#[derive(Debug)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_map(ObjectVisitor(PhantomData))
            .map(Self)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(fields))
    }
}

/// A row; whatever is no object is a row without any field.
#[derive(Debug)]
pub struct Row<T>(pub T);

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for Row<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_any(RowVisitor(PhantomData))
            .map(Self)
    }
}

struct RowVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Default> Visitor<'de> for RowVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a row")
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(fields))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, values: A) -> Result<T, A::Error> {
        IgnoredAny.visit_seq(values).map(|_| T::default())
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_unit<E: de::Error>(self) -> Result<T, E> {
        Ok(T::default())
    }
}
