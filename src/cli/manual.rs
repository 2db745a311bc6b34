//! The manual pages in `docs/man` are those of the commands. With `UPDATE_DOCS` set, they are written anew.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use clap::CommandFactory;
use clap_mangen::Man;

use crate::cli::Cli;

/// The version that the pages name.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What is written by hand, at the end of the first page.
const MORE: &str = include_str!("../../docs/man/more.roff");

/// The pages by the names of their files.
type Pages = BTreeMap<String, String>;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/man")
}

/// A page for a command, and for each of its commands.
fn render(command: &clap::Command, pages: &mut Pages) {
    for command in command.get_subcommands() {
        render(command, pages);
    }
    let man = Man::new(command.clone());
    let file = man.get_filename();
    let mut page = Vec::new();
    man.render(&mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    // `Man` leaves an empty date out, and the version would be in its place.
    let begin = page.find(".TH ").unwrap();
    let end = begin + page[begin..].find('\n').unwrap();
    let name = file.strip_suffix(".1").unwrap();
    let title = format!(".TH {name} 1 \"\" \"kb-exporter {VERSION}\"");
    pages.insert(file, [&page[..begin], &title, &page[end..]].concat());
}

fn rendered() -> Pages {
    let command = Cli::command().version(VERSION);
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut pages = Pages::new();
    render(&command, &mut pages);
    pages.get_mut("kb-exporter.1").unwrap().push_str(MORE);
    pages
}

fn written() -> Pages {
    let paths = fs::read_dir(folder()).unwrap();
    let paths = paths.map(|entry| entry.unwrap().path());
    let pages = paths.filter(|path| path.extension().is_some_and(|extension| extension == "1"));
    let named = pages.map(|path| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, fs::read_to_string(path).unwrap())
    });
    named.collect()
}

fn write(pages: &Pages) {
    for name in written().keys() {
        fs::remove_file(folder().join(name)).unwrap();
    }
    for (name, page) in pages {
        fs::write(folder().join(name), page).unwrap();
    }
}

#[test]
fn each_command_has_a_manual_page_with_its_flags() {
    let pages = rendered();
    if env::var_os("UPDATE_DOCS").is_some() {
        write(&pages);
    }
    assert!(
        written() == pages,
        "the pages of docs/man are old; run `UPDATE_DOCS=1 cargo test --lib manual`"
    );
    assert!(pages["kb-exporter-scan.1"].contains("output.file"));
    assert!(pages["kb-exporter-run.1"].contains("web.config.file"));
}

#[test]
fn mandoc_understands_the_manual_pages() {
    let folder = tempfile::tempdir().unwrap();
    let mut mandoc = Command::new("mandoc");
    mandoc.args(["-T", "lint", "-W", "error"]);
    for (name, page) in rendered() {
        fs::write(folder.path().join(&name), page).unwrap();
        mandoc.arg(name);
    }
    let output = mandoc.current_dir(&folder).output();
    let output = output.expect("mandoc is missing: use tests/run");
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(text.is_empty(), "{text}");
}
