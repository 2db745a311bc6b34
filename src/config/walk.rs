//! Reads a document past the values that are known to be wrong, so that a file is searched for all of its mistakes, and remembers where a read
//! failed.

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde::de::value::StringDeserializer;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, IgnoredAny,
    IntoDeserializer as _, MapAccess, SeqAccess, Visitor,
};

use crate::config::keys::child;

/// One way through a document.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// The paths of the values that are left out.
    left_out: BTreeSet<String>,
    /// Where the last read failed.
    failed: RefCell<Option<String>>,
}

impl Walk {
    /// Reads a document without the values that are left out. An error comes with the path of what it is about.
    pub fn read<'de, T, D>(&self, document: D) -> Result<T, (D::Error, String)>
    where
        T: Deserialize<'de>,
        D: Deserializer<'de>,
    {
        self.failed.take();
        let read = T::deserialize(self.at(String::new(), document));
        read.map_err(|error| (error, self.failed.take().unwrap_or_default()))
    }

    /// Leaves out a value from now on. Returns whether it was not left out before.
    pub fn leave_out(&mut self, path: &str) -> bool {
        self.left_out.insert(path.to_owned())
    }

    /// Whether what is at `path`, or a part of it, was left out.
    pub fn has_left_out_within(&self, path: &str) -> bool {
        self.left_out.iter().any(|other| other.starts_with(path))
    }

    /// Whether a part of what is at `path` was left out, or the whole that it belongs to.
    pub fn is_affected(&self, path: &str) -> bool {
        // Behind an element that is left out, the others have other numbers.
        let whole = |left_out: &str| match left_out.strip_suffix(']') {
            Some(element) => element[..element.rfind('[').unwrap_or(0)].to_owned(),
            None => left_out.to_owned(),
        };
        let mut left_out = self.left_out.iter();
        self.has_left_out_within(path) || left_out.any(|other| path.starts_with(&whole(other)))
    }

    fn at<T>(&self, path: String, inner: T) -> At<'_, T> {
        At {
            walk: self,
            path,
            inner,
        }
    }

    fn has_left_out(&self, path: &str) -> bool {
        self.left_out.contains(path)
    }

    /// The first path counts: those of the wholes around it come later.
    fn failed_at(&self, path: &str) {
        self.failed
            .borrow_mut()
            .get_or_insert_with(|| path.to_owned());
    }
}

/// Something of serde's, at a path of the document.
struct At<'w, T> {
    walk: &'w Walk,
    path: String,
    inner: T,
}

macro_rules! forward {
    ($($method:ident($($name:ident: $type:ty),*))*) => {$(
        fn $method<V: Visitor<'de>>(self, $($name: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method($($name,)* self.walk.at(self.path, visitor))
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for At<'_, D> {
    type Error = D::Error;

    forward! {
        deserialize_any() deserialize_bool()
        deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64()
        deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64()
        deserialize_f32() deserialize_f64() deserialize_char() deserialize_str() deserialize_string()
        deserialize_bytes() deserialize_byte_buf() deserialize_option() deserialize_unit()
        deserialize_unit_struct(name: &'static str) deserialize_newtype_struct(name: &'static str)
        deserialize_seq() deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize) deserialize_map()
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
        deserialize_identifier() deserialize_ignored_any()
    }
}

macro_rules! pass {
    ($($method:ident: $type:ty),*) => {$(
        fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.inner.$method(value)
        }
    )*};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for At<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.inner.expecting(f)
    }

    pass! {
        visit_bool: bool, visit_i8: i8, visit_i16: i16, visit_i32: i32, visit_i64: i64, visit_u8: u8, visit_u16: u16, visit_u32: u32,
        visit_u64: u64, visit_f32: f32, visit_f64: f64, visit_char: char, visit_str: &str, visit_borrowed_str: &'de str,
        visit_string: String, visit_bytes: &[u8], visit_borrowed_bytes: &'de [u8], visit_byte_buf: Vec<u8>
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, some: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(self.walk.at(self.path, some))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner
            .visit_newtype_struct(self.walk.at(self.path, inner))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        self.inner.visit_enum(access)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(Children {
            current: String::new(),
            read: 0,
            of: self.walk.at(self.path, map),
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<V::Value, A::Error> {
        self.inner.visit_seq(Children {
            current: String::new(),
            read: 0,
            of: self.walk.at(self.path, list),
        })
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for At<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<S::Value, D::Error> {
        let Self { walk, path, inner } = self;
        let read = inner.deserialize(walk.at(path.clone(), value));
        read.inspect_err(|_| walk.failed_at(&path))
    }
}

/// The values of a mapping or of a list.
struct Children<'w, A> {
    of: At<'w, A>,
    /// The path of the value whose key was read last.
    current: String,
    /// Elements that were read, and left out.
    read: usize,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Children<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let At { walk, path, inner } = &mut self.of;
        loop {
            let Some(key) = inner.next_key::<String>()? else {
                return Ok(None);
            };
            self.current = child(path, &key);
            if walk.has_left_out(&self.current) {
                inner.next_value::<IgnoredAny>()?;
                continue;
            }
            let key: StringDeserializer<A::Error> = key.into_deserializer();
            let key = seed.deserialize(key);
            return key.map(Some).inspect_err(|_| walk.failed_at(&self.current));
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let path = std::mem::take(&mut self.current);
        self.of.inner.next_value_seed(self.of.walk.at(path, seed))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Children<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let At { walk, path, inner } = &mut self.of;
        loop {
            let element = format!("{path}[{}]", self.read);
            self.read += 1;
            if walk.has_left_out(&element) {
                if inner.next_element::<IgnoredAny>()?.is_none() {
                    return Ok(None);
                }
                continue;
            }
            return inner.next_element_seed(walk.at(element, seed));
        }
    }
}
