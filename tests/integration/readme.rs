//! The README says what the program does: its tables are those that the program writes.

use kb_exporter::config::reference::{self, reference_markdown};
use kb_exporter::metrics::catalogue::catalogue_markdown;
use kb_exporter::policy::Reason;

const METRICS_BEGIN: &str = "<!-- metrics: begin -->\n";
const METRICS_END: &str = "<!-- metrics: end -->";
const REASONS_BEGIN: &str = "<!-- reasons: begin -->\n";
const REASONS_END: &str = "<!-- reasons: end -->";

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
    let reasons = Reason::table_markdown();
    let written = with_section(&written, REASONS_BEGIN, REASONS_END, &reasons);
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(path, &written).unwrap();
    }
    let readme = std::fs::read_to_string(path).unwrap();
    assert!(
        readme == written,
        "the README's tables are old; run the tests once with {UPDATE}=1"
    );
}

#[test]
fn the_runbook_names_every_reason_that_can_keep_a_folder_under_enforce() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/alerts/runbook.md");
    let runbook = std::fs::read_to_string(path).unwrap();
    // The alert that the table stands below is about other reasons than these.
    let other = [Reason::Off, Reason::Cooldown];
    for reason in Reason::ALL.iter().filter(|reason| !other.contains(reason)) {
        let named = |line: &str| line.starts_with('|') && line.contains(&format!("`{reason}`"));
        assert!(runbook.lines().any(named), "{reason} is not in its table");
    }
}

fn with_section(readme: &str, begin: &str, end: &str, section: &str) -> String {
    let (before, rest) = readme.split_once(begin).unwrap();
    let (_, after) = rest.split_once(end).unwrap();
    format!("{before}{begin}{section}{end}{after}")
}
