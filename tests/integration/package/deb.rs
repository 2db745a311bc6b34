//! Builds the Debian package from its description in `Cargo.toml` by `dpkg-deb`: what `cargo deb` does, but from the binary under test.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::manual;
use crate::support::process::output;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The table `package.metadata.deb` of `Cargo.toml`.
pub(super) fn description() -> Value {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--offline", "--format-version=1"]);
    let metadata = output(cargo.current_dir(ROOT));
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages
        .iter()
        .find(|package| package["name"] == "kb-exporter");
    package.unwrap()["metadata"]["deb"].clone()
}

/// The files of the package, from which it is packed.
pub(super) struct Package {
    folder: PathBuf,
    description: Value,
}

impl Package {
    /// Copies the files below a folder, with the binary under test as the program.
    pub fn stage(folder: &Path) -> Self {
        let package = Self {
            folder: folder.to_owned(),
            description: description(),
        };
        for row in package.description["assets"].as_array().unwrap() {
            package.copy(row);
        }
        // With its debug information, the program would be several times as large.
        output(Command::new("strip").arg(package.file("usr/bin/kb-exporter")));
        fs::create_dir(package.file("DEBIAN")).unwrap();
        let scripts = package.description["maintainer-scripts"].as_str().unwrap();
        for script in ["postinst", "prerm", "postrm"] {
            let source = Path::new(ROOT).join(scripts).join(script);
            fs::copy(source, package.file("DEBIAN").join(script)).unwrap();
        }
        package
    }

    /// Copies what a row of the list of files names.
    fn copy(&self, row: &Value) {
        let [source, target, mode] = [0, 1, 2].map(|column| row[column].as_str().unwrap());
        let mode = u32::from_str_radix(mode, 8).unwrap();
        let sources: Vec<PathBuf> = match source {
            "target/release/kb-exporter" => vec![env!("CARGO_BIN_EXE_kb-exporter").into()],
            "target/man/*.1" => {
                let pages = self.folder.join("man");
                manual::write(&pages);
                files(&format!("{}/*.1", pages.display()))
            }
            "target/licences.txt" => {
                let file = self.folder.join("licences.txt");
                let script = format!("{ROOT}/deploy/release/licences");
                output(Command::new(script).arg(&file));
                vec![file]
            }
            _ => files(&format!("{ROOT}/{source}")),
        };
        assert!(!sources.is_empty(), "{source} is not there");
        for source in sources {
            let place = match target.strip_suffix('/') {
                Some(folder) => self.file(folder).join(source.file_name().unwrap()),
                None => self.file(target),
            };
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::copy(source, &place).unwrap();
            fs::set_permissions(&place, fs::Permissions::from_mode(mode)).unwrap();
        }
    }

    /// Where a file of the package is.
    pub fn file(&self, path: &str) -> PathBuf {
        self.folder.join("tree").join(path)
    }

    /// Packs the files as they are, as a version, and returns the path of the package.
    pub fn pack(&self, version: &str) -> PathBuf {
        let control = self.file("DEBIAN");
        let etc = files(self.file("etc/**/*").to_str().unwrap());
        let conffiles = etc.into_iter().filter(|path| path.is_file());
        let conffiles = conffiles.map(|path| {
            let path = path
                .strip_prefix(self.file(""))
                .unwrap()
                .display()
                .to_string();
            format!("/{path}\n")
        });
        fs::write(control.join("conffiles"), conffiles.collect::<String>()).unwrap();
        fs::write(control.join("control"), fields(&self.description, version)).unwrap();
        let package = self.folder.join(format!("{version}.deb"));
        let mut dpkg = Command::new("dpkg-deb");
        dpkg.args(["--root-owner-group", "-Znone", "--build"]);
        output(dpkg.arg(self.file("")).arg(&package));
        package
    }
}

/// The files that a pattern matches.
fn files(pattern: &str) -> Vec<PathBuf> {
    let found = glob::glob(pattern).unwrap();
    found.map(Result::unwrap).collect()
}

/// The control file. Shared libraries are not looked up: this machine has them, as the binary runs here.
fn fields(description: &Value, version: &str) -> String {
    let architecture = output(Command::new("dpkg").arg("--print-architecture"));
    let text = |key: &str| description[key].as_str().unwrap();
    let depends = text("depends").replace("$auto", "libc6");
    format!(
        "Package: kb-exporter\nVersion: {version}\nArchitecture: {}\nMaintainer: {}\nDepends: {depends}\nDescription: exporter\n",
        architecture.trim(),
        text("maintainer"),
    )
}
