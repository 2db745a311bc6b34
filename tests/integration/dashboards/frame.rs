//! What a dashboard as a whole must be like: the rules of Grafana's dashboard-linter about templates, and our own.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{committed, panels, variables};

const DATASOURCE: &str = "${datasource}";

#[test]
fn a_dashboard_is_found_by_a_uid_and_a_tag_that_stay_and_is_not_edited_in_place() {
    let boards = committed();
    let uids: BTreeSet<_> = boards
        .iter()
        .map(|board| board["uid"].as_str().unwrap())
        .collect();
    assert_eq!(
        Vec::from_iter(uids),
        [
            "kb-exporter",
            "kb-folder",
            "kb-knowledge-base",
            "kb-reindexing"
        ]
    );
    for board in &boards {
        assert_eq!(board["schemaVersion"], 42);
        assert_eq!(board["tags"], json!(["kb-exporter"]));
        assert_eq!(board["editable"], false);
        assert!(!board["title"].as_str().unwrap().is_empty());
        assert!(!board["description"].as_str().unwrap().is_empty());
        assert_eq!(board.get("__inputs"), None, "it was exported for sharing");
    }
}

#[test]
fn dashboards_lead_to_each_other_and_keep_the_time_and_the_variables() {
    for board in committed() {
        let link = &board["links"][0];
        assert_eq!(link["type"], "dashboards");
        assert_eq!(link["tags"], board["tags"]);
        assert_eq!(link["keepTime"], true);
        assert_eq!(link["includeVars"], true);
    }
}

#[test]
fn every_dashboard_lets_choose_the_data_source_the_job_the_instance_and_the_portal() {
    for board in committed() {
        let list = board["templating"]["list"].as_array().unwrap();
        let source = &list[0];
        assert_eq!(source["name"], "datasource");
        assert_eq!(source["label"], "Data source");
        assert_eq!(
            (&source["type"], &source["query"]),
            (&json!("datasource"), &json!("prometheus"))
        );
        let names: Vec<_> = variables(&board)
            .map(|own| own["name"].as_str().unwrap())
            .collect();
        assert_eq!(names[..3], ["job", "instance", "portal"]);
        for variable in variables(&board) {
            assert_eq!(variable["type"], "query", "{variable}");
            assert_eq!(variable["datasource"]["uid"], DATASOURCE, "{variable}");
            assert!(
                !variable["label"].as_str().unwrap().is_empty(),
                "{variable}"
            );
            assert_eq!(variable["includeAll"], true, "{variable}");
            assert_eq!(variable["multi"], true, "{variable}");
            assert_eq!(variable["allValue"], ".+", "{variable}");
            // When the time changes.
            assert_eq!(variable["refresh"], 2, "{variable}");
        }
    }
}

#[test]
fn every_panel_has_a_number_a_title_and_a_place_of_its_own() {
    for board in committed() {
        let mut ids = BTreeSet::new();
        let mut titles = BTreeSet::new();
        let mut taken = BTreeSet::new();
        for panel in panels(&board) {
            assert!(ids.insert(panel["id"].as_u64().unwrap()), "{panel}");
            let title = (panel["type"] == "row", panel["title"].as_str());
            assert!(titles.insert(title), "{panel}");
            for cell in cells(panel) {
                assert!(cell.0 < 24 && taken.insert(cell), "{cell:?}: {panel}");
            }
        }
    }
}

#[test]
fn a_row_is_open_and_its_panels_follow_it() {
    for board in committed() {
        for row in panels(&board).filter(|panel| panel["type"] == "row") {
            // Panels inside a row would not be looked at by the other tests.
            assert_eq!(
                (&row["collapsed"], &row["panels"]),
                (&json!(false), &json!([]))
            );
        }
    }
}

/// The columns and rows of the grid that a panel covers.
fn cells(panel: &Value) -> impl Iterator<Item = (u64, u64)> {
    let [x, y, width, height] =
        ["x", "y", "w", "h"].map(|name| panel["gridPos"][name].as_u64().unwrap());
    (x..x + width).flat_map(move |column| (y..y + height).map(move |row| (column, row)))
}
