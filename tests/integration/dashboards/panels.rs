//! What every panel must be like: the rules of Grafana's dashboard-linter about panels, of every type, and our own.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{committed, panels, targets};

/// The panels that every Grafana can draw without a plugin of its own.
const TYPES: [&str; 6] = ["timeseries", "stat", "gauge", "bargauge", "table", "text"];

/// The units of Grafana that are used.
const UNITS: [&str; 7] = [
    "short",
    "none",
    "s",
    "bytes",
    "percentunit",
    "reqps",
    "string",
];

fn all(check: impl Fn(&Value)) {
    for board in committed() {
        panels(&board)
            .filter(|panel| panel["type"] != "row")
            .for_each(&check);
    }
}

#[test]
fn every_panel_says_what_it_shows_and_what_to_do() {
    all(|panel| {
        let kind = panel["type"].as_str().unwrap();
        assert!(TYPES.contains(&kind), "{panel}");
        let said = |pointer: &str| {
            let text = panel.pointer(pointer).and_then(Value::as_str);
            text.filter(|text| !text.is_empty())
                .unwrap_or_else(|| panic!("{pointer}: {panel}"))
        };
        said("/title");
        said("/fieldConfig/defaults/noValue");
        let description = said("/description");
        let advises = ["When ", "when ", "alerts/runbook.md"]
            .iter()
            .any(|word| description.contains(word));
        assert!(advises, "no advice: {description}");
    });
    for board in committed() {
        let rows = panels(&board).filter(|panel| panel["type"] == "row");
        assert!(
            rows.map(|row| row["title"].as_str().unwrap())
                .all(|title| !title.is_empty())
        );
    }
}

#[test]
fn every_panel_asks_the_chosen_data_source() {
    all(|panel| {
        assert_eq!(panel["datasource"]["uid"], "${datasource}", "{panel}");
        let asks = targets(panel).count() > 0;
        assert_eq!(asks, panel["type"] != "text", "{panel}");
        let mut names = BTreeSet::new();
        for target in targets(panel) {
            assert_eq!(target["datasource"], panel["datasource"], "{panel}");
            assert!(names.insert(target["refId"].as_str()), "{panel}");
            assert!(!target["expr"].as_str().unwrap().is_empty(), "{panel}");
        }
    });
}

#[test]
fn a_value_that_is_not_known_is_neither_good_nor_bad() {
    all(|panel| {
        let thresholds = &panel["fieldConfig"]["defaults"]["thresholds"];
        if let Some(steps) = thresholds["steps"].as_array() {
            assert_eq!(steps[0], json!({"color": "text", "value": null}), "{panel}");
        }
    });
}

#[test]
fn every_unit_is_one_of_grafana() {
    all(|panel| {
        let unit = &panel["fieldConfig"]["defaults"]["unit"];
        let overrides = panel["fieldConfig"]["overrides"].as_array().unwrap().iter();
        let properties = overrides.flat_map(|one| one["properties"].as_array().unwrap());
        let units = properties
            .filter(|own| own["id"] == "unit")
            .map(|own| &own["value"]);
        for unit in units.chain([unit]) {
            assert!(UNITS.contains(&unit.as_str().unwrap()), "{unit}: {panel}");
        }
    });
}

#[test]
fn a_label_in_a_table_is_text_even_when_it_looks_like_a_number() {
    // Only the columns of labels can be filtered.
    let is_of_a_label = |one: &&Value| {
        let properties = one["properties"].as_array().unwrap();
        properties
            .iter()
            .any(|own| own["id"] == "custom.filterable")
    };
    all(|panel| {
        let overrides = panel["fieldConfig"]["overrides"].as_array().unwrap();
        for label in overrides.iter().filter(is_of_a_label) {
            let properties = label["properties"].as_array().unwrap();
            let unit = properties.iter().find(|own| own["id"] == "unit");
            assert_eq!(unit.unwrap()["value"], "string", "{label}");
        }
    });
}

#[test]
fn a_single_value_is_shown_as_it_is_and_not_as_it_was() {
    // A single value that is read from a range would go on to show what has long been gone.
    all(|panel| {
        let instant = panel["type"] != "timeseries";
        for target in targets(panel) {
            assert_eq!(target["instant"], instant, "{panel}");
            assert_eq!(target["range"], !instant, "{panel}");
        }
    });
}

#[test]
fn a_word_has_one_colour_everywhere() {
    let mut colours: BTreeMap<String, String> = BTreeMap::new();
    for board in committed() {
        for panel in panels(&board) {
            for one in panel["fieldConfig"]["overrides"]
                .as_array()
                .into_iter()
                .flatten()
            {
                let properties = one["properties"].as_array().unwrap().iter();
                let mut colour = properties.filter(|own| own["id"] == "color");
                let Some(colour) = colour.next() else {
                    continue;
                };
                let name = one["matcher"]["options"].as_str().unwrap().to_lowercase();
                let colour = colour["value"]["fixedColor"].as_str().unwrap();
                let before = colours.insert(name.clone(), colour.to_owned());
                assert!(
                    before.is_none_or(|before| before == colour),
                    "{name}: {panel}"
                );
            }
        }
    }
    for status in ["pending", "processing", "done", "failed", "flagged"] {
        assert!(colours.contains_key(status), "{status} has no colour");
    }
}

/// Columns of tables that lead to a dashboard, with its uid and the variable that it shows.
const LINKS: [(&str, &str, &str); 2] = [
    (
        "folder",
        "/d/kb-folder?",
        "&var-folder=${__data.fields.folder_id:percentencode}&",
    ),
    (
        "portal",
        "/d/kb-knowledge-base?",
        "var-portal=${__data.fields.portal:percentencode}&",
    ),
];

#[test]
fn a_folder_or_portal_in_a_table_leads_to_its_dashboard_with_the_same_data_and_time() {
    let mut links = Vec::new();
    for board in committed() {
        for panel in panels(&board).filter(|panel| panel["type"] == "table") {
            let columns = panel["fieldConfig"]["overrides"].as_array().unwrap();
            for (label, dashboard, shown) in LINKS {
                let Some(column) = columns
                    .iter()
                    .find(|one| one["matcher"]["options"] == label)
                else {
                    continue;
                };
                let properties = column["properties"].as_array().unwrap();
                if properties.iter().any(|own| own["id"] == "custom.hidden") {
                    continue;
                }
                let link = properties.iter().find(|own| own["id"] == "links").unwrap();
                let url = link["value"][0]["url"].as_str().unwrap();
                let kept = "${datasource:queryparam}&${job:queryparam}&${instance:queryparam}&${__url_time_range}";
                assert!(url.starts_with(dashboard) && url.contains(shown), "{url}");
                assert!(url.ends_with(kept), "{url}");
                links.push(label);
            }
        }
    }
    links.sort_unstable();
    assert_eq!(
        links.join(" "),
        "folder folder folder folder folder portal portal portal portal portal portal"
    );
}
