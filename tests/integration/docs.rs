//! The documents say what the program does: their tables come from the program, their examples work, their links lead somewhere.

mod first_hour;
mod links;
mod markdown;
mod queries;
mod readme;
mod shell;
mod tables;

use std::collections::BTreeSet;
use std::fs;

use kb_exporter::config::{Config, Mode};
use kb_exporter::metrics::families::ALL;
use regex::Regex;

use crate::support::repository::{root, text};
use crate::support::rules;

/// With this variable set, the tables of the documents are written anew instead of being compared.
const UPDATE: &str = "UPDATE_DOCS";

#[test]
fn the_tables_are_those_of_the_program() {
    for (document, mark, table) in [
        (
            "docs/configuration.md",
            "configuration",
            tables::configuration(),
        ),
        ("docs/metrics.md", "metrics", tables::metrics()),
        ("docs/reindexing.md", "reasons", tables::reasons()),
    ] {
        let written = with_table(&text(document), mark, &table);
        if std::env::var_os(UPDATE).is_some() {
            fs::write(root().join(document), &written).unwrap();
        }
        assert!(
            text(document) == written,
            "the table of {document} is old; run the tests once with {UPDATE}=1"
        );
    }
}

fn with_table(document: &str, mark: &str, table: &str) -> String {
    let (begin, end) = (
        format!("<!-- {mark}: begin -->\n"),
        format!("<!-- {mark}: end -->"),
    );
    let (before, rest) = document.split_once(&begin).unwrap();
    let (_, after) = rest.split_once(&end).unwrap();
    format!("{before}{begin}{table}{end}{after}")
}

/// The schema in PostgreSQL, whose name is like those of metrics.
const SCHEMA: &str = "kb_exporter";

#[test]
fn the_metrics_that_the_documents_name_are_those_of_the_program() {
    let names = Regex::new(r"\bkb_[a-z_]*[a-z](_\*)?").unwrap();
    for document in markdown::documents() {
        for name in names.find_iter(&text(&document)) {
            let name = name.as_str();
            let is_known = name == SCHEMA || is_known(name);
            assert!(is_known, "{}: {name}", document.display());
        }
    }
}

/// Whether the program has a metric of this name, or several when the name ends with `*`.
fn is_known(name: &str) -> bool {
    ALL.iter().any(|family| match name.strip_suffix('*') {
        Some(beginning) => family.name.starts_with(beginning),
        None => family.name == rules::family(name),
    })
}

#[test]
fn the_configurations_to_start_from_are_right_and_send_nothing() {
    for file in [
        "docs/example.yml",
        "deploy/debian/kb-exporter.yml",
        "deploy/kubernetes/example/kb-exporter.yml",
        "deploy/kubernetes/exporter/kb-exporter.yml",
    ] {
        let config = Config::from_file(&root().join(file)).unwrap();
        assert_eq!(config.warnings(), [""; 0], "{file}");
        assert_ne!(config.reindex.strongest_mode(), Mode::Enforce);
    }
}

#[test]
fn every_piece_of_configuration_in_the_documents_is_right() {
    let portal =
        "portals: [{name: main, base_url: 'https://portal.example', api_key_file: /key}]\n";
    let mut checked = 0;
    for document in markdown::documents() {
        for block in markdown::blocks(&text(&document), "yaml") {
            let before = match block.split(':').next().unwrap() {
                "portals" => "",
                "collect" | "request" | "errors" | "reindex" | "state" => portal,
                _ => continue,
            };
            let name = document.display().to_string();
            let config = Config::from_yaml(&name, format!("{before}{block}"));
            assert_eq!(config.err(), None);
            checked += 1;
        }
    }
    assert!(checked > 2);
}

#[test]
fn the_layout_names_every_module() {
    let architecture = text("docs/architecture.md");
    let modules = fs::read_dir(root().join("src")).unwrap();
    let modules = modules.map(|entry| entry.unwrap().path());
    let modules: BTreeSet<_> = modules
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|module| !["lib", "main"].contains(&module.as_str()))
        .collect();
    let (_, layout) = architecture.split_once("\n## Layout\n").unwrap();
    let layout = layout.lines().take_while(|line| !line.starts_with("## "));
    let rows = layout.filter(|line| line.starts_with('|'));
    let named: BTreeSet<_> = rows
        .flat_map(|row| row.split('`').skip(1).step_by(2))
        .map(str::to_owned)
        .collect();
    assert_eq!(named, modules);
}
