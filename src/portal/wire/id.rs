//! Ids of files and links.

use std::borrow::Cow;
use std::fmt::Display;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess};
use uuid::Uuid;

use super::values::{Lenient, lenient};

/// An id of a file or link. The portal promises a UUID (docs/portal.md, Values); any other text is hashed to its name-based UUID,
/// because an id here only distinguishes files and never becomes part of a path. So is the text of any other value, and what an array
/// or object holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Id(pub u128);

impl Id {
    fn of(text: &str) -> Self {
        let uuid = Uuid::try_parse(text);
        let uuid = uuid.unwrap_or_else(|_| Uuid::new_v5(&Uuid::NAMESPACE_OID, text.as_bytes()));
        Self(uuid.as_u128())
    }

    fn then(self, Self(next): Self) -> Self {
        let before = Uuid::from_u128(self.0);
        Self(Uuid::new_v5(&before, &next.to_be_bytes()).as_u128())
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        lenient(deserializer)
    }
}

impl<'de> Lenient<'de> for Id {
    fn other(value: &dyn Display) -> Self {
        Self::of(&value.to_string())
    }
    fn text(text: Cow<'de, str>) -> Self {
        Self::of(&text)
    }
    fn array<A: SeqAccess<'de>>(mut values: A) -> Result<Self, A::Error> {
        let mut id = Self::of("[]");
        while let Some(value) = values.next_element()? {
            id = id.then(value);
        }
        Ok(id)
    }
    fn object<A: MapAccess<'de>>(mut fields: A) -> Result<Self, A::Error> {
        let mut id = Self::of("{}");
        while let Some((name, value)) = fields.next_entry()? {
            id = id.then(name).then(value);
        }
        Ok(id)
    }
}
