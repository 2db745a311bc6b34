//! The licences of the crates that a program is made of, as the crates ship them. The tests of the package use this file too.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fs, io};

use serde_json::Value;

/// How the names of the files begin in which crates have their licences.
const FILES: [&str; 4] = ["licen", "copying", "notice", "unlicense"];

/// The crates by licence, and every text once, below the names of its crates.
pub fn of_the_program() -> io::Result<String> {
    let metadata = metadata()?;
    let needed = needed(&metadata);
    let mut list = String::new();
    let mut texts = BTreeMap::<String, Vec<String>>::new();
    for package in
        items(&metadata["packages"]).filter(|package| needed.contains(text(package, "id")))
    {
        let name = format!("{} {}", text(package, "name"), text(package, "version"));
        let (licence, source) = (text(package, "license"), text(package, "repository"));
        writeln!(list, "{name}: {licence} {source}").map_err(io::Error::other)?;
        for licence in files(Path::new(text(package, "manifest_path")))? {
            texts.entry(licence).or_default().push(name.clone());
        }
    }
    let texts = texts
        .iter()
        .map(|(text, names)| format!("\n\n==== {}\n\n{text}\n", names.join(", ")));
    let texts: String = texts.collect();
    Ok(format!(
        "The program contains these crates. Their licences follow.\n\n{list}{texts}"
    ))
}

/// What cargo knows of the packages and of who needs whom on this machine.
fn metadata() -> io::Result<Value> {
    let target = match env::var("TARGET") {
        Ok(target) => target,
        Err(_) => host()?,
    };
    let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let arguments = [
        "metadata",
        "--locked",
        "--format-version=1",
        "--filter-platform",
    ];
    let known = output(
        Command::new(cargo)
            .args(arguments)
            .arg(target)
            .current_dir(root()),
    )?;
    serde_json::from_str(&known).map_err(io::Error::other)
}

/// The root of the repository.
fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = package.ancestors();
    folders
        .find(|folder| folder.join("Cargo.lock").exists())
        .unwrap_or(package)
}

/// The kind of machine that this is.
fn host() -> io::Result<String> {
    let version = output(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| io::Error::other("rustc does not name its host"))
}

fn output(command: &mut Command) -> io::Result<String> {
    let output = command.output()?;
    if output.status.success() {
        return String::from_utf8(output.stdout).map_err(io::Error::other);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(io::Error::other(format!("{command:?}: {errors}")))
}

/// The ids of the packages from elsewhere that the program contains: what it needs, and what these need, but not to be built or tested.
fn needed(metadata: &Value) -> BTreeSet<&str> {
    let packages = items(&metadata["packages"]);
    let is_foreign: BTreeMap<_, _> = packages
        .map(|package| (text(package, "id"), package["source"].is_string()))
        .collect();
    let nodes = items(&metadata["resolve"]["nodes"]);
    let nodes: BTreeMap<_, _> = nodes
        .map(|node| (text(node, "id"), &node["deps"]))
        .collect();
    let mut next = vec![text(&metadata["resolve"], "root")];
    let mut seen = BTreeSet::new();
    while let Some(id) = next.pop() {
        if seen.insert(id) {
            let contained = items(nodes[id]).filter(|dependency| {
                items(&dependency["dep_kinds"]).any(|kind| kind["kind"].is_null())
            });
            next.extend(contained.map(|dependency| text(dependency, "pkg")));
        }
    }
    seen.retain(|id| is_foreign[id]);
    seen
}

/// The texts of the licences beside a manifest.
fn files(manifest: &Path) -> io::Result<BTreeSet<String>> {
    let mut texts = BTreeSet::new();
    for entry in fs::read_dir(manifest.parent().unwrap_or(manifest))? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_lowercase();
        if path.is_file() && FILES.iter().any(|beginning| name.starts_with(beginning)) {
            let text = String::from_utf8_lossy(&fs::read(&path)?).replace('\r', "");
            texts.insert(text.trim().to_owned());
        }
    }
    Ok(texts)
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn text<'a>(object: &'a Value, key: &str) -> &'a str {
    object[key].as_str().unwrap_or_default()
}
