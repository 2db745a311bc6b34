//! Values that are read with more patience than JSON has.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, Visitor};
use uuid::Uuid;

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

/// An amount that nothing depends on: whatever is not a sensible number is 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amount(pub u64);

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AmountVisitor)
    }
}

struct AmountVisitor;

impl Visitor<'_> for AmountVisitor {
    type Value = Amount;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an amount")
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Amount, E> {
        Ok(Amount(number))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Amount, E> {
        Ok(Amount(u64::try_from(number).unwrap_or(0)))
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast from float to integer saturates, which is what is wanted"
    )]
    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Amount, E> {
        Ok(Amount(number as u64))
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<Amount, E> {
        Ok(Amount(0))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Amount, E> {
        Ok(Amount(0))
    }
}

/// A time that nothing depends on: whatever is no timestamp of the interface is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Time(pub Option<Timestamp>);

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TimeVisitor)
    }
}

struct TimeVisitor;

impl<'de> Visitor<'de> for TimeVisitor {
    type Value = Time;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a time")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Time, E> {
        Ok(Time(Timestamp::parse(text)))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Time, E> {
        Ok(Time(None))
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Time, E> {
        Ok(Time(None))
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Time, E> {
        Ok(Time(None))
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Time, E> {
        Ok(Time(None))
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Time, E> {
        Ok(Time(None))
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, seq: A) -> Result<Time, A::Error> {
        IgnoredAny.visit_seq(seq).map(|_| Time(None))
    }

    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Time, A::Error> {
        IgnoredAny.visit_map(map).map(|_| Time(None))
    }
}

/// A string as bytes that need not be Unicode: a lone surrogate in one name must not cost a whole page.
#[derive(Debug)]
pub struct Text<'a>(Cow<'a, str>);

impl Text<'_> {
    /// The text, with replacement characters where it was no Unicode.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Raw(bytes) = Raw::deserialize(deserializer)?;
        Ok(Self(match bytes {
            Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
            Cow::Owned(bytes) => String::from_utf8_lossy(&bytes).into_owned().into(),
        }))
    }
}

/// A string that few rows are asked for, as its bytes.
#[derive(Debug)]
pub struct Raw<'a>(pub Cow<'a, [u8]>);

impl<'de: 'a, 'a> Deserialize<'de> for Raw<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_bytes<E: de::Error>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
        Ok(Raw(bytes.into()))
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(Raw(bytes.to_owned().into()))
    }
}

/// An id of a file or link. The interface promises a UUID; another text is taken by its name-based UUID,
/// because an id here only tells files apart and never becomes part of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Id(pub u128);

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = |bytes: &[u8]| {
            let id = Uuid::try_parse_ascii(bytes);
            Self(id.map_or_else(
                |_| Uuid::new_v5(&Uuid::NAMESPACE_OID, bytes).as_u128(),
                |id| id.as_u128(),
            ))
        };
        deserializer.deserialize_bytes(BytesVisitor(read))
    }
}

/// The word of an `indexStatus`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word(pub StatusWord);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(BytesVisitor(|bytes: &[u8]| Self(StatusWord::read(bytes))))
    }
}

/// Reads a string's bytes without keeping them.
struct BytesVisitor<F>(F);

impl<T, F: Fn(&[u8]) -> T> Visitor<'_> for BytesVisitor<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<T, E> {
        Ok((self.0)(bytes))
    }
}
