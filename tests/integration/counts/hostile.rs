//! Names and reasons from a portal are text that nobody trusts (contract, promise 5).

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::promtool;
use crate::support::workspace::Workspace;

use kb_simulator::Status;

/// Names of folders, and what is shown of them.
const NAMES: [(&str, &str); 10] = [
    ("quote \" and \"more\"", "quote \" and \"more\""),
    ("back\\slash \\n \\", "back\\slash \\n \\"),
    ("line\nbreak\n", "line\nbreak\n"),
    ("carriage\r\nreturn", "carriage\u{fffd}\nreturn"),
    (
        "bell \u{7} escape \u{1b}[31mred",
        "bell \u{fffd} escape \u{fffd}[31mred",
    ),
    ("nul \0 and c1 \u{9b}", "nul \u{fffd} and c1 \u{fffd}"),
    ("עברית عربي", "עברית عربي"),
    ("turned \u{202e}fdp.exe", "turned \u{fffd}fdp.exe"),
    (
        "isolated \u{2066}x\u{2069} marked \u{200f}",
        "isolated \u{fffd}x\u{fffd} marked \u{fffd}",
    ),
    (
        "kb_folder_files{a=\"1\"} 7 # <b>&amp;</b>",
        "kb_folder_files{a=\"1\"} 7 # <b>&amp;</b>",
    ),
];

#[tokio::test]
async fn names_of_folders_read_back_and_cannot_break_a_line() {
    let portal = Portal::start().await;
    let folders = NAMES.map(|(name, shown)| (portal.folder(name), shown));
    for (number, (folder, _)) in folders.iter().enumerate() {
        for _ in 0..=number {
            portal.file(*folder, "a.pdf", Status::Done);
        }
    }
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let metrics = Exporter::start(&workspace).await.collected().await;
    for (number, (folder, shown)) in folders.iter().enumerate() {
        let id = folder.to_string();
        let labels = [("folder_id", &*id), ("folder", shown), ("status", "done")];
        let counted = metrics.count("kb_folder_files", &labels);
        assert_eq!(counted, Some(number as u64 + 1), "{shown:?}");
    }
    let control = |c: char| c.is_control() && c != '\n';
    assert!(!metrics.text.contains(control));
    promtool::has_nothing_to_say(&metrics.text);
}
