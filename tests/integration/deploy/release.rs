//! A release: its archives are reproducible, and its workflows are sound.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::{list, tool};
use crate::support::process::output;
use crate::support::repository::{root, yaml};
use crate::support::schema::satisfied;

const WORKFLOWS: [&str; 3] = [
    ".github/workflows/release.yml",
    ".github/workflows/tests.yml",
    ".github/workflows/long.yml",
];

/// A program that says which version it is.
fn program(folder: &TempDir) -> std::path::PathBuf {
    let file = folder.path().join("program");
    fs::write(
        &file,
        "#!/bin/sh\necho 'kb-exporter 1.2.0 (revision 0123456789ab)'\n",
    )
    .unwrap();
    output(Command::new("chmod").arg("700").arg(&file));
    file
}

/// A folder with a manual page.
fn manual(folder: &Path) -> std::path::PathBuf {
    let pages = folder.join("man");
    fs::create_dir_all(&pages).unwrap();
    fs::write(pages.join("kb-exporter.1"), "").unwrap();
    pages
}

/// Packs a program into a folder.
fn archive(program: &Path, folder: &Path) -> String {
    let mut command = Command::new(root().join("deploy/release/archive"));
    command
        .arg(program)
        .arg("x86_64-unknown-linux-gnu")
        .arg(manual(program.parent().unwrap()))
        .arg(root().join("LICENSE"))
        .arg(folder);
    output(command.env("SOURCE_DATE_EPOCH", "1767225600"))
        .trim()
        .to_owned()
}

#[test]
fn an_archive_is_reproducible_and_has_all_that_operators_need() {
    let folder = tempfile::tempdir().unwrap();
    let program = program(&folder);
    let one = archive(&program, &folder.path().join("one"));
    let two = archive(&program, &folder.path().join("two"));
    assert!(
        fs::read(&one).unwrap() == fs::read(&two).unwrap(),
        "they differ"
    );

    let name = "kb-exporter-1.2.0-x86_64-unknown-linux-gnu";
    assert!(one.ends_with(&format!("/{name}.tar.gz")), "{one}");
    let packed = output(Command::new("tar").args(["--list", "--verbose", "--file", &one]));
    for file in [
        "kb-exporter",
        "LICENSE",
        "THIRD-PARTY-LICENSES.txt",
        "README.md",
        "docs/installation.md",
        "docs/example.yml",
        "man/kb-exporter.1",
        "alerts/kb-exporter.yml",
        "dashboards/folder.json",
        "deploy/systemd/kb-exporter.service",
    ] {
        assert!(
            packed.contains(&format!(" {name}/{file}\n")),
            "{file}: {packed}"
        );
    }
    assert!(
        packed.lines().all(|line| line.contains(" 0/0 ")),
        "{packed}"
    );
    let executable = packed
        .lines()
        .find(|line| line.ends_with("/kb-exporter"))
        .unwrap();
    assert!(executable.starts_with("-rwxr-xr-x"), "{executable}");
}

#[test]
fn workflows_satisfy_their_schema() {
    // The tool ships it.
    let schema = "target/tools/lib/*/site-packages/check_jsonschema/builtin_schemas/vendor/github-workflows.json";
    let schema = root().join(schema);
    if tool("check-jsonschema").is_some() {
        let mut found = glob::glob(schema.to_str().unwrap()).unwrap();
        satisfied(&found.next().unwrap().unwrap(), None, &WORKFLOWS.map(yaml));
    }
}

#[test]
fn nothing_in_the_workflows_is_unsafe() {
    let Some(mut zizmor) = tool("zizmor") else {
        return;
    };
    zizmor
        .current_dir(root())
        .args(["--offline", "--no-progress", "--min-severity", "medium"]);
    output(zizmor.args(WORKFLOWS));
}

#[test]
fn a_release_needs_the_tests_and_builds_every_target() {
    let jobs = &yaml(WORKFLOWS[0])["jobs"];
    let needs: Vec<_> = list(&jobs["publish"]["needs"]).collect();
    assert_eq!(
        needs.len() + 1,
        jobs.as_object().unwrap().len(),
        "publish needs all others"
    );
    assert_eq!(jobs["tests"]["uses"], format!("./{}", WORKFLOWS[1]));
    let steps = &yaml(WORKFLOWS[1])["jobs"]["tests"]["steps"];
    assert!(list(steps).any(|step| step["run"] == ".ci/run"));
    let built = list(&jobs["build"]["strategy"]["matrix"]["include"]);
    let built: Vec<_> = built
        .map(|build| build["target"].as_str().unwrap())
        .collect();
    let targets = ["x86_64", "aarch64"]
        .map(|machine| ["gnu", "musl"].map(|libc| format!("{machine}-unknown-linux-{libc}")));
    assert_eq!(built, targets.concat());
}
