//! The container: its root folder as it is built, read-only, and its program as the user of the image.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Output};

use crate::deploy::tool;
use crate::support::exporter::Exporter;
use crate::support::process::run;
use crate::support::root::Root;

const FILE: &str = include_str!("../../deploy/container/Containerfile");
const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// What follows an instruction of the Containerfile.
fn instruction(name: &str) -> &'static str {
    let text = FILE.lines().find_map(|line| line.strip_prefix(name));
    text.unwrap_or_else(|| panic!("there is no {name}")).trim()
}

/// The list of words in JSON at the end of an instruction.
fn words(name: &str) -> Vec<String> {
    let text = instruction(name);
    let list = &text[text.find('[').unwrap()..];
    serde_json::from_str(list).unwrap()
}

/// A command of the image, such as its `ENTRYPOINT`, in a container.
fn command(root: &Root, name: &str) -> Command {
    let mut command = root.command(instruction("USER "), "/usr/bin/kb-exporter");
    let words = words(name);
    assert_eq!(words[0], "kb-exporter");
    command.args(&words[1..]);
    command
}

async fn healthcheck(root: &Root, address: SocketAddr) -> Output {
    let mut command = command(root, "HEALTHCHECK ");
    command.args(["--web.listen-address", &address.to_string()]);
    tokio::task::spawn_blocking(move || run(&mut command, ""))
        .await
        .unwrap()
}

#[tokio::test]
async fn the_program_runs_without_privileges_in_a_read_only_image() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("image");
    let licences = folder.path().join("licences.txt");
    fs::write(&licences, "the licences").unwrap();
    let mut build = Command::new(format!("{ROOT}/deploy/container/root.sh"));
    build.arg(env!("CARGO_BIN_EXE_kb-exporter"));
    build.arg(&licences).arg(&image);
    // The folder of the state belongs to the user of the image, so not everybody can build it.
    let Some(root) =
        Root::read_only(&image, || assert!(run(&mut build, "").status.success())).await
    else {
        return;
    };

    let shipped = image.join("usr/share/doc/kb-exporter/THIRD-PARTY-LICENSES.txt");
    assert_eq!(fs::read_to_string(shipped).unwrap(), "the licences");

    let mut demo = command(&root, "ENTRYPOINT ");
    demo.args(["demo", "--portal.listen-address", "127.0.0.1:0"]);
    let exporter = Exporter::launch(&mut demo).await;
    let metrics = exporter.collected().await;
    assert_eq!(metrics.value("kb_portal_up", &[]), Some(1.0));

    let answer = healthcheck(&root, exporter.address()).await;
    assert!(answer.status.success(), "{answer:?}");
    let address = exporter.address();
    exporter.stop().await;
    let answer = healthcheck(&root, address).await;
    assert_eq!(answer.status.code(), Some(1), "{answer:?}");

    let mut write = root.command("0:0", "/usr/bin/kb-exporter");
    write.args([
        "scan",
        "--output",
        "prometheus",
        "--output.file",
        "/etc/kb.prom",
    ]);
    write
        .env("KB_BASE_URL", "http://127.0.0.1:1")
        .env("KB_API_KEY", "k");
    let output = tokio::task::spawn_blocking(move || run(&mut write, ""))
        .await
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("Read-only file system"), "{text}");
}

#[test]
fn the_version_of_the_image_is_that_of_the_program() {
    assert_eq!(instruction("ARG VERSION="), env!("CARGO_PKG_VERSION"));
    let toolchain = instruction("ENV RUSTUP_TOOLCHAIN=");
    assert!(FILE.contains(&format!("rust:{toolchain}-")), "{toolchain}");
    let oldest = env!("CARGO_PKG_RUST_VERSION");
    assert!(toolchain.starts_with(oldest), "{toolchain} is not {oldest}");
}

/// What the build has of a clone, `.dockerignore` says.
#[test]
fn git_finds_the_revision_in_what_the_build_has_of_a_clone() {
    let kept = include_str!("../../.dockerignore").lines();
    let kept: Vec<_> = kept
        .filter_map(|line| line.strip_prefix("!.git/"))
        .collect();
    assert_eq!(kept, ["HEAD", "packed-refs", "refs"]);
    let folder = tempfile::tempdir().unwrap();
    let script = "
        git init -q clone; cd clone
        git -c user.name=a -c user.email=a@b commit -q --allow-empty -m a
        git rev-parse --short=12 HEAD
        mkdir -p ../context/.git; git pack-refs --all
        for file in $0; do cp -r .git/$file ../context/.git; done
        cd ../context; mkdir -p .git/objects
        git rev-parse --short=12 HEAD
    ";
    let mut shell = Command::new("sh");
    shell.args(["-euc", script, &kept.join(" ")]);
    let output = run(shell.current_dir(&folder), "");
    let revisions = String::from_utf8(output.stdout).unwrap();
    let (clone, context) = revisions.trim().split_once('\n').unwrap();
    assert_eq!(clone, context);
}

#[test]
fn hadolint_accepts_the_containerfile() {
    let file = Path::new(ROOT).join("deploy/container/Containerfile");
    let Some(mut hadolint) = tool("hadolint") else {
        return;
    };
    let output = run(hadolint.arg(file), "");
    assert!(output.status.success(), "{output:?}");
}
