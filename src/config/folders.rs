//! Which folders a rule is about.

use globset::{Glob, GlobMatcher};
use serde::Deserialize;
use serde::de::Deserializer;

use crate::config::scalar;
use crate::model::FolderId;

/// One folder by its id, or every folder whose name fits a shell glob (case matters; `*` stands for any text).
#[derive(Debug, Clone)]
pub enum FolderPattern {
    /// This folder, whatever its name.
    Id(FolderId),
    /// Folders by name.
    Name(Box<GlobMatcher>),
}

impl FolderPattern {
    /// Takes an id or a glob; the error is a sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Some(id) = FolderId::parse(text) {
            return Ok(Self::Id(id));
        }
        let expected = "a folder's id or a shell glob such as \"Archive *\"";
        if text.is_empty() {
            return Err(scalar::not(text, expected));
        }
        Glob::new(text)
            .map(|glob| Self::Name(Box::new(glob.compile_matcher())))
            .map_err(|error| format!("{}: {}", scalar::not(text, expected), error.kind()))
    }

    /// Whether the rule is about this folder.
    #[must_use]
    pub fn matches(&self, id: FolderId, name: &str) -> bool {
        match self {
            Self::Id(wanted) => *wanted == id,
            Self::Name(glob) => glob.is_match(name),
        }
    }
}

impl<'de> Deserialize<'de> for FolderPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        scalar::parse(deserializer, Self::parse)
    }
}

/// Which of a key's folders are watched: those that are included and not excluded. All by default.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FolderFilter {
    include: Option<Vec<FolderPattern>>,
    exclude: Vec<FolderPattern>,
}

impl FolderFilter {
    /// Whether a folder is watched.
    #[must_use]
    pub fn admits(&self, id: FolderId, name: &str) -> bool {
        let fits = |pattern: &FolderPattern| pattern.matches(id, name);
        let included = self
            .include
            .as_ref()
            .is_none_or(|patterns| patterns.iter().any(fits));
        included && !self.exclude.iter().any(fits)
    }
}
