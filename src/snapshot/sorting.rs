//! Whether a portal sorts by status.

/// Whether a portal sorts by status: the label `state` of `kb_portal_sorting`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SortingState {
    /// Audits agreed with the counts by boundaries.
    Shown,
    /// The portal's interface says so (docs/portal.md, File list), and nothing has shown or refuted it yet.
    #[default]
    Assumed,
    /// Rows or an audit refuted it: folders that were not shown to be sorted are scanned in full.
    Refuted,
}

impl SortingState {
    pub const ALL: [Self; 3] = [Self::Shown, Self::Assumed, Self::Refuted];

    /// The value of the label `state`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Shown => "shown",
            Self::Assumed => "assumed",
            Self::Refuted => "refuted",
        }
    }
}
