//! What the fields of an answer mean (docs/portal.md, Values). A field of the wrong type is absent, and costs no other field.

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer, Error};
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::model::{StatusWord, Timestamp};

/// A field as it came; `None` if it is absent or null.
pub(in crate::portal) type Field<'a> = Option<&'a RawValue>;

/// A text without its escapes; empty if it is another type.
pub(in crate::portal) fn text(field: Field<'_>) -> Cow<'_, str> {
    let json = field.map_or("", RawValue::get);
    match unquoted(json) {
        Some(text) if !text.contains('\\') => Cow::Borrowed(text),
        _ => Cow::Owned(serde_json::from_str(json).unwrap_or_default()),
    }
}

pub(in crate::portal) fn time(field: Field<'_>) -> Option<Timestamp> {
    Timestamp::parse(&text(field))
}

/// A number that nothing depends on: 0 if there is none.
pub(in crate::portal) fn amount(field: Field<'_>) -> u64 {
    field.and_then(|field| whole(field.get())).unwrap_or(0)
}

/// A number of things in JSON, not negative, and cut at `u64::MAX`; or a text of one: so some databases give the result of `COUNT(*)`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast from float to integer saturates, which is what is wanted"
)]
pub(in crate::portal) fn whole(json: &str) -> Option<u64> {
    let digits = unquoted(json).unwrap_or(json);
    digits.parse().ok().or_else(|| {
        let number: f64 = digits.parse().ok()?;
        let is_whole = number.is_finite() && number >= 0.0 && number.fract() == 0.0;
        is_whole.then_some(number as u64)
    })
}

fn unquoted(json: &str) -> Option<&str> {
    json.strip_prefix('"')?.strip_suffix('"')
}

/// Reads a number of things.
pub(super) fn total<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let total = optional_whole(deserializer)?;
    total.ok_or_else(|| D::Error::custom("expected a number of things that is not negative"))
}

/// Reads a number of things, if it is one.
pub(super) fn optional_whole<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u64>, D::Error> {
    let field = Field::deserialize(deserializer)?;
    Ok(field.and_then(|field| whole(field.get())))
}

/// Reads the word of an `indexStatus`.
pub(super) fn status<'de, D: Deserializer<'de>>(deserializer: D) -> Result<StatusWord, D::Error> {
    let field = Field::deserialize(deserializer)?;
    let is_text = field.is_some_and(|field| field.get().starts_with('"'));
    Ok(if is_text {
        StatusWord::read(text(field).as_bytes())
    } else {
        StatusWord::NONE
    })
}

/// Reads the id of a file or link; 0 if there is none. The portal promises a UUID (docs/portal.md, Values). Anything else is hashed to a
/// name-based one, because an id here only distinguishes files and never becomes part of a path.
pub(super) fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
    let Some(field) = Field::deserialize(deserializer)? else {
        return Ok(0);
    };
    let json = field.get();
    let uuid = Uuid::try_parse(unquoted(json).unwrap_or(json));
    let uuid = uuid.unwrap_or_else(|_| Uuid::new_v5(&Uuid::NAMESPACE_OID, json.as_bytes()));
    Ok(uuid.as_u128())
}
