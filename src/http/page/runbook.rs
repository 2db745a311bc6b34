//! The runbook, for networks without internet access. `build.rs` makes a page of it.

use maud::{Markup, PreEscaped, html};

const PAGE: &str = include_str!(concat!(env!("OUT_DIR"), "/runbook.html"));

pub(super) fn content() -> Markup {
    html! { article.document { (PreEscaped(PAGE)) } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::health::Kind;

    #[test]
    fn each_finding_and_each_link_has_its_section() {
        let links = PAGE.split(" href=\"runbook#").skip(1);
        let links = links.filter_map(|rest| rest.split('"').next());
        let kinds = Kind::ALL.map(Kind::as_str);
        let kinds = kinds.into_iter().filter(|section| !section.is_empty());
        for anchor in links.chain(kinds) {
            assert!(PAGE.contains(&format!(" id=\"{anchor}\"")), "{anchor}");
        }
        assert!(PAGE.contains("<summary>Contents</summary>"));
    }
}
