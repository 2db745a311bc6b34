//! The keys of the configuration, for people.

/// The configuration reference as a Markdown table.
#[must_use]
pub fn reference_markdown() -> String {
    String::new()
}

/// The keys of the mapping at `path`.
pub(super) fn keys_of(_path: &str) -> Vec<&'static str> {
    Vec::new()
}
