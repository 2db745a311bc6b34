//! Root folders of their own for processes: in a mount namespace, so that nothing is left when the test ends.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use tempfile::TempDir;

use super::process::{Process, run, said};

/// Holds a mount namespace in which a folder is the root of other processes.
pub(crate) struct Root {
    holder: Process,
    folder: TempDir,
}

/// A copy of this machine, whose changes are in memory.
const COPY: &str = "
    mkdir memory root
    mount -t tmpfs tmpfs memory
    mkdir memory/changes memory/work
    mount -t overlay overlay -o lowerdir=/,upperdir=memory/changes,workdir=memory/work root
    mount -t proc proc root/proc
    mount --rbind /dev root/dev
    mount -t tmpfs tmpfs root/tmp
";

/// A folder, read-only, with what a container has beside it: `proc`, and a `tmp` in memory.
const READ_ONLY: &str = "
    mkdir -p root \"$1/proc\"
    mount --bind \"$1\" root
    mount -t proc proc root/proc
    mount -t tmpfs tmpfs root/tmp
    mount -o remount,bind,ro root
";

impl Root {
    /// A throw-away copy of this machine. `None` where none can be made, after a line that says why.
    pub(crate) async fn copy_of_this_machine() -> Option<Self> {
        can_mount()?;
        Some(Self::mount(COPY, Path::new("/")).await)
    }

    /// A folder that `build` makes, to which nobody can write. `None` where this cannot be, after a line that says why.
    pub(crate) async fn read_only(folder: &Path, build: impl FnOnce()) -> Option<Self> {
        can_mount()?;
        build();
        Some(Self::mount(READ_ONLY, folder).await)
    }

    async fn mount(script: &str, argument: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = format!("set -eu\n{script}\necho mounted\nexec sleep infinity");
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "--propagation", "private", "sh", "-c"])
            .args([&script, "sh"])
            .arg(argument)
            .current_dir(&folder);
        let mut holder = Process::start(&mut command);
        holder.says("mounted").await;
        Self { holder, folder }
    }

    /// A program as a user and group of this root, by their names or numbers: `user:group`.
    pub(crate) fn command(&self, user: &str, program: &str) -> Command {
        let mut command = Command::new("nsenter");
        command
            .arg(format!("--mount=/proc/{}/ns/mnt", self.holder.id()))
            .arg("chroot")
            .arg(format!("--userspec={user}"))
            .arg("--groups=")
            .arg(self.folder.path().join("root"))
            .arg(program);
        command
    }

    /// The output of a script that must succeed, run by root.
    pub(crate) fn script(&self, script: &str) -> String {
        let mut command = self.command("root:root", "sh");
        let output = run(command.args(["-euc", script]), "");
        let text = said(&output);
        assert!(output.status.success(), "{script}: {text}");
        text
    }

    /// Writes a file of this root.
    pub(crate) fn receive(&self, path: &str, content: &[u8]) {
        let mut command = self.command("root:root", "sh");
        let mut child = command
            .args(["-euc", "cat >\"$0\"", path])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(content).unwrap();
        assert!(child.wait().unwrap().success(), "{path}");
    }
}

/// Whether this process may mount, and has the programs for it.
fn can_mount() -> Option<()> {
    let mut command = Command::new("unshare");
    let script = "mount -t tmpfs tmpfs /mnt && nsenter --version && chroot / true";
    let output = command
        .args(["--mount", "--propagation", "private", "sh", "-c", script])
        .output();
    let reason = match output {
        Ok(output) if output.status.success() => return Some(()),
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        Err(error) => format!("unshare: {error}"),
    };
    skip(&format!("it needs root and mount namespaces ({reason})"));
    None
}

/// Says why a test does not run here. The line is not captured, so it is seen although the test passes.
pub(crate) fn skip(reason: &str) {
    let test = thread::current();
    let test = test.name().unwrap_or("a test");
    let line = format!("test {test} is skipped: {reason}\n");
    // What cannot be said is not worth a failure.
    let _ = io::stderr().write_all(line.as_bytes());
}
