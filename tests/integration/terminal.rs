//! What a person sees on a terminal, which `script` gives to the program.

use std::collections::BTreeSet;
use std::process::Command;

use kb_simulator::Status;
use regex::Regex;

use crate::support::portal::Portal;
use crate::support::process::run;
use crate::support::workspace::Workspace;

/// All that a command writes to a terminal, which is 100 columns wide.
async fn shown(workspace: &Workspace, arguments: &str) -> String {
    let program = workspace.command();
    let words = std::iter::once(program.get_program()).chain(program.get_args());
    let words: Vec<_> = words.map(|word| format!("'{}'", word.display())).collect();
    let line = format!(
        "stty rows 40 cols 100 && exec {} {arguments}",
        words.join(" ")
    );
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
    let output = tokio::task::spawn_blocking(move || run(&mut script, "")).await;
    let output = output.unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_shows_a_bar_with_an_estimate_that_moves_and_then_the_tables_alone() {
    let portal = Portal::start().await;
    for number in 0..12 {
        let folder = portal.folder(&format!("Folder {number}"));
        portal.file(folder, "a.pdf", Status::Done);
    }
    let workspace = Workspace::with(&[("main", portal.base_url())], |config| {
        config["collect"]["max_requests_per_second"] = 5.into();
    });
    let text = shown(&workspace, "scan").await;
    let frame = r"(\d+) of 12 folders, (\d+) of 12 files, [\d,]+/s, (\d+(?:ms|s|m)) left";
    let frames: Vec<_> = Regex::new(frame).unwrap().captures_iter(&text).collect();
    let folders: Vec<u32> = frames
        .iter()
        .map(|frame| frame[1].parse().unwrap())
        .collect();
    assert!(folders.is_sorted(), "{text}");
    assert!(folders.iter().collect::<BTreeSet<_>>().len() > 3, "{text}");
    let estimates: BTreeSet<_> = frames.iter().map(|frame| &frame[3]).collect();
    assert!(estimates.len() > 1, "{estimates:?}: {text}");
    let end = frames.last().unwrap().get(0).unwrap().end();
    let after = &text[end..];
    assert!(after.contains("Folder 11"), "{text}");
    assert!(!after.contains("/s, "), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_shows_each_folder_on_a_line_of_its_own() {
    let portal = Portal::start().await;
    let names = [
        "Inbox",
        "A name that is much too long for a narrow terminal",
    ];
    for name in names {
        portal.folder(name);
    }
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let text = shown(&workspace, "check").await;
    for name in names {
        let lines = text.lines().filter(|line| line.contains(&name[..5]));
        assert_eq!(lines.count(), 1, "{text}");
    }
}
