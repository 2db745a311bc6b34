//! The manual pages of the package.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::process::{run, said};

#[path = "../../../deploy/manual.rs"]
#[expect(dead_code, reason = "it is a program of its own, too")]
mod pages;

pub(super) fn write(folder: &Path) {
    pages::write(folder).unwrap();
}

#[test]
fn each_command_has_a_manual_page_that_mandoc_understands() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    for (page, word) in [
        ("kb-exporter.1", "EXIT STATUS"),
        ("kb-exporter-scan.1", "output.file"),
        ("kb-exporter-run.1", "web.config.file"),
        ("kb-exporter-reindex-history.1", "since"),
    ] {
        let text = fs::read_to_string(folder.path().join(page)).unwrap();
        assert!(text.contains(word), "{page}: {text}");
    }
    let mut mandoc = Command::new("mandoc");
    mandoc.args(["-T", "lint", "-W", "error"]);
    for page in fs::read_dir(folder.path()).unwrap() {
        mandoc.arg(page.unwrap().path());
    }
    assert_eq!(said(&run(&mut mandoc, "")), "");
}
