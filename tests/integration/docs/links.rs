//! Links between documents, and the files that one of them names.

use std::path::{Path, PathBuf};

use regex::Regex;

use super::markdown;
use crate::support::repository::{root, text};

/// A link that leads out of the repository.
fn is_outside(target: &str) -> bool {
    target.contains("://") || target.starts_with("mailto:")
}

/// What is wrong with a link of a document.
fn fault(document: &Path, target: &str) -> Option<String> {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let linked: PathBuf = match file {
        "" => root().join(document),
        file => root().join(document).parent().unwrap().join(file),
    };
    if !linked.exists() {
        return Some("there is no such file".to_owned());
    }
    let missing = !anchor.is_empty()
        && !markdown::anchors(&text(&linked))
            .iter()
            .any(|known| known == anchor);
    missing.then(|| "there is no such heading".to_owned())
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let links = Regex::new(r"\]\(([^)\s]+)\)").unwrap();
    let mut followed = 0;
    let mut faults = Vec::new();
    for document in markdown::documents() {
        let document_text = text(&document);
        for line in markdown::prose(&document_text) {
            let targets = links.captures_iter(line).map(|link| link[1].to_owned());
            for target in targets.filter(|target| !is_outside(target)) {
                followed += 1;
                let fault = fault(&document, &target);
                faults.extend(fault.map(|why| format!("{}: {target}: {why}", document.display())));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(followed > 50, "only {followed} links were found");
}

/// `a/{b,c}.rs` names two files.
fn named_files(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else {
        return vec![path.to_owned()];
    };
    let (names, after) = rest.split_once('}').unwrap();
    let names = names.split(',');
    names.map(|name| format!("{before}{name}{after}")).collect()
}

/// Files of the program are named from `src`, and those of the tests of the running program from their folder.
#[test]
fn every_file_that_the_guide_for_contributors_names_is_there() {
    let paths = Regex::new(r"`([\w/.{},]+(?:\.rs|\.yml|\.md|/))`").unwrap();
    let mut named = 0;
    for path in paths.captures_iter(&text("CONTRIBUTING.md")) {
        for file in named_files(&path[1]) {
            let folders = ["", "src", "tests/integration"];
            let is_there = folders
                .iter()
                .any(|folder| root().join(folder).join(&file).exists());
            assert!(is_there, "{file}");
            named += 1;
        }
    }
    assert!(named > 30, "only {named} files were found");
}
