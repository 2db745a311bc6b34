//! The portal's answers as they come over the wire (interface, Resources and their fields).
//!
//! Tolerant where a difference does no harm: unknown fields, null and absent values, unknown statuses, text that is
//! not valid Unicode. Nothing here outlives the body that it was read from.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};
use uuid::Uuid;

use crate::model::{FileKey, Status, Timestamp};

/// Answer to the list of the key's folders.
#[derive(Debug, Deserialize)]
pub(super) struct FolderList<'a> {
    #[serde(borrow)]
    pub data: Vec<FolderRow<'a>>,
    #[serde(default)]
    pub meta: Option<Meta>,
}

/// The `meta` of the folder list.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Meta {
    #[serde(default)]
    pub total: Option<Whole>,
}

/// One folder of the list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FolderRow<'a> {
    #[serde(borrow, default)]
    pub id: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub name: Option<Text<'a>>,
    #[serde(default)]
    pub file_count: Amount,
}

/// Answer to one page of a folder's files.
#[derive(Debug, Deserialize)]
pub struct Page<'a> {
    /// The rows of this page.
    #[serde(borrow)]
    pub data: Vec<FileRow<'a>>,
    /// Where this page stands.
    pub pagination: Pagination,
}

/// One file of a page.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileRow<'a> {
    #[serde(default, rename = "linkId")]
    link: Option<Id>,
    #[serde(default)]
    id: Option<Id>,
    #[serde(default)]
    file_size: Amount,
    #[serde(default)]
    index_status: Option<Word>,
    #[serde(borrow, default)]
    index_error: Option<Text<'a>>,
    #[serde(borrow, default)]
    created_at: Option<Text<'a>>,
}

impl FileRow<'_> {
    /// What identifies the file in its folder. Rows without ids share one key, so that two of them are never
    /// taken for two distinct files.
    #[must_use]
    pub fn key(&self) -> FileKey {
        let number = |id: Option<Id>| id.map_or(0, |Id(number)| number);
        FileKey {
            link: number(self.link),
            id: number(self.id),
        }
    }

    /// The processing state.
    #[must_use]
    pub fn status(&self) -> Status {
        self.index_status
            .map_or(Status::Unknown, |Word(status)| status)
    }

    /// Size in bytes; 0 where the portal does not say.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.file_size.0
    }

    /// The `indexError`, untrusted and of any length.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        self.index_error.as_ref().map(Text::as_str)
    }

    /// When the file was uploaded.
    #[must_use]
    pub fn created_at(&self) -> Option<Timestamp> {
        Timestamp::parse(self.created_at.as_ref()?.as_str())
    }
}

/// The pagination object as it came (interface, Pagination object).
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pagination {
    /// Files in the folder, at the time of this request.
    pub total: Whole,
    /// The page that this is.
    #[serde(default)]
    pub page: Option<Whole>,
    /// Rows that a full page holds.
    #[serde(default)]
    pub page_size: Option<Whole>,
}

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
pub(super) struct Amount(pub u64);

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

/// A string as bytes that need not be Unicode: a lone surrogate in one name must not cost a whole page.
#[derive(Debug)]
pub(super) struct Text<'a>(Cow<'a, str>);

impl Text<'_> {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_bytes<E: de::Error>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
        Ok(Text(String::from_utf8_lossy(bytes)))
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(Text(String::from_utf8_lossy(bytes).into_owned().into()))
    }
}

/// An id of a file or link. The interface promises a UUID; another text is taken by its name-based UUID,
/// because an id here only tells files apart and never becomes part of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Id(u128);

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
struct Word(Status);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = |bytes: &[u8]| {
            Self(std::str::from_utf8(bytes).map_or(Status::Unknown, Status::from_word))
        };
        deserializer.deserialize_bytes(BytesVisitor(read))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn row(json: &str) -> serde_json::Result<FileRow<'_>> {
        serde_json::from_slice(json.as_bytes())
    }

    #[test]
    fn reads_a_row_of_the_interface() {
        let row = row(
            r#"{"linkId":"018f2c5e-7b1a-7c3d-9e4f-a1b2c3d4e5f6","id":"00000000-0000-0000-0000-000000000007",
                "filename":"a.pdf","fileSize":12,"mimeType":"application/pdf","indexStatus":"failed",
                "indexError":"no \"text\" layer","createdAt":"2026-03-01T10:20:30.456Z"}"#,
        )
        .unwrap();
        assert_eq!(row.key().id, 7);
        assert_eq!(row.status(), Status::Failed);
        assert_eq!(row.size(), 12);
        assert_eq!(row.error(), Some("no \"text\" layer"));
        assert!(row.created_at().is_some());
    }

    #[test]
    fn null_absent_and_unknown_values_are_no_accident() {
        for json in [
            "{}",
            r#"{"linkId":null,"id":null,"fileSize":null,"indexStatus":null,"indexError":null,"createdAt":null}"#,
            r#"{"indexStatus":"quarantined","extra":{"deep":[1,2,{}]},"createdAt":"soon"}"#,
            r#"{"fileSize":-1}"#,
            r#"{"fileSize":"12 kB"}"#,
        ] {
            let row = row(json).unwrap();
            assert_eq!(row.status(), Status::Unknown, "{json}");
            assert_eq!((row.size(), row.error(), row.created_at()), (0, None, None));
        }
    }

    #[test]
    fn a_lone_surrogate_and_invalid_utf8_cost_nothing_but_themselves() {
        let surrogate = row(r#"{"filename":"\ud800","indexError":"bad \ud800 name"}"#).unwrap();
        assert!(surrogate.error().unwrap().starts_with("bad \u{fffd}"));
        let bytes = b"{\"filename\":\"\xff\",\"indexError\":\"\xff!\"}";
        let invalid: FileRow<'_> = serde_json::from_slice(bytes).unwrap();
        assert_eq!(invalid.error(), Some("\u{fffd}!"));
    }

    #[test]
    fn ids_that_are_not_uuids_still_tell_files_apart() {
        let key = |json| row(json).unwrap().key();
        assert_eq!(key(r#"{"id":"a"}"#), key(r#"{"id":"a"}"#));
        assert_ne!(key(r#"{"id":"a"}"#), key(r#"{"id":"b"}"#));
        assert_ne!(key(r#"{"id":"a"}"#), key(r#"{"linkId":"a"}"#));
        assert_eq!(key("{}"), key(r#"{"id":null}"#));
    }

    #[test]
    fn a_count_is_a_number_that_is_not_negative() {
        let whole = |json| serde_json::from_str::<Whole>(json).ok();
        assert_eq!(whole("3"), Some(Whole(3)));
        assert_eq!(whole("3.0"), Some(Whole(3)));
        assert_eq!(whole("1e30"), Some(Whole(u64::MAX)));
        for json in ["-1", "1.5", "\"3\"", "null", "[]"] {
            assert_eq!(whole(json), None, "{json}");
        }
    }
}
