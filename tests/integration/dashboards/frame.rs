//! What links and people hang on: the names of dashboards and their variables.

use std::collections::BTreeSet;

use serde_json::json;

use super::{committed, variables};

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
