//! A portal's list of folders.

use crate::model::Timestamp;
use crate::portal::Trouble;

/// What is known of a portal's list of folders: nothing before it was asked.
#[derive(Debug, Clone, Default)]
pub struct ListState {
    /// By the last time that it was read.
    pub facts: Option<ListFacts>,
    /// Why it cannot be read, if the last collection could not.
    pub failure: Option<ListFailure>,
}

impl ListState {
    /// What it contains, if the last collection read it.
    pub fn current(&self) -> Option<&ListFacts> {
        self.facts.as_ref().filter(|_| self.failure.is_none())
    }

    pub fn trouble(&self) -> Option<Trouble> {
        self.failure.as_ref().map(|failure| failure.trouble)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListFailure {
    pub trouble: Trouble,
    /// For people.
    pub message: String,
    /// When it failed first, by any reason, since it was read.
    pub since: Timestamp,
}

/// What a list contained: the folders that the key may use, and, by the reason why, those that nobody counts although the portal lists them or
/// the configuration names them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListFacts {
    pub folders: usize,
    /// Folders beyond `collect.max_folders`.
    pub max_folders: u64,
    /// The places in `folders.include` of patterns that admit no folder of the list.
    pub no_match: Vec<usize>,
    /// Rows of the list without a valid folder id.
    pub invalid_row: u64,
    /// Rows by which the list differs from its total.
    pub list_incomplete: u64,
}

impl ListFacts {
    /// Each value of the label `reason` of `kb_portal_folders_unwatched`, with its number, and what it means, for people.
    pub fn by_reason(&self) -> [(&'static str, u64, &'static str); 4] {
        [
            (
                "max_folders",
                self.max_folders,
                "folders beyond collect.max_folders, which are not collected",
            ),
            (
                "no_match",
                self.no_match.len() as u64,
                "patterns of folders.include (by default *) that match no folder that the key may use",
            ),
            (
                "invalid_row",
                self.invalid_row,
                "rows of the list without a valid folder id, which are not collected",
            ),
            (
                "list_incomplete",
                self.list_incomplete,
                "rows by which the list of folders differs from its total",
            ),
        ]
    }

    /// What nobody counts, for people. A pattern is named by its place: a key may have been written in place of one.
    pub fn sentences(&self) -> impl Iterator<Item = String> {
        let reasons = self.by_reason().into_iter();
        let reasons = reasons.filter(|(_, number, _)| *number > 0);
        let places = self.no_match.iter();
        let places: Vec<_> = places.map(|it| format!("folders.include[{it}]")).collect();
        reasons.map(move |(reason, number, meaning)| match reason {
            "no_match" => format!("{meaning}: {}", places.join(", ")),
            _ => format!("{meaning}: {number}"),
        })
    }
}
