//! The Debian package: built, and in a throw-away copy of this machine installed, run, upgraded, removed and purged.

mod deb;
mod manual;

use std::fs;
use std::path::Path;
use std::process::Command;

use kb_simulator::Status;
use regex::Regex;

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::process::{output, run};
use crate::support::repository::text;
use crate::support::root::{Root, skip};

const CONFIG: &str = "/etc/kb-exporter/kb-exporter.yml";

/// As systemd gives the service its keys, its flags and its user, from the installed unit.
const AS_SYSTEMD: &str = "
    credentials=/run/credentials/kb-exporter.service
    mkdir -p $credentials
    for key in /etc/kb-exporter/keys/*; do
        install -m 0400 -o kb-exporter \"$key\" \"$credentials/key_${key##*/}\"
    done
    sed -n 's/^ExecStart=//p' /usr/lib/systemd/system/kb-exporter.service
";

/// Starts the service of the package without systemd.
async fn start(root: &Root) -> Exporter {
    let line = root.script(AS_SYSTEMD);
    let script = format!(". /etc/default/kb-exporter; exec {} \"$@\"", line.trim());
    let mut command = root.command("kb-exporter:kb-exporter", "sh");
    command.args(["-euc", &script, "sh"]);
    Exporter::launch(&mut command).await
}

/// Whether the package can be installed on machines such as this one, as far as the package manager knows.
fn has_dependencies() -> bool {
    let mut query = Command::new("dpkg-query");
    let found = query
        .args(["--show", "libc6", "systemd", "ca-certificates", "procps"])
        .output();
    let found = found.is_ok_and(|output| output.status.success());
    if !found {
        skip("it needs a Debian system with the packages systemd, ca-certificates and procps");
    }
    found
}

/// What a script prints as another user, or `None` where it fails.
fn output_as(root: &Root, user: &str, script: &str) -> Option<String> {
    let output = run(root.command(user, "sh").args(["-euc", script]), "");
    let succeeded = output.status.success();
    succeeded.then(|| String::from_utf8(output.stdout).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_package_installs_runs_upgrades_and_leaves() {
    if !has_dependencies() {
        return;
    }
    let Some(root) = Root::copy_of_this_machine().await else {
        return;
    };
    let portal = Portal::start().await;
    let folder = portal.folder("Inbox");
    portal.file(folder, "a.pdf", Status::Pending);
    let built = tempfile::tempdir().unwrap();
    let package = deb::Package::stage(built.path());

    is_linked(&package);
    install(&root, &package.pack("1.0"));
    is_installed(&root);
    is_protected(&root);

    root.script("(umask 077; echo kbk_demo >/etc/kb-exporter/keys/main)");
    let url = portal.base_url();
    root.script(&format!(
        "sed -i 's|https://portal.example/admin|{url}|' {CONFIG}"
    ));
    let exporter = start(&root).await;
    let metrics = exporter.collected().await;
    // The copy of the key is there while the service runs.
    root.script(&format!(
        "kb-exporter --config.check --config.file {CONFIG}"
    ));
    assert_eq!(metrics.value("kb_portal_up", &[]), Some(1.0));
    assert_eq!(
        metrics.value("kb_folder_files", &[("status", "pending")]),
        Some(1.0)
    );
    exporter.stop().await;

    let shipped = package.file("etc/kb-exporter/kb-exporter.yml");
    let text = fs::read_to_string(&shipped).unwrap();
    fs::write(shipped, format!("# of version 1.1\n{text}")).unwrap();
    install(&root, &package.pack("1.1"));
    let config = root.script(&format!("cat {CONFIG}"));
    assert!(config.contains(&url) && !config.contains("1.1"), "{config}");
    let shipped = root.script(&format!("cat {CONFIG}.dpkg-dist"));
    assert!(shipped.starts_with("# of version 1.1"), "{shipped}");
    is_protected(&root);
    let exporter = start(&root).await;
    exporter.collected().await;
    exporter.stop().await;

    root.script("dpkg --remove kb-exporter; ! test -e /usr/bin/kb-exporter");
    root.script(&format!(
        "test -s {CONFIG}; test -s /var/lib/kb-exporter/state.db"
    ));
    root.script("dpkg --purge kb-exporter");
    root.script("! test -e /etc/kb-exporter; ! test -e /etc/default/kb-exporter; ! test -e /var/lib/kb-exporter");
    root.script("! find /etc/systemd /var/lib/systemd -name '*kb-exporter*' | grep .");
}

/// Installs a package without questions: of two versions of a configuration file, the one that was edited stays.
fn install(root: &Root, package: &Path) {
    let mut command = root.command("root:root", "dpkg");
    command.args([
        "--force-confdef",
        "--force-confold",
        "--force-unsafe-io",
        "--install",
    ]);
    // The copy has a `/tmp` of its own, so the package comes over standard input.
    root.receive("/tmp/kb-exporter.deb", &fs::read(package).unwrap());
    output(command.arg("/tmp/kb-exporter.deb"));
}

fn is_installed(root: &Root) {
    root.script("test -s /usr/share/man/man1/kb-exporter-reindex-history.1");
    root.script("cd /usr/share/doc/kb-exporter; ls alerts/kb-exporter.yml dashboards/folder.json");
    let complete = "
        . /usr/share/bash-completion/completions/kb-exporter
        COMP_WORDS=(kb-exporter healthc) COMP_CWORD=1
        _kb__exporter kb-exporter healthc kb-exporter
        echo \"${COMPREPLY[@]}\"
    ";
    let completed = root.script(&format!("bash -c '{complete}'"));
    assert_eq!(completed.trim(), "healthcheck");
    let enabled = root.script("find /etc/systemd/system -name kb-exporter.service");
    assert_eq!(enabled, "", "it must be configured first");
    let state = root.script("stat --format '%U %G %a' /var/lib/kb-exporter");
    assert_eq!(state.trim(), "kb-exporter kb-exporter 700");
    let licences = root.script("cat /usr/share/doc/kb-exporter/THIRD-PARTY-LICENSES.txt");
    assert!(licences.contains("\ntokio 1.") && licences.contains("Permission is hereby granted"));
}

/// What the documents of the package link to is in the package.
fn is_linked(package: &deb::Package) {
    let documents = package.file("usr/share/doc/kb-exporter");
    let links = Regex::new(r"\]\(([^)\s#:]+)(?:#[^)\s]*)?\)").unwrap();
    let pattern = documents.join("**/*.md");
    let mut followed = 0;
    for document in glob::glob(pattern.to_str().unwrap()).unwrap() {
        let document = document.unwrap();
        let text = fs::read_to_string(&document).unwrap();
        for link in links.captures_iter(&text) {
            let target = document.parent().unwrap().join(&link[1]);
            assert!(target.exists(), "{}: {}", document.display(), &link[1]);
            followed += 1;
        }
    }
    assert!(followed > 50, "only {followed} links were found");
}

/// The service can read its configuration and nobody else can; nobody but root can read the keys.
fn is_protected(root: &Root) {
    let read = format!("cat {CONFIG}");
    let list = "ls /etc/kb-exporter/keys";
    for (user, reads, lists) in [
        ("root:root", true, true),
        ("kb-exporter:kb-exporter", true, false),
        ("nobody:nogroup", false, false),
    ] {
        assert_eq!(output_as(root, user, &read).is_some(), reads, "{user}");
        assert_eq!(output_as(root, user, list).is_some(), lists, "{user}");
    }
}

#[test]
fn the_changelog_of_the_package_has_this_version() {
    let description = deb::description();
    let changelog = description["changelog"].as_str().unwrap();
    let changelog = text(changelog);
    let first = format!("kb-exporter ({}-", env!("CARGO_PKG_VERSION"));
    assert!(changelog.starts_with(&first), "{changelog}");
}
