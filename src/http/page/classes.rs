//! The error classes whose files were sent again, and their outcomes.

use maud::{Markup, html};

use crate::attempts::LedgerView;
use crate::http::page::layout::table;
use crate::model::Timestamp;
use crate::policy::{ClassRecord, class_records};

/// Rows of the table, at most; the others are only counted.
const MAX_ROWS: usize = 50;

/// A table with a row for each class that was sent; nothing, if none was.
pub(super) fn section(ledger: &LedgerView, now: Timestamp) -> Markup {
    let records = class_records(ledger, now);
    let more = records.len().saturating_sub(MAX_ROWS);
    let heads = [
        ("Class", ""),
        ("A retry", ""),
        ("Recovered", "n"),
        ("Failed again", "n"),
        ("Last sent", ""),
    ];
    html! {
        @if !records.is_empty() {
            h3 { "Whether a retry helps" }
            (table("Whether a retry helps", &heads, records.iter().take(MAX_ROWS).map(row)))
            @if more > 0 {
                p { "Not shown: " (more) " more (" code { "kb-exporter reindex classes" } " shows all)." }
            }
        }
    }
}

fn row(record: &ClassRecord) -> Markup {
    html! {
        td.name { (record.class) }
        td { (record.a_retry()) }
        td.n { (record.files.recovered) }
        td.n { (record.files.refailed) }
        td.time { @if let Some(last) = record.last { (last) } @else { "–" } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attempts::{FileState, Intent, Review, SentFile, Verdict};
    use crate::classify::Class;
    use crate::model::{FileKey, Outcome};

    const NOON: i64 = 1_772_366_400_000;

    /// Sends one file of each class in each of three folders; of the first class they come back, of the others they do not.
    fn ledger(classes: &[String]) -> LedgerView {
        let at = Timestamp::from_millis(NOON);
        let mut view = LedgerView::new(at);
        for number in 1..=3 {
            let keyed = (1..).zip(classes);
            let key = |id| FileKey { link: id, id };
            let file = |(id, class): (u128, &String)| {
                (key(id), SentFile::new(Class::Text(class.as_str().into())))
            };
            let intent = Intent::new(
                crate::model::PortalName::new("main").unwrap(),
                uuid::Uuid::from_u128(number).into(),
                at,
                keyed.map(file).collect(),
            );
            let files = intent.files.len() as u64;
            let fate = |id| {
                if id == 1 {
                    FileState::Done
                } else {
                    FileState::Refailed
                }
            };
            let changed = (1..=u128::from(files)).map(|id| (key(id), fate(id)));
            let review = Review {
                changed: changed.collect(),
                verdict: Some(Verdict::Partial),
            };
            let outcome = Outcome::Accepted { updated: files };
            let id = view.intend(intent).unwrap();
            view.settle(id, at, outcome).unwrap();
            view.review(id, at, &review).unwrap();
        }
        view
    }

    fn shown(classes: &[String]) -> String {
        section(&ledger(classes), Timestamp::from_millis(NOON)).into_string()
    }

    #[test]
    fn each_class_says_whether_a_retry_helps_and_since_when_that_is_known() {
        let page = shown(&["timeout".to_owned(), "password".to_owned()]);
        for row in [
            "<td class=\"name\">timeout</td><td>helps</td><td class=\"n\">3</td><td class=\"n\">0</td><td class=\"time\">2026-03-01T12:00:00Z</td>",
            "<td class=\"name\">password</td><td>has not helped</td><td class=\"n\">0</td><td class=\"n\">3</td><td class=\"time\">2026-03-01T12:00:00Z</td>",
        ] {
            assert!(page.contains(row), "{page}");
        }
        assert!(!page.contains("Not shown"));
    }

    #[test]
    fn nothing_is_shown_where_nothing_was_sent() {
        assert_eq!(
            section(
                &LedgerView::new(Timestamp::from_millis(NOON)),
                Timestamp::from_millis(NOON)
            )
            .into_string(),
            ""
        );
    }

    #[test]
    fn a_class_is_escaped() {
        let page = shown(&["<script>alert(1)</script> & \"co\"".to_owned()]);
        assert!(!page.contains("<script"), "{page}");
        assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;co&quot;"));
    }

    #[test]
    fn there_are_no_more_rows_than_fit_and_the_others_are_counted() {
        let classes: Vec<_> = (0..60).map(|number| format!("class {number}")).collect();
        let page = shown(&classes);
        assert_eq!(page.matches("<tr>").count(), 1 + MAX_ROWS);
        // The ledger distinguishes 50 classes, and counts the files of all others as one.
        assert!(page.contains("Not shown: 1 more"), "{page}");
    }
}
