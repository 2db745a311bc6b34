//! Names and reasons from a portal are text that nobody trusts (contract, promise 5).

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::promtool;
use crate::support::reasons::in_letters;
use crate::support::workspace::Workspace;
use kb_exposition::Sample;

use kb_simulator::{NewFile, Status};

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

#[tokio::test]
async fn names_of_files_change_no_count() {
    let portal = Portal::start().await;
    let folder = portal.folder("Odd names");
    let mut names: Vec<String> = NAMES.iter().map(|(name, _)| (*name).to_owned()).collect();
    names.extend(["", ".", "..", "../../etc/passwd", "a/b?c#d", "%00", " "].map(str::to_owned));
    names.push("x".repeat(10_000));
    names.push("\u{10ffff}\u{feff}".repeat(100));
    for (name, status) in names.iter().zip(Status::KNOWN.iter().cycle()) {
        portal.file(folder, name, status.clone());
    }
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let metrics = Exporter::start(&workspace).await.collected().await;
    let files = metrics.by_status("kb_folder_files", &folder.to_string());
    let expected = portal.world(|world| world.counts(folder)).unwrap();
    for status in Status::KNOWN {
        assert_eq!(files[status.name().unwrap()], expected[&status]);
    }
    assert_eq!(files.values().sum::<u64>(), names.len() as u64);
    assert_eq!(metrics.value("kb_folder_consistent", &[]), Some(1.0));
}

#[tokio::test]
async fn a_long_name_is_cut_at_200_characters() {
    let portal = Portal::start().await;
    portal.folder(&"я".repeat(1_000));
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let metrics = Exporter::start(&workspace).await.collected().await;
    let folder = &metrics.all("kb_folder_up", &[]).next().unwrap().labels["folder"];
    assert_eq!(*folder, "я".repeat(200));
}

#[tokio::test]
async fn reasons_become_classes_on_one_line_and_are_bounded() {
    let portal = Portal::start().await;
    let folder = portal.folder("Reasons");
    let long = "页".repeat(10_000);
    let reasons = [
        (
            "line\nbreak \"quoted\" back\\slash",
            "line break <text> back<path>",
        ),
        ("escape \u{1b}[J\u{202e}", "escape \u{fffd}[J\u{fffd}"),
        ("unspecified", "unspecified (as given)"),
        ("other", "other (as given)"),
        (" \n ", "unspecified"),
        (&*long, &*format!("{}…", "页".repeat(119))),
    ];
    for (reason, _) in &reasons {
        let file = NewFile {
            status: Status::Failed,
            error: Some((*reason).to_owned()),
            ..NewFile::default()
        };
        portal.add(folder, &file);
    }
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let metrics = Exporter::start(&workspace).await.collected().await;
    for (reason, class) in &reasons {
        let labels = [("status", "failed"), ("error", *class)];
        let files = metrics.count("kb_folder_file_errors", &labels);
        assert_eq!(files, Some(1), "{:?}", &reason[..reason.len().min(40)]);
    }
    promtool::has_nothing_to_say(&metrics.text);
}

#[tokio::test]
async fn a_thousand_classes_fit_into_twenty_places_and_no_file_is_lost() {
    let portal = Portal::start().await;
    let folder = portal.folder("Many reasons");
    for number in 0..1_000 {
        let file = NewFile {
            status: Status::Flagged,
            error: Some(format!("reason {}", in_letters(number))),
            ..NewFile::default()
        };
        portal.add(folder, &file);
    }
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let metrics = Exporter::start(&workspace).await.collected().await;
    let classes = metrics.all("kb_folder_file_errors", &[("status", "flagged")]);
    let files: u64 = classes.map(Sample::count).sum();
    assert_eq!(files, 1_000);
    let other = metrics.count("kb_folder_file_errors", &[("error", "other")]);
    assert_eq!(other, Some(980));
    assert_eq!(metrics.count("kb_error_classes", &[]), Some(20));
    assert_eq!(metrics.count("kb_error_overflow_files", &[]), Some(980));
}
