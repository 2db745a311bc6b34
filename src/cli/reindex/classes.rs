//! The results of retries for each error class, in each output format.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};

use crate::attempts::Book;
use crate::cli::output;
use crate::cli::table::{self, Table};
use crate::clock::Moment;
use crate::config::Portal;
use crate::model::{PortalAddress, Timestamp};
use crate::policy::{ClassRecord, Tries, class_records, tries};
use crate::text;

/// What is known of the retries in a portal.
pub(super) struct Known {
    portal: String,
    /// The classes, those with most files first.
    records: Vec<ClassRecord>,
    tries: Tries,
}

/// What is known of every portal.
pub(super) fn known(
    views: &BTreeMap<PortalAddress, Book>,
    portals: &[Portal],
    cooldown: Duration,
) -> Vec<Known> {
    let now = Moment::now().wall;
    let known = views.iter().map(|(address, view)| Known {
        portal: named(address, portals),
        records: class_records(view, cooldown, now),
        tries: tries(view, now),
    });
    known.collect()
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

pub(super) fn json(known: &[Known]) -> Result<String> {
    let text = |time: Option<Timestamp>| time.map(|time| time.to_string());
    let classes = known.iter().flat_map(|known| {
        known.records.iter().map(move |record| {
            let (back, newest) = record.newest;
            json!({
                "portal": known.portal,
                "class": record.class.as_str(),
                // Until when every folder with files of the class is sent, because a retry helps.
                "good_until": text(record.good_until),
                // The newest files with a result, ten at most, and how many of them came back: 3 of 10 make the class good.
                "newest": newest,
                "newest_recovered": back,
                // The end of the pause between two tries.
                "paused_until": text(record.paused_until),
                "recovered": record.files.recovered,
                "refailed": record.files.refailed,
                // When files of it were sent last.
                "last": text(record.last),
            })
        })
    });
    let portals = known.iter().map(|known| {
        json!({
            "portal": known.portal,
            // The tries that are left in this hour, of how many, and when the next one may be made if none is.
            "tries_left": known.tries.left,
            "tries": Tries::AN_HOUR,
            "next_try": text(known.tries.next),
        })
    });
    output::document(&json!({
        "classes": classes.collect::<Value>(),
        "portals": portals.collect::<Value>(),
    }))
}

pub(super) fn printed(known: &[Known], width: Option<u16>) -> String {
    let tries = known.iter().map(tries_left);
    format!("{}{}", table(known, width), tries.collect::<String>())
}

/// The tries that a portal has left, in a line.
fn tries_left(known: &Known) -> String {
    let Tries { left, next } = known.tries;
    let most = Tries::AN_HOUR;
    let next = next.map(|next| format!("; the next one after {next}"));
    let next = next.unwrap_or_default();
    let portal = text::one_line(&known.portal);
    format!("{portal}: {left} of {most} tries are left in this hour{next}\n")
}

fn table(known: &[Known], width: Option<u16>) -> Table {
    let columns = "portal, error, =a retry, #recovered, #failed again, =of the newest, =pause until, =last sent";
    let mut rows = Table::new(columns, width);
    for Known {
        portal, records, ..
    } in known
    {
        for record in records {
            let (back, newest) = record.newest;
            let newest = (newest > 0).then(|| format!("{back} of {newest}"));
            rows.add(&[
                portal,
                &record.class,
                &record.a_retry(),
                &record.files.recovered,
                &record.files.refailed,
                &table::known(newest),
                &table::known(record.paused_until),
                &table::known(record.last),
            ]);
        }
    }
    rows
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
        let known = known(&[(address, view)].into(), &[], Duration::from_hours(1));
        let records = known[0].records.iter();
        let found: Vec<_> = records
            .map(|record| (record.a_retry(), record.files, record.newest))
            .collect();
        let files = |recovered, refailed| ClassTotals {
            recovered,
            refailed,
        };
        let expected = [
            ("has not helped", files(0, 3), (0, 3)),
            ("has helped", files(3, 0), (3, 3)),
        ];
        assert_eq!(found, expected);
        let shown = printed(&known, Some(140));
        assert!(shown.contains("has not helped") && !shown.contains('\u{1b}'));
        assert!(shown.contains("3 of 3") && shown.contains("tries are left in this hour"));
        let document = json(&known).unwrap();
        assert!(document.contains(r#""last": "2026-03-01T12:00:00Z""#));
    }
}
