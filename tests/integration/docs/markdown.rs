//! Reads Markdown, as far as the tests of the documents need it.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::repository::root;

/// Every Markdown file of the repository, relative to its root.
pub(super) fn documents() -> Vec<PathBuf> {
    files(&root(), "md")
}

/// Every file below a folder with this extension, relative to the root of the repository. Build output and hidden folders are left out.
pub(super) fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path.strip_prefix(root()).unwrap().to_owned());
        }
    }
    found
}

/// The fenced blocks in this language.
pub(super) fn blocks(markdown: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let blocks = markdown.split(&fence).skip(1);
    blocks
        .filter_map(|rest| Some(rest.split_once("```")?.0.to_owned()))
        .collect()
}

/// The lines that are not in a fenced block.
pub(super) fn prose(markdown: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    markdown.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    })
}

/// The texts of the headings.
pub(super) fn headings(markdown: &str) -> impl Iterator<Item = &str> {
    prose(markdown).filter_map(|line| {
        let heading = line.trim_start_matches('#');
        let is_heading = heading.len() < line.len() && heading.starts_with(' ');
        is_heading.then(|| heading.trim())
    })
}

/// The anchors of the headings, as the usual hosts make them: in lower case, without punctuation, blanks as hyphens; a repeated one is
/// numbered.
pub(super) fn anchors(markdown: &str) -> Vec<String> {
    let mut times = HashMap::new();
    let numbered = |anchor: String| {
        let before = times.entry(anchor.clone()).or_insert(0);
        *before += 1;
        match *before - 1 {
            0 => anchor,
            number => format!("{anchor}-{number}"),
        }
    };
    headings(markdown).map(anchor).map(numbered).collect()
}

fn anchor(heading: &str) -> String {
    let lower = heading.to_lowercase();
    let letters = lower.chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        _ => letter.is_alphanumeric().then_some(letter),
    });
    letters.collect()
}
