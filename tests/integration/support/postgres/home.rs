//! Where the servers of this process live: a folder that goes when the process ends, in whatever way, and all servers in it with it.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::process::{output, output_with};

/// The user of every database, who may log in over TCP with a password alone.
pub(crate) const USER: &str = "exporter";

/// The user's password, which has what must be escaped in a URL.
pub(crate) const PASSWORD: &str = "p@ss/w:rd-8d1c97e2";

/// Waits until its standard input ends, ends each process that has a file `pid`, and removes the folder.
const WATCHER: &str = r#"
    cat >/dev/null
    for file in "$0"/*/pid; do
        id=$(cat "$file") && kill -QUIT "$id" && kill -CONT "$id"
        tries=0
        while kill -0 "$id" && [ "$tries" -lt 100 ]; do
            sleep 0.1
            tries=$((tries + 1))
        done
    done
    rm -rf "$0"
"#;

/// The folder with a database that was set up once, of which every server has a copy.
pub(super) struct Home {
    folder: PathBuf,
    copies: AtomicUsize,
    /// Its standard input is closed when this process ends.
    _watcher: Child,
}

impl Home {
    /// The only one; made where it is needed first.
    pub(super) fn of_this_process() -> &'static Self {
        static HOME: OnceLock<Home> = OnceLock::new();
        HOME.get_or_init(Self::new)
    }

    fn new() -> Self {
        let mut make = unprivileged("mktemp");
        let folder = output(make.args(["-d", "-t", "kb-postgres-XXXXXX"]));
        let folder = PathBuf::from(folder.trim());
        // Servers belong to another user than clients.
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        let watcher = watch(&folder);
        set_up(&folder.join("template"));
        Self {
            folder,
            copies: AtomicUsize::new(0),
            _watcher: watcher,
        }
    }

    /// A new folder for a process.
    pub(super) fn new_folder(&self) -> PathBuf {
        let number = self.copies.fetch_add(1, Ordering::Relaxed);
        let folder = self.folder.join(number.to_string());
        output(unprivileged("mkdir").arg(&folder));
        folder
    }

    /// A new folder with the data of a server in `data`.
    pub(super) fn new_data(&self) -> PathBuf {
        let folder = self.new_folder();
        copy(&self.folder.join("template"), &folder.join("data"));
        folder
    }
}

/// Copies a folder of a server.
pub(super) fn copy(from: &Path, to: &Path) {
    let mut copy = unprivileged("cp");
    copy.args(["--recursive", "--reflink=auto"]);
    output(copy.arg(from).arg(to));
}

/// Removes a folder of a server.
pub(super) fn remove(folder: &Path) {
    output(unprivileged("rm").arg("-r").arg(folder));
}

fn watch(folder: &Path) -> Child {
    Command::new("sh")
        .args(["-c", WATCHER])
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // What is typed into a terminal does not end it.
        .process_group(0)
        .spawn()
        .unwrap()
}

/// Makes a folder with an empty database, in which the [`USER`] exists.
fn set_up(folder: &Path) {
    let mut make = unprivileged(binary("initdb"));
    make.args([
        "--no-sync",
        "--no-instructions",
        "--username=postgres",
        "--auth-local=trust",
        "--auth-host=scram-sha-256",
        "--locale=C",
        "--encoding=UTF8",
        "--wal-segsize=1",
    ]);
    output(make.arg(folder));
    let mut alone = unprivileged(binary("postgres"));
    alone.args(["--single", "-F", "-D"]).arg(folder);
    let role = format!("CREATE ROLE {USER} LOGIN PASSWORD '{PASSWORD}'\n");
    output_with(alone.arg("postgres"), &role);
}

/// A program of the server, of the newest version that is installed. Debian does not have them in the `PATH`.
pub(super) fn binary(name: &str) -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let programs = versions.flatten().filter_map(|version| {
        let number: u32 = version.file_name().to_str()?.parse().ok()?;
        Some((number, version.path().join("bin").join(name)))
    });
    let newest = programs.filter(|(_, program)| program.exists()).max();
    newest.map_or_else(|| name.into(), |(_, program)| program)
}

/// A program that runs as a user who is not root: servers refuse to run as root.
pub(super) fn unprivileged(program: impl AsRef<OsStr>) -> Command {
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let mut command = if is_root {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=postgres", "--regid=postgres", "--init-groups"]);
        command.arg("--").arg(program);
        command
    } else {
        Command::new(program)
    };
    // The folder of the test may be closed to that user.
    command.current_dir("/");
    command
}

/// Writes a file of a server that nobody else can read.
pub(super) fn write(path: &Path, content: &str) {
    let mut command = unprivileged("sh");
    let command = command.args(["-c", "umask 077 && cat >\"$0\""]);
    output_with(command.arg(path), content);
}

/// Notes which process is to be ended with this one.
pub(super) fn note(folder: &Path, process: u32) {
    fs::write(folder.join("pid"), process.to_string()).unwrap();
}

/// Forgets what [`note`] noted, if anything.
pub(super) fn forget(folder: &Path) {
    let _ = fs::remove_file(folder.join("pid"));
}
