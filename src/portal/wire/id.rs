//! Ids of files and links.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use uuid::Uuid;

/// An id of a file or link. The portal promises a UUID (docs/portal.md, Values); anything else is taken by its name-based UUID, because an id here
/// only tells files apart and never becomes part of a path. A number, `true` and `false` are taken by their text, an array or object by
/// what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Id(pub u128);

impl Id {
    fn of(text: &str) -> Self {
        let uuid = Uuid::try_parse(text);
        let uuid = uuid.unwrap_or_else(|_| Uuid::new_v5(&Uuid::NAMESPACE_OID, text.as_bytes()));
        Self(uuid.as_u128())
    }

    /// This one, and then another.
    fn then(self, Self(next): Self) -> Self {
        let before = Uuid::from_u128(self.0);
        Self(Uuid::new_v5(&before, &next.to_be_bytes()).as_u128())
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IdVisitor)
    }
}

struct IdVisitor;

impl<'de> Visitor<'de> for IdVisitor {
    type Value = Id;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an id")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Id, E> {
        Ok(Id::of(text))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Id, E> {
        Ok(Id::of(&number.to_string()))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Id, E> {
        Ok(Id::of(&number.to_string()))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Id, E> {
        Ok(Id::of(&number.to_string()))
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Id, E> {
        Ok(Id::of(&value.to_string()))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Id, E> {
        Ok(Id::of("null"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Id, A::Error> {
        let mut id = Id::of("[]");
        while let Some(value) = values.next_element()? {
            id = id.then(value);
        }
        Ok(id)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Id, A::Error> {
        let mut id = Id::of("{}");
        while let Some((name, value)) = fields.next_entry()? {
            id = id.then(name).then(value);
        }
        Ok(id)
    }
}
