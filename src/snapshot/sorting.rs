//! Whether a portal sorts by status.

use crate::model::label_values;

label_values! {
    /// Whether a portal sorts by status: the label `state` of `kb_portal_sorting`.
    #[derive(Default)]
    pub enum SortingState {
        /// Audits agreed with the counts by boundaries.
        Shown = "shown",
        /// The portal's interface says so (docs/portal.md, File list), and nothing has shown or refuted it yet.
        #[default]
        Assumed = "assumed",
        /// Rows or an audit refuted it: folders that were not shown to be sorted are scanned in full.
        Refuted = "refuted",
    }
}
