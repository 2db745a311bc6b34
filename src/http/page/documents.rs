//! The documents of this version, for networks without internet access. `build.rs` makes pages of them.

use maud::{Markup, PreEscaped, html};

include!(concat!(env!("OUT_DIR"), "/documents.rs"));

/// The title of a document and its page.
pub(super) fn content(name: &str) -> Option<(String, Markup)> {
    let found = DOCUMENTS.iter().find(|(known, ..)| *known == name);
    found.map(|(_, title, page)| {
        let content = html! { article.document { (PreEscaped(page)) } };
        ((*title).to_owned(), content)
    })
}

pub(super) fn list() -> Markup {
    html! {
        h1 { "Documentation" }
        ul.plain { @for (name, title, _) in DOCUMENTS { li { a href={ "docs/" (name) } { (title) } } } }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_link_between_documents_leads_to_a_heading() {
        let mut places = BTreeSet::new();
        for (name, _, page) in DOCUMENTS {
            let ids = page.split(" id=\"").skip(1);
            let ids = ids.filter_map(|rest| rest.split('"').next());
            places.extend(ids.map(|id| format!("docs/{name}#{id}")));
            places.insert(format!("docs/{name}"));
        }
        for (name, _, page) in DOCUMENTS {
            assert!(page.contains("<summary>Contents</summary>"), "{name}");
            let links = page.split(" href=\"").skip(1);
            for link in links.filter_map(|rest| rest.split('"').next()) {
                assert!(
                    link.contains("://") || places.contains(link),
                    "{name}: {link}"
                );
            }
        }
        assert!(places.contains("docs/runbook.md#kbfailedspike"));
    }
}
