//! Runs the targets without a fuzzer: over every seed, over changed seeds, over any bytes.

#![expect(clippy::unwrap_used, reason = "a test fails where it cannot go on")]

mod targets;

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::sample::{Index, select};

type Target = fn(&[u8]);

const TARGETS: [(&str, Target); 4] = [
    ("configuration", targets::configuration),
    ("folder_list", targets::folder_list),
    ("page", targets::page),
    ("reason", targets::reason),
];

/// What is worth putting anywhere, in text of any format.
const PIECES: [&str; 20] = [
    "\"",
    "'",
    "\\",
    "\n",
    ",",
    ": ",
    "- ",
    "{",
    "}",
    "[",
    "]",
    "|",
    ">",
    "$",
    "null",
    "-1",
    "1e99",
    "\\ud800",
    "\u{202e}",
    "\u{1b}[2J",
];

fn of_package(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz")
        .join(path)
}

fn file_names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The seeds of a target, each with its name.
fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = of_package("corpus").join(target);
    let names = file_names(&folder).into_iter();
    let read = |name: String| (name.clone(), fs::read(folder.join(name)).unwrap());
    names.map(read).collect()
}

#[test]
fn every_target_has_its_program_and_seeds() {
    let names = TARGETS.map(|(name, _)| name);
    assert_eq!(file_names(&of_package("corpus")), names);
    let programs = names.map(|name| format!("{name}.rs"));
    assert_eq!(file_names(&of_package("fuzz_targets")), programs);
}

#[test]
fn every_seed_holds() {
    for (name, target) in TARGETS {
        let seeds = seeds(name);
        assert!(seeds.len() > 3, "{name}");
        for (seed, bytes) in seeds {
            eprintln!("{name}/{seed}");
            target(&bytes);
        }
    }
}

/// Some bytes in the place of others.
#[derive(Debug, Clone)]
struct Edit {
    at: Index,
    removed: usize,
    put: Vec<u8>,
}

impl Edit {
    fn any() -> impl Strategy<Value = Self> {
        let put = prop_oneof![
            prop::collection::vec(any::<u8>(), 0..6),
            select(&PIECES[..]).prop_map(|piece| piece.as_bytes().to_vec()),
        ];
        (any::<Index>(), 0_usize..8, put).prop_map(|(at, removed, put)| Self { at, removed, put })
    }

    fn apply(self, bytes: &mut Vec<u8>) {
        let start = self.at.index(bytes.len() + 1);
        let end = bytes.len().min(start + self.removed);
        bytes.splice(start..end, self.put);
    }
}

/// A target with one of its seeds, changed.
fn changed_seed() -> impl Strategy<Value = (&'static str, Vec<u8>)> {
    let all: Vec<_> = TARGETS
        .into_iter()
        .flat_map(|(name, _)| seeds(name).into_iter().map(move |(_, seed)| (name, seed)))
        .collect();
    let edits = prop::collection::vec(Edit::any(), 1..6);
    (select(all), edits).prop_map(|((name, mut bytes), edits)| {
        for edit in edits {
            edit.apply(&mut bytes);
        }
        (name, bytes)
    })
}

fn target(wanted: &str) -> Target {
    let found = TARGETS.into_iter().find(|(name, _)| *name == wanted);
    found.unwrap().1
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn every_changed_seed_holds((name, bytes) in changed_seed()) {
        target(name)(&bytes);
    }
}

proptest! {
    #[test]
    fn any_bytes_hold(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for (_, target) in TARGETS {
            target(&bytes);
        }
    }
}
