//! The README says what the program does: its tables are those that the program writes.

use kb_exporter::config::reference::{self, reference_markdown};
use kb_exporter::metrics::catalogue::catalogue_markdown;

const METRICS_BEGIN: &str = "<!-- metrics: begin -->\n";
const METRICS_END: &str = "<!-- metrics: end -->";

/// With this variable set, the tables of the README are written anew instead of being compared.
const UPDATE: &str = "UPDATE_README";

#[test]
fn the_tables_are_those_of_the_program() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let readme = std::fs::read_to_string(path).unwrap();
    let configuration = format!("{}\n", reference::BEGIN);
    let written = with_section(&readme, METRICS_BEGIN, METRICS_END, &catalogue_markdown());
    let written = with_section(
        &written,
        &configuration,
        reference::END,
        &reference_markdown(),
    );
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(path, &written).unwrap();
    }
    let readme = std::fs::read_to_string(path).unwrap();
    assert!(
        readme == written,
        "the README's tables are old; run the tests once with {UPDATE}=1"
    );
}

fn with_section(readme: &str, begin: &str, end: &str, section: &str) -> String {
    let (before, rest) = readme.split_once(begin).unwrap();
    let (_, after) = rest.split_once(end).unwrap();
    format!("{before}{begin}{section}{end}{after}")
}
