//! The documents of this version, for networks without internet access.

use maud::{Markup, html};

/// The documents by their names in the repository.
const DOCUMENTS: [(&str, &str); 9] = [
    ("runbook.md", include_str!("../../../alerts/runbook.md")),
    ("metrics.md", include_str!("../../../docs/metrics.md")),
    (
        "installation.md",
        include_str!("../../../docs/installation.md"),
    ),
    ("operations.md", include_str!("../../../docs/operations.md")),
    (
        "shared-state.md",
        include_str!("../../../docs/shared-state.md"),
    ),
    ("reindexing.md", include_str!("../../../docs/reindexing.md")),
    (
        "configuration.md",
        include_str!("../../../docs/configuration.md"),
    ),
    ("portal.md", include_str!("../../../docs/portal.md")),
    (
        "architecture.md",
        include_str!("../../../docs/architecture.md"),
    ),
];

pub(super) fn list() -> Markup {
    html! {
        h1 { "Documentation" }
        ul {
            @for (name, text) in DOCUMENTS {
                li { a href={ "/docs/" (name) } { (title(text)) } }
            }
        }
    }
}

pub(in crate::http) fn text(name: &str) -> Option<&'static str> {
    let found = DOCUMENTS.iter().find(|(known, _)| *known == name);
    found.map(|(_, text)| *text)
}

fn title(text: &str) -> &str {
    let first = text.lines().next().unwrap_or_default();
    first.trim_start_matches("# ")
}
