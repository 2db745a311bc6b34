//! Builds the Debian package from its description in `Cargo.toml` by `dpkg-deb`: what `cargo deb` does, but from the binary under test.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::process::run;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The table `package.metadata.deb` of `Cargo.toml`.
pub(super) fn description() -> Value {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--offline", "--format-version=1"]);
    let output = run(cargo.current_dir(ROOT), "");
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages
        .iter()
        .find(|package| package["name"] == "kb-exporter");
    package.unwrap()["metadata"]["deb"].clone()
}

/// A file of the package.
pub(super) struct Asset {
    pub source: PathBuf,
    /// Its path in the package.
    pub target: PathBuf,
    pub mode: u32,
}

/// The files of the package, with the binary under test as the program.
pub(super) fn assets(description: &Value) -> Vec<Asset> {
    let rows = description["assets"].as_array().unwrap();
    rows.iter().flat_map(files).collect()
}

fn files(row: &Value) -> Vec<Asset> {
    let [source, target, mode] = [0, 1, 2].map(|column| row[column].as_str().unwrap());
    let mode = u32::from_str_radix(mode, 8).unwrap();
    let sources: Vec<PathBuf> = match source.strip_prefix("target/release/") {
        Some("kb-exporter") => vec![env!("CARGO_BIN_EXE_kb-exporter").into()],
        _ => glob::glob(&format!("{ROOT}/{source}"))
            .unwrap()
            .map(Result::unwrap)
            .collect(),
    };
    assert!(!sources.is_empty(), "{source} is not there");
    let place = |source: PathBuf| {
        let target = match target.strip_suffix('/') {
            Some(folder) => Path::new(folder).join(source.file_name().unwrap()),
            None => target.into(),
        };
        Asset {
            source,
            target,
            mode,
        }
    };
    sources.into_iter().map(place).collect()
}

/// Builds the package of a version, after `change` was made to its files, and returns its path below `folder`.
pub(super) fn build(folder: &Path, version: &str, change: impl FnOnce(&Path)) -> PathBuf {
    let description = description();
    let tree = folder.join(version);
    let mut conffiles = String::new();
    for Asset {
        source,
        target,
        mode,
    } in assets(&description)
    {
        let place = tree.join(&target);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::copy(source, &place).unwrap();
        fs::set_permissions(&place, fs::Permissions::from_mode(mode)).unwrap();
        if target.starts_with("etc") {
            writeln!(conffiles, "/{}", target.display()).unwrap();
        }
    }
    // With its debug information, the program would be several times as large.
    execute(Command::new("strip").arg(tree.join("usr/bin/kb-exporter")));
    change(&tree);
    let control = tree.join("DEBIAN");
    fs::create_dir(&control).unwrap();
    let scripts = Path::new(ROOT).join(description["maintainer-scripts"].as_str().unwrap());
    for script in ["postinst", "prerm", "postrm"] {
        fs::copy(scripts.join(script), control.join(script)).unwrap();
    }
    fs::write(control.join("conffiles"), conffiles).unwrap();
    fs::write(control.join("control"), fields(&description, version)).unwrap();
    let package = folder.join(format!("{version}.deb"));
    let mut dpkg = Command::new("dpkg-deb");
    execute(
        dpkg.args(["--root-owner-group", "-Znone", "--build"])
            .arg(&tree)
            .arg(&package),
    );
    package
}

/// The control file. Shared libraries are not looked up: this machine has them, as the binary runs here.
fn fields(description: &Value, version: &str) -> String {
    let architecture = execute(Command::new("dpkg").arg("--print-architecture"));
    let text = |key: &str| description[key].as_str().unwrap();
    let depends = text("depends").replace("$auto", "libc6");
    format!(
        "Package: kb-exporter\nVersion: {version}\nArchitecture: {}\nMaintainer: {}\nDepends: {depends}\nDescription: exporter\n",
        architecture.trim(),
        text("maintainer"),
    )
}

fn execute(command: &mut Command) -> String {
    let output = run(command, "");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {text}");
    String::from_utf8(output.stdout).unwrap()
}
