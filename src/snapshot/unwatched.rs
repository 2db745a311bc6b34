//! Folders that nobody counts, although the portal lists them or the configuration names them.

/// How many there are, by the reason why.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unwatched {
    /// Folders beyond `collect.max_folders`.
    pub max_folders: u64,
    /// Patterns of `folders.include` that admit no folder of the list.
    pub no_match: u64,
    /// Rows of the list without a valid folder id.
    pub invalid_row: u64,
    /// Rows by which the list differs from its total.
    pub list_incomplete: u64,
}

impl Unwatched {
    /// Each value of the label `reason` of `kb_portal_folders_unwatched`, with its number.
    pub const fn by_reason(self) -> [(&'static str, u64); 4] {
        [
            ("max_folders", self.max_folders),
            ("no_match", self.no_match),
            ("invalid_row", self.invalid_row),
            ("list_incomplete", self.list_incomplete),
        ]
    }

    /// What nobody counts although the portal has it; for people.
    pub fn faults(self) -> impl Iterator<Item = String> {
        let Self {
            max_folders,
            invalid_row,
            list_incomplete,
            ..
        } = self;
        let invalid =
            format!("{invalid_row} rows of the list have no valid folder id and are not collected");
        let beyond =
            format!("{max_folders} folders are beyond collect.max_folders and are not collected");
        let incomplete =
            "the list of folders is incomplete: its total differs from its length".to_owned();
        [
            (invalid_row, invalid),
            (max_folders, beyond),
            (list_incomplete, incomplete),
        ]
        .into_iter()
        .filter_map(|(number, fault)| (number > 0).then_some(fault))
    }

    /// What the configuration names although the portal does not have it, if so; for people.
    pub fn unmatched(self) -> Option<String> {
        let patterns = match self.no_match {
            0 => return None,
            1 => "a pattern of folders.include (by default *) matches".to_owned(),
            several => format!("{several} patterns of folders.include match"),
        };
        Some(format!("{patterns} no folder that the key may use"))
    }
}
