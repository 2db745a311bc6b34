//! The files are as an edit leaves them, without what an export from Grafana adds.

use std::{env, fs};

use serde_json::{Value, json};

use super::{files, read};

/// If set, the files are written anew.
const UPDATE: &str = "UPDATE_DASHBOARDS";

#[test]
fn a_file_is_named_by_its_uid_and_has_sorted_keys_and_nothing_of_one_installation() {
    for file in files() {
        let text = fs::read_to_string(&file).unwrap();
        let formatted = formatted(read(&file));
        if env::var_os(UPDATE).is_some() {
            fs::write(&file, &formatted).unwrap();
        } else {
            let file = file.display();
            assert!(text == formatted, "{file}: run the test with {UPDATE}=1");
        }
        let uid = read(&file)["uid"].as_str().unwrap().to_owned();
        assert_eq!(
            uid.strip_prefix("kb-"),
            file.file_stem().unwrap().to_str(),
            "the name of the file"
        );
    }
}

fn formatted(mut board: Value) -> String {
    let own = board.as_object_mut().unwrap();
    own.remove("id");
    own.insert("version".to_owned(), json!(1));
    own.insert("editable".to_owned(), json!(false));
    for variable in own["templating"]["list"].as_array_mut().unwrap() {
        variable["options"] = json!([]);
        variable["current"] = match variable["type"].as_str() {
            Some("datasource") => json!({}),
            _ => json!({"selected": true, "text": ["All"], "value": ["$__all"]}),
        };
    }
    board.sort_all_objects();
    format!("{board:#}\n")
}
