//! Names and reasons from a portal are text that nobody trusts (contract, promise 5).

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::promtool;
use crate::support::workspace::Workspace;

use kb_exporter::model::FolderName;
use kb_exporter::text::is_unsafe;
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

/// Parts of names that somebody could choose to break something.
const PIECES: [&str; 16] = [
    "\"",
    "\\",
    "\n",
    "\r",
    "{",
    "}",
    ",",
    "=",
    "#",
    " ",
    "\u{1b}[2J",
    "\u{202e}",
    "\0",
    "é",
    "名",
    "<b>",
];

/// The same for names at random, which the program itself says how it shows, and for reasons.
#[tokio::test]
async fn any_name_and_any_reason_read_back() {
    let portal = Portal::start().await;
    let mut random = fastrand::Rng::with_seed(1);
    let mut text = || -> String {
        let pieces = 1 + random.usize(..80);
        (0..pieces).filter_map(|_| random.choice(PIECES)).collect()
    };
    let folders: Vec<_> = (0..100)
        .map(|_| {
            let name = text();
            let folder = portal.folder(&name);
            let file = NewFile::new("a.pdf", Status::Failed).because(text());
            portal.add(folder, &file);
            (folder, FolderName::new(&name))
        })
        .collect();
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let metrics = Exporter::start(&workspace).await.collected().await;
    for (folder, name) in folders {
        let own = metrics.folder(folder);
        let labels = [("folder", name.label())];
        let classes = own.all("kb_folder_file_errors", &labels);
        assert_eq!(classes.map(Sample::count).sum::<u64>(), 1, "{name:?}");
    }
    let values = metrics.samples.iter().flat_map(|it| it.labels.values());
    for value in values {
        let harmful = |character: char| is_unsafe(character) && !"\n\t".contains(character);
        assert!(!value.contains(harmful), "{value:?}");
        assert!(value.chars().count() <= 200, "{value:?}");
    }
    promtool::has_nothing_to_say(&metrics.text);
}

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
        let labels = [("folder", *shown), ("status", "done")];
        let counted = metrics.folder(folder).count("kb_folder_files", &labels);
        assert_eq!(counted, Some(number as u64 + 1), "{shown:?}");
    }
    let control = |c: char| c.is_control() && c != '\n';
    assert!(!metrics.text.contains(control));
    promtool::has_nothing_to_say(&metrics.text);
}
