//! What is built in: only crates of crates.io, under the licences that `deny.toml` allows.
//!
//! `cargo deny check` asks the same and more. It is no package of Debian or Python that knows today's licences, so not every machine has
//! it; this test has no such need.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

#[test]
fn dependencies_come_from_crates_io_under_licences_that_are_allowed() {
    let allowed = allowed();
    let (mut count, mut faults) = (0, Vec::new());
    for package in packages() {
        let (name, source) = (&package["name"], &package["source"]);
        if source.is_null() {
            continue;
        }
        count += 1;
        if source != "registry+https://github.com/rust-lang/crates.io-index" {
            faults.push(format!("{name} comes from {source}"));
        }
        let licence = package["license"].as_str().unwrap_or_default();
        if !is_allowed(licence, &allowed) {
            faults.push(format!("{name} has the licence {licence:?}"));
        }
    }
    assert!(count > 100, "{count} dependencies");
    assert!(faults.is_empty(), "{faults:#?}");
}

/// The licences under `licenses.allow` of `deny.toml`: one a line, in quotes.
fn allowed() -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("deny.toml");
    let text = fs::read_to_string(path).unwrap();
    let (_, list) = text.split_once("\nallow = [\n").unwrap();
    let (list, _) = list.split_once("\n]").unwrap();
    let names = list.lines().filter_map(|line| line.split('"').nth(1));
    names.map(str::to_owned).collect()
}

/// The packages of the lock file that a build on Linux uses: those for other systems need not be there.
fn packages() -> Vec<Value> {
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--locked", "--offline", "--format-version", "1"])
        .args(["--filter-platform", &target])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// Whether one of the alternatives of a licence expression (SPDX, annex D) has only allowed licences. In the expressions of crates,
/// parentheses enclose alternatives of one part: `(MIT OR Apache-2.0) AND Unicode-3.0`.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let is_part_allowed = |part: &str| {
        let part = part.trim().trim_matches(['(', ')']);
        part.split(" OR ")
            .any(|licence| allowed.contains(licence.trim()))
    };
    let expression = expression.replace('/', " OR ");
    if expression.contains('(') {
        expression.split(" AND ").all(is_part_allowed)
    } else {
        let mut alternatives = expression.split(" OR ");
        alternatives.any(|all| all.split(" AND ").all(is_part_allowed))
    }
}

#[test]
fn licence_expressions_are_read_as_they_are_meant() {
    let allowed = BTreeSet::from(["MIT", "Apache-2.0", "Unicode-3.0"].map(str::to_owned));
    for (expression, expected) in [
        ("MIT", true),
        ("MIT/Apache-2.0", true),
        ("GPL-3.0 OR MIT", true),
        ("MIT AND GPL-3.0", false),
        ("MIT AND GPL-3.0 OR Apache-2.0", true),
        ("(MIT OR GPL-3.0) AND Unicode-3.0", true),
        ("(MIT OR Apache-2.0) AND GPL-3.0", false),
        ("Apache-2.0 WITH LLVM-exception", false),
        ("", false),
    ] {
        assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
    }
}
