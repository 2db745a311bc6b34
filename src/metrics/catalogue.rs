//! All metric families (docs/metrics.md, All metrics).

use std::fmt::Write as _;
use std::sync::LazyLock;

use crate::metrics::events;
use crate::metrics::facts::folder;
use crate::metrics::facts::portal;
use crate::metrics::facts::reindex;

pub use crate::metrics::family::{Family, Kind};

/// Every family, in the order of their names.
pub static ALL: LazyLock<Vec<&'static Family>> = LazyLock::new(|| {
    let families = [
        events::FAMILIES,
        portal::FAMILIES,
        folder::FAMILIES,
        reindex::FAMILIES,
    ];
    let mut all = families.concat();
    all.sort_by_key(|family| family.name);
    all
});

/// The families as a Markdown table, with a line break at its end: the table in docs/metrics.md.
#[must_use]
pub fn catalogue_markdown() -> String {
    let mut table = "| Metric | Kind | Labels | Meaning |\n|---|---|---|---|\n".to_owned();
    for family in ALL.iter() {
        let (name, kind, help) = (family.name, family.kind.as_str(), family.help);
        let labels = match family.labels {
            [] => String::new(),
            labels => format!("`{}`", labels.join("`, `")),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(table, "| `{name}` | {kind} | {labels} | {help} |");
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_help_texts_are_sentences_that_need_no_escape() {
        assert!(ALL.is_sorted_by(|a, b| a.name < b.name));
        for Family { name, help, .. } in ALL.iter() {
            assert!(
                help.ends_with('.') && !help.contains(['\\', '\n']),
                "{name}"
            );
        }
    }
}
