//! The basic types: portals, folders, files, statuses, points in time.
//!
//! Pure data, without input or output. Of this crate it imports [`crate::text`] only.

mod file;
mod label;
mod outcome;
mod series;
mod status;
mod time;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use uuid::Uuid;
use uuid::fmt::Hyphenated;

use crate::text;

pub use file::{FileKey, FileMap, FolderSizes};
pub(crate) use label::{label_in_documents, label_values};
pub use outcome::{Lost, Outcome};
pub use series::Series;
pub use status::{ByStatus, Status, StatusWord};
pub use time::Timestamp;

/// Longest folder name that is stored, in characters (docs/metrics.md, Labels).
pub const FOLDER_NAME_CHARACTERS: usize = 200;

/// The name that the configuration gives a portal; the value of the label `portal`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PortalName(Arc<str>);

impl PortalName {
    pub const MAX_CHARACTERS: usize = 100;

    /// Takes a name of 1 to [`Self::MAX_CHARACTERS`] printable characters; anything else is `None`.
    pub fn new(name: &str) -> Option<Self> {
        let length = name.chars().count();
        let fits = (1..=Self::MAX_CHARACTERS).contains(&length);
        let printable = name.trim() == name && !name.chars().any(text::is_unsafe);
        // In the path of its page, these would lead elsewhere.
        let in_path = !matches!(name, "." | "..");
        (fits && printable && in_path).then(|| Self(name.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for PortalName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let most = Self::MAX_CHARACTERS;
        Self::new(name).ok_or_else(|| format!(
            "a name of 1 to {most} printable characters, without spaces around it, and not . or .."
        ))
    }
}

impl fmt::Display for PortalName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The normalised base URL of a portal: it identifies a portal under any configured name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PortalAddress(Arc<str>);

impl PortalAddress {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for PortalAddress {
    /// Takes an address that is normalised already.
    fn from(address: &str) -> Self {
        Self(address.into())
    }
}

impl fmt::Display for PortalAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Identifies a folder. Always a UUID: anything else that a portal sends never becomes part of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FolderId(Uuid);

impl FolderId {
    /// Parses the hyphenated form that the portal sends (docs/portal.md, Values); every other text is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        let id = Uuid::try_parse(text).ok()?;
        (text.len() == Hyphenated::LENGTH).then_some(Self(id))
    }

    /// A number from 0 to 1, to spread work for many folders over time.
    #[expect(clippy::cast_precision_loss, reason = "it need not be exact")]
    pub fn fraction(self) -> f64 {
        self.0.as_u128() as f64 / u128::MAX as f64
    }
}

impl fmt::Display for FolderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl From<Uuid> for FolderId {
    fn from(id: Uuid) -> Self {
        Self(id)
    }
}

/// A folder's name as the portal gives it: cut, and free of characters that control a terminal.
///
/// Line breaks stay, because a label can hold them. `Display` is for people: it escapes those too.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FolderName(Arc<str>);

impl FolderName {
    /// Takes any text and makes it safe and at most [`FOLDER_NAME_CHARACTERS`] long.
    pub fn new(name: &str) -> Self {
        Self(text::clean(name, FOLDER_NAME_CHARACTERS).into())
    }

    /// The value of the label `folder`; may hold line breaks, which the exposition escapes.
    pub fn label(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FolderName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::one_line(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_hyphenated_uuid_is_a_folder_id() {
        let id = "018f2c5e-7b1a-7c3d-9e4f-a1b2c3d4e5f6";
        assert_eq!(FolderId::parse(id).unwrap().to_string(), id);
        for text in [
            "",
            "X/reindex-all?",
            "018f2c5e7b1a7c3d9e4fa1b2c3d4e5f6",
            "{018f2c5e-7b1a-7c3d-9e4f-a1b2c3d4e5f6}",
            "urn:uuid:018f2c5e-7b1a-7c3d-9e4f-a1b2c3d4e5f6",
            "018f2c5e-7b1a-7c3d-9e4f-a1b2c3d4e5f6/reindex-all",
            " 018f2c5e-7b1a-7c3d-9e4f-a1b2c3d4e5f6",
        ] {
            assert_eq!(FolderId::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_portal_name_is_short_and_printable() {
        assert!(PortalName::new("main").is_some());
        assert!(PortalName::new("Портал 1").is_some());
        assert!(PortalName::new("...").is_some());
        for name in [
            "",
            ".",
            "..",
            " main",
            "a\nb",
            "a\u{202e}b",
            &"x".repeat(101),
        ] {
            assert_eq!(PortalName::new(name), None, "{name:?}");
        }
    }

    #[test]
    fn a_folder_name_is_cut_and_shown_on_one_line() {
        let name = FolderName::new(&format!("a\nb{}", "я".repeat(300)));
        assert_eq!(name.label().chars().count(), FOLDER_NAME_CHARACTERS);
        assert!(name.label().starts_with("a\nb"));
        assert!(name.to_string().starts_with("a\\nb"));
    }
}
