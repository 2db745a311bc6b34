//! Finds the position of a key by its path.

use std::fmt;

use serde::Deserialize as _;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Location, Options, Spanned};

use crate::config::keys::segments;

/// Where the value at a path such as `portals[0].name` begins in a text that was read before; if there is none, the
/// nearest value around it.
pub(super) fn of(path: &str, text: &str, options: fn() -> Options) -> Option<Location> {
    let segments = segments(path);
    let mut paths = (0..=segments.len()).rev().map(|length| &segments[..length]);
    paths.find_map(|path| {
        serde_saphyr::with_deserializer_from_str_with_options(text, options(), |yaml| {
            Search(path).deserialize(yaml)
        })
        .ok()?
    })
}

/// Searches for the value at a path.
struct Search<'p>(&'p [&'p str]);

impl<'de> DeserializeSeed<'de> for Search<'_> {
    type Value = Option<Location>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        if self.0.is_empty() {
            let value = Spanned::<IgnoredAny>::deserialize(deserializer)?;
            return Ok(Some(value.referenced));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Search<'_> {
    type Value = Option<Location>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping or a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(key) = map.next_key::<String>()? {
            if key == self.0[0] {
                found = map.next_value_seed(Search(&self.0[1..]))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        // A key that is not an index is not in a list.
        let index = self.0[0].parse().unwrap_or(usize::MAX);
        for _ in 0..index {
            if list.next_element::<IgnoredAny>()?.is_none() {
                return Ok(None);
            }
        }
        let found = list.next_element_seed(Search(&self.0[1..]))?;
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(found.flatten())
    }
}
