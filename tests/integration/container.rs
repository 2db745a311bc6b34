//! The container: its root folder as it is built, read-only, and its program as the user of the image.

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
    let image = tempfile::tempdir().unwrap();
    let image = image.path().join("image");
    let mut build = Command::new(format!("{ROOT}/deploy/container/root.sh"));
    build.arg(env!("CARGO_BIN_EXE_kb-exporter")).arg(&image);
    // The folder of the state belongs to the user of the image, so not everybody can build it.
    let Some(root) =
        Root::read_only(&image, || assert!(run(&mut build, "").status.success())).await
    else {
        return;
    };

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

#[test]
fn hadolint_accepts_the_containerfile() {
    let file = Path::new(ROOT).join("deploy/container/Containerfile");
    let Some(mut hadolint) = tool("hadolint") else {
        return;
    };
    let output = run(hadolint.arg(file), "");
    assert!(output.status.success(), "{output:?}");
}
