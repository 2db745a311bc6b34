//! The results of retries for each error class, in each output format.

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::{Value, json};

use crate::attempts::Book;
use crate::cli::output;
use crate::cli::table::{Table, known};
use crate::clock::Moment;
use crate::config::Portal;
use crate::model::PortalAddress;
use crate::policy::{ClassRecord, class_records};

pub(super) struct Row {
    portal: String,
    record: ClassRecord,
}

/// The classes of every portal, those with most files first.
pub(super) fn rows(books: &BTreeMap<PortalAddress, Book>, portals: &[Portal]) -> Vec<Row> {
    let now = Moment::now().wall;
    let rows = books.iter().flat_map(|(address, book)| {
        let portal = named(address, portals);
        class_records(book, now).into_iter().map(move |record| Row {
            portal: portal.clone(),
            record,
        })
    });
    rows.collect()
}

/// The configured names of a portal, or its address if it has none.
fn named(address: &PortalAddress, portals: &[Portal]) -> String {
    let of_address = portals
        .iter()
        .filter(|portal| portal.base_url.normalised() == *address);
    let names: Vec<&str> = of_address.map(|portal| portal.name.as_str()).collect();
    if names.is_empty() {
        return address.to_string();
    }
    names.join(", ")
}

pub(super) fn json(rows: &[Row]) -> Result<String> {
    let rows = rows.iter().map(|Row { portal, record }| {
        json!({
            "portal": portal,
            "class": record.class.as_str(),
            // Until when every folder with files of the class is sent, because a retry helps.
            "good_until": record.good_until.map(|until| until.to_string()),
            "recovered": record.files.recovered,
            "refailed": record.files.refailed,
            // When files of it were sent last.
            "last": record.last.map(|last| last.to_string()),
        })
    });
    output::document(&json!({ "classes": rows.collect::<Value>() }))
}

pub(super) fn table(rows: &[Row], width: Option<u16>) -> Table {
    let columns = "portal, error, =a retry, #recovered, #failed again, =last sent";
    let mut table = Table::new(columns, width);
    for Row { portal, record } in rows {
        table.add(&[
            portal,
            &record.class,
            &record.a_retry(),
            &record.files.recovered,
            &record.files.refailed,
            &known(record.last),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attempts::{ClassTotals, FileState, Intent, Review, SentFile, Verdict};
    use crate::classify::Class;
    use crate::model::{FileKey, Outcome, PortalName, Timestamp};

    #[test]
    fn each_class_has_a_row_that_says_whether_a_retry_helps() {
        let at = Timestamp::from_millis(1_772_366_400_000);
        let mut view = Book::new(at);
        for folder in 1..=3 {
            let file = |link, class: &str| {
                let key = FileKey { link, id: link };
                (key, SentFile::new(Class::Text(class.into())))
            };
            let files = vec![file(1, "timeout"), file(2, "password │ \u{1b}")];
            let keys = [files[0].0, files[1].0];
            let intent = Intent::new(
                PortalName::new("main").unwrap(),
                uuid::Uuid::from_u128(folder).into(),
                at,
                files,
            );
            let id = view.intend(intent).unwrap();
            let outcome = Outcome::Accepted { updated: 2 };
            view.settle(id, at, outcome).unwrap();
            let review = Review {
                changed: vec![(keys[0], FileState::Done), (keys[1], FileState::Refailed)],
                verdict: Some(Verdict::Partial),
            };
            view.review(id, at, &review).unwrap();
        }
        let address = PortalAddress::from("https://portal.example/admin");
        let rows = rows(&[(address, view)].into(), &[]);
        let found: Vec<_> = rows
            .iter()
            .map(|Row { record, .. }| (record.a_retry(), record.files))
            .collect();
        let files = |recovered, refailed| ClassTotals {
            recovered,
            refailed,
        };
        let expected = [("has not helped", files(0, 3)), ("has helped", files(3, 0))];
        assert_eq!(found, expected);
        let shown = table(&rows, Some(100)).to_string();
        assert!(shown.contains("has not helped") && !shown.contains('\u{1b}'));
        let document = json(&rows).unwrap();
        assert!(document.contains(r#""last": "2026-03-01T12:00:00Z""#));
    }
}
