//! Reads values from the tree of a file. A mistake says what would be right, and where it is.

use std::fmt::Display;
use std::slice::Iter;

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, Error, Expected, IntoDeserializer as _, MapAccess, SeqAccess,
    Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;

use crate::config::error::{Fault, MISSING};
use crate::config::keys::child;
use crate::config::node::{Node, Value};

/// Letters in which an unknown key differs from the one that is meant, at most.
const MISSPELT: usize = 3;

impl Error for Fault {
    fn custom<T: Display>(message: T) -> Self {
        Self::about("", message.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(format_args!("{expected} is expected here"))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        // An empty text may be another name of the default.
        let words = expected.iter().copied().filter(|word| !word.is_empty());
        let words: Vec<_> = words.collect();
        Self::custom(format_args!("expected one of {}", words.join(", ")))
    }

    /// A key is repeated only where it is a known one but for some letters: any other may be a secret in the wrong place.
    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        let keys = expected.join(", ");
        let mut near = expected.iter().copied();
        let near = near.find(|known| strsim::levenshtein(field, known) <= MISSPELT);
        let unknown = near.map_or_else(String::new, |near| format!(" {field:?}: is {near} meant?"));
        Self::custom(format_args!(
            "unknown key{unknown}; the keys here are {keys}"
        ))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::about(field, MISSING)
    }
}

impl Node {
    /// Reads this value. A mistake that is not in a part of it is about it.
    pub(super) fn read<'de, S: DeserializeSeed<'de>>(
        &'de self,
        seed: S,
    ) -> Result<S::Value, Fault> {
        seed.deserialize(self)
            .map_err(|fault| match fault.position {
                Some(_) => fault,
                None if fault.key.is_empty() => Fault::about(&self.path, fault.message).at(self.at),
                None => Fault::about(child(&self.path, &fault.key), fault.message).at(self.at),
            })
    }

    fn scalar(&self) -> Result<&str, Fault> {
        match &self.value {
            Value::Scalar(text) => Ok(text),
            Value::Nothing => Err(Fault::custom("has no value")),
            _ => Err(Fault::custom("a single value is expected here")),
        }
    }

    fn flag(&self) -> Result<bool, Fault> {
        match self.scalar()?.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Ok(true),
            "false" | "no" | "off" => Ok(false),
            _ => Err(Fault::custom("expected true or false")),
        }
    }

    fn number(&self) -> Result<u32, Fault> {
        let number = self.scalar()?.parse();
        number.map_err(|_| Fault::custom("expected a whole number"))
    }
}

impl<'de> Deserializer<'de> for &'de Node {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match &self.value {
            Value::Nothing => visitor.visit_unit(),
            Value::Scalar(text) => visitor.visit_borrowed_str(text),
            Value::List => visitor.visit_seq(Parts::of(self)),
            Value::Map => visitor.visit_map(Parts::of(self)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.value {
            Value::Nothing => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_borrowed_str(self.scalar()?)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_bool(self.flag()?)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_u32(self.number()?)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let word: StrDeserializer<'_, Fault> = self.scalar()?.into_deserializer();
        visitor.visit_enum(word)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.value {
            Value::List => self.deserialize_any(visitor),
            _ => Err(Fault::custom("a list is expected here")),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.value {
            Value::Map => self.deserialize_any(visitor),
            _ => Err(Fault::custom("names with values are expected here")),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        keys: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let message = match self.value {
            Value::Map => return self.deserialize_any(visitor),
            Value::Nothing if self.path.is_empty() => {
                "the file is empty; portals is needed at least".to_owned()
            }
            _ => format!("keys are expected here, out of {}", keys.join(", ")),
        };
        Err(Fault::custom(message))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u64 u128 f32 f64 char str bytes byte_buf unit unit_struct
        newtype_struct tuple tuple_struct identifier
    }
}

/// What is left to read of a list or a mapping.
struct Parts<'de> {
    whole: &'de Node,
    rest: Iter<'de, Node>,
    /// The value whose key was read last.
    value: Option<&'de Node>,
}

impl<'de> Parts<'de> {
    fn of(whole: &'de Node) -> Self {
        Self {
            whole,
            rest: whole.parts.iter(),
            value: None,
        }
    }
}

impl<'de> SeqAccess<'de> for Parts<'de> {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Fault> {
        self.rest.next().map(|part| part.read(seed)).transpose()
    }
}

impl<'de> MapAccess<'de> for Parts<'de> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Fault> {
        self.value = self.rest.next();
        let Some(part) = self.value else {
            return Ok(None);
        };
        let key: StrDeserializer<'_, Fault> = part.key.as_str().into_deserializer();
        let read = seed.deserialize(key).map(Some);
        read.map_err(|fault| Fault::about(&part.path, fault.message).at(part.key_at))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        self.value.take().unwrap_or(self.whole).read(seed)
    }
}
