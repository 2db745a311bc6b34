//! Which folders a rule is about.

use glob::Pattern;
use schemars::JsonSchema;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};

use crate::config::value::read_from_text;
use crate::model::FolderId;

/// One folder by its id, or every folder whose name matches a shell glob (`*`, `?`, `[…]`; case matters).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(title = "a shell glob or an id", extend("minLength" = 1), inline)]
pub enum FolderPattern {
    /// This folder, with any name.
    Id(FolderId),
    /// Folders by name.
    Name(Pattern),
}

impl FolderPattern {
    /// Takes an id or a glob; the error is a sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Some(id) = FolderId::parse(text) {
            return Ok(Self::Id(id));
        }
        let expected = "expected a folder's id or a shell glob such as \"Archive *\"";
        match Pattern::new(text) {
            _ if text.is_empty() => Err(expected.to_owned()),
            Ok(glob) => Ok(Self::Name(glob)),
            Err(error) => Err(format!("{expected}: {}", error.msg)),
        }
    }

    /// Every folder. A pattern without any text but `*` is valid.
    fn every() -> Self {
        Self::Name(Pattern::new("*").unwrap_or_default())
    }

    /// Whether the rule is about this folder.
    pub fn matches(&self, id: FolderId, name: &str) -> bool {
        match self {
            Self::Id(wanted) => *wanted == id,
            Self::Name(glob) => glob.matches(name),
        }
    }
}

read_from_text!(FolderPattern);

impl From<FolderPattern> for String {
    fn from(pattern: FolderPattern) -> Self {
        match pattern {
            FolderPattern::Id(id) => id.to_string(),
            FolderPattern::Name(glob) => glob.as_str().to_owned(),
        }
    }
}

/// Which of a key's folders are watched: those that are included and not excluded. All by default.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FolderFilter {
    /// Folders to watch, by name (`*`, `?`, `[…]`; case matters) or id
    #[serde(deserialize_with = "include")]
    #[schemars(length(min = 1))]
    include: Vec<FolderPattern>,
    /// Folders not to watch; takes precedence over `include`
    exclude: Vec<FolderPattern>,
}

impl Default for FolderFilter {
    fn default() -> Self {
        Self {
            include: vec![FolderPattern::every()],
            exclude: Vec::new(),
        }
    }
}

impl FolderFilter {
    /// The places of the patterns to include that match none of the folders that are watched.
    pub fn unmatched(&self, watched: &[(FolderId, &str)]) -> Vec<usize> {
        let fits =
            |pattern: &FolderPattern| watched.iter().any(|(id, name)| pattern.matches(*id, name));
        let patterns = self.include.iter().enumerate();
        let unmatched = patterns.filter(|(_, pattern)| !fits(pattern));
        unmatched.map(|(place, _)| place).collect()
    }

    /// Whether a folder is watched.
    pub fn admits(&self, id: FolderId, name: &str) -> bool {
        let fits = |pattern: &FolderPattern| pattern.matches(id, name);
        let included = self.include.iter().any(fits);
        included && !self.exclude.iter().any(fits)
    }

    /// Whether every folder is excluded, whatever its name.
    pub fn excludes_all(&self) -> bool {
        self.exclude.contains(&FolderPattern::every())
    }
}

fn include<'de, D>(deserializer: D) -> Result<Vec<FolderPattern>, D::Error>
where
    D: Deserializer<'de>,
{
    let patterns = Vec::deserialize(deserializer)?;
    if patterns.is_empty() {
        return Err(D::Error::custom(
            "the list is empty, so no folder would be watched: remove it to watch all",
        ));
    }
    Ok(patterns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    const ID: &str = "018f2c5e-7b1a-7c3d-9e4f-a1b2c3d4e5f6";

    fn filter(yaml: &str) -> FolderFilter {
        serde_saphyr::from_str(yaml).unwrap()
    }

    #[test]
    fn globs_see_characters_whatever_the_alphabet() {
        for (pattern, name, fits) in [
            ("*", "", true),
            ("*", "a/b\nc", true),
            ("Archive *", "Archive 2024", true),
            ("Archive *", "archive 2024", false),
            ("Отдел ?", "Отдел Я", true),
            ("Отдел [А-В]", "Отдел Б", true),
            ("Отдел [А-В]", "Отдел Я", false),
            ("[!a]*", "b", true),
            ("Inbox", "Inbox 2", false),
        ] {
            let pattern = FolderPattern::parse(pattern).unwrap();
            assert_eq!(pattern.matches(Uuid::nil().into(), name), fits, "{name:?}");
        }
    }

    #[test]
    fn exclusion_wins_and_silence_includes_all() {
        let id = FolderId::parse(ID).unwrap();
        assert!(filter("{}").admits(id, "any"));
        let some = filter(r#"{include: ["In*", "Out*"], exclude: ["*old*"]}"#);
        assert!(some.admits(id, "Inbox"));
        assert!(!some.admits(id, "Inbox, old"));
        assert!(!some.admits(id, "Other"));
        assert!(!filter(&format!("exclude: [{ID}]")).admits(id, "any"));
    }

    #[test]
    fn a_pattern_is_unmatched_while_it_admits_no_folder() {
        let (inbox, old) = (FolderId::parse(ID).unwrap(), Uuid::nil().into());
        let folders = [(inbox, "Inbox"), (old, "Inbox, old")];
        for (yaml, unmatched) in [
            ("{}", &[][..]),
            ("exclude: ['*']", &[0]),
            ("include: ['In*', 'Out*', Inbox]", &[1]),
            ("{include: ['*old'], exclude: ['*old']}", &[0]),
            (&format!("include: [{ID}, {}]", Uuid::max()), &[1]),
        ] {
            let filter = filter(yaml);
            let mut watched = folders.to_vec();
            watched.retain(|(id, name)| filter.admits(*id, name));
            assert_eq!(filter.unmatched(&watched), unmatched, "{yaml}");
        }
    }
}
