//! What the source shows: one place writes to a portal, and no module needs another one that needs it, at whatever distance. Who reads the files
//! in the order of their imports has read each before it is used. A module is a part of the one that it stands in, and may use what that has.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use regex::Regex;

use crate::support::repository::root;

/// The modules that each module imports. A module is the path of its file below `src`, without `.rs`.
type Imports = BTreeMap<String, BTreeSet<String>>;

#[test]
fn no_module_of_the_exporter_imports_one_that_imports_it() {
    no_cycle_in(
        &root().join("src"),
        150,
        ["collect/reads", "collect/read_task"],
    );
}

#[test]
fn no_module_of_the_simulator_imports_one_that_imports_it() {
    no_cycle_in(&root().join("simulator/src"), 30, ["world", "life"]);
}

/// How a request that changes something can be made, in the libraries of the exporter.
const WRITES: [&str; 12] = [
    "Method::POST",
    "Method::PUT",
    "Method::PATCH",
    "Method::DELETE",
    "\"POST\"",
    "\"PUT\"",
    "\"PATCH\"",
    "\"DELETE\"",
    ".post(",
    ".put(",
    ".patch(",
    ".delete(",
];

#[test]
fn one_place_of_the_program_writes_and_to_one_path() {
    let files = files(&root().join("src"), 150);
    let lines = files.iter().flat_map(|(module, text)| {
        let lines = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.starts_with("//"));
        lines.map(|line| (module.as_str(), line))
    });
    let writes = |line: &str| WRITES.iter().any(|word| line.contains(word));
    let (writing, others): (Vec<_>, Vec<_>) = lines.partition(|(_, line)| writes(line));
    let post = "Self::ReindexFailed => Method::POST,";
    assert_eq!(writing, [("portal/observe", post)]);
    let targets: Vec<_> = others
        .into_iter()
        .filter(|(_, line)| line.contains("reindex-"))
        .collect();
    let target = r#"Self::ReindexFailed(id) => (Some(id), Some("reindex-failed")),"#;
    assert_eq!(targets, [("portal/ask", target)]);
}

/// The text of each module without its tests; there are at least as many.
fn files(source: &Path, at_least: usize) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    read(source, source, &mut files);
    assert!(files.len() > at_least, "{} files", files.len());
    files
}

/// Fails where modules import each other. The first of the two known ones imports the second.
fn no_cycle_in(source: &Path, at_least: usize, known: [&str; 2]) {
    let files = files(source, at_least);
    let mut left = imports(&files);
    assert!(left[known[0]].contains(known[1]), "imports are not found");
    // Takes out what imports nothing that is left, until nothing more can be taken out.
    loop {
        let known: BTreeSet<String> = left.keys().cloned().collect();
        let free = |imports: &BTreeSet<String>| imports.is_disjoint(&known);
        let before = left.len();
        left.retain(|_, imports| !free(imports));
        if left.len() == before {
            break;
        }
    }
    assert!(left.is_empty(), "these import each other: {left:#?}");
}

fn read(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let is_of_tests = ["tests", "testing"].contains(&name.as_str());
        // The rules that the simulator keeps to.
        if is_of_tests || name == "rules" && root.ends_with("simulator/src") {
            continue;
        }
        if path.is_dir() {
            read(root, &path, files);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let (program, _) = text
            .split_once("\n#[cfg(test)]\nmod tests {")
            .unwrap_or((&text, ""));
        let module = path.strip_prefix(root).unwrap().with_extension("");
        files.insert(module.to_string_lossy().into_owned(), program.to_owned());
    }
}

fn imports(files: &BTreeMap<String, String>) -> Imports {
    let use_line = r"(?ms)^\s*(?:pub(?:\([^)]*\))? )?use ((?:crate|super)::[^;]+);";
    let use_line = Regex::new(use_line).unwrap();
    let inline = Regex::new(r"\b((?:crate|super)(?:::[a-z_0-9]+)+)").unwrap();
    let of = |module: &String, text: &String| {
        let code: String = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .flat_map(|line| [line, "\n"])
            .collect();
        let used = use_line
            .captures_iter(&code)
            .flat_map(|found| paths(&found[1]));
        let named = inline.captures_iter(&code).map(|found| found[1].to_owned());
        let paths = used.chain(named).map(|path| absolute(module, &path));
        let modules = paths.filter_map(|path| module_of(path, files));
        let is_in = |other: &String| format!("{module}/").starts_with(&format!("{other}/"));
        modules.filter(|other| !is_in(other)).collect()
    };
    files
        .iter()
        .map(|(module, text)| (module.clone(), of(module, text)))
        .collect()
}

/// Each path of an import: `a::{b, c::d}` are `a::b` and `a::c::d`.
fn paths(import: &str) -> Vec<String> {
    match import.split_once('{') {
        None => vec![import.trim().to_owned()],
        Some((base, inner)) => inner
            .trim_end_matches(['}', ' ', '\n'])
            .split(',')
            .map(|item| format!("{base}{}", item.trim()))
            .collect(),
    }
}

/// The path below `src` that a module means by one that begins with `crate` or `super`.
fn absolute(module: &str, path: &str) -> String {
    let mut base: Vec<_> = module.split('/').collect();
    let mut names = Vec::new();
    for name in path.split("::") {
        match name {
            "crate" => base.clear(),
            "super" => {
                base.pop();
            }
            name => names.push(name),
        }
    }
    [base, names].concat().join("/")
}

/// The module with the longest path that a path begins with.
fn module_of(mut path: String, files: &BTreeMap<String, String>) -> Option<String> {
    loop {
        if files.contains_key(&path) {
            return Some(path);
        }
        path.truncate(path.rfind('/')?);
    }
}
