//! `kb-exporter reindex classes`: the results of retries for each error class, and the tries that each portal has left.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::cli::view::List;
use crate::clock::Moment;
use crate::config::{Config, Portal};
use crate::model::{PortalAddress, Timestamp};
use crate::policy::{ClassRecord, Tries, class_records, tries};
use crate::store;

const CLASSES: &str =
    "portal class a_retry recovered refailed newest_recovered newest paused_until last";

const PORTALS: &str = "portal tries_left tries next_try";

/// The classes of all portals, of each those with most files first; and the portals.
pub(super) fn lists(config: &Config) -> Result<[List; 2]> {
    let now = Moment::now().wall;
    let books = store::books(&config.state).context("the classes cannot be shown")?;
    let (mut classes, mut portals) = (Vec::new(), Vec::new());
    for (address, book) in &books {
        let portal = named(address, &config.portals);
        let records = class_records(book, config.reindex.rules.cooldown, now);
        classes.extend(records.iter().map(|record| class_row(&portal, record)));
        let tries = tries(book, now);
        portals.push(json!({
            "portal": portal,
            // The tries that are left in this hour, of how many, and when the next one may be made if none is.
            "tries_left": tries.left,
            "tries": Tries::AN_HOUR,
            "next_try": tries.next.map(|time| time.to_string()),
        }));
    }
    Ok([
        List::new("classes", CLASSES, classes),
        List::new("portals", PORTALS, portals),
    ])
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

fn class_row(portal: &str, record: &ClassRecord) -> Value {
    let text = |time: Option<Timestamp>| time.map(|time| time.to_string());
    let (newest_recovered, newest) = record.newest;
    json!({
        "portal": portal,
        "class": record.class.as_str(),
        // Whether a retry helps, for people.
        "a_retry": record.a_retry(),
        "recovered": record.files.recovered,
        "refailed": record.files.refailed,
        // The newest files with a result, ten at most, and how many of them came back: 3 of 10 make the class good.
        "newest": newest,
        "newest_recovered": newest_recovered,
        // Until when every folder with files of the class is sent, because a retry helps.
        "good_until": text(record.good_until),
        // The end of the pause between two tries.
        "paused_until": text(record.paused_until),
        // When files of it were sent last.
        "last": text(record.last),
    })
}
