//! Tells the program what it was built from and with, for `kb_exporter_build_info` and `--version`, and makes a page of the runbook.

#[path = "build/runbook.rs"]
mod runbook;

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    let revision = env::var("KB_REVISION")
        .ok()
        .or_else(|| output("git", &["rev-parse", "--short=12", "HEAD"]));
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = output(&rustc, &["--version"]);
    let version = version
        .as_deref()
        .and_then(|line| line.split_whitespace().nth(1));
    println!(
        "cargo::rustc-env=KB_REVISION={}",
        revision.as_deref().unwrap_or("unknown")
    );
    println!("cargo::rustc-env=KB_RUSTC={}", version.unwrap_or("unknown"));
    println!("cargo::rerun-if-env-changed=KB_REVISION");
    // Changes with each commit; a source tree without it is built as often as it changes.
    if Path::new(".git/logs/HEAD").exists() {
        println!("cargo::rerun-if-changed=.git/logs/HEAD");
    }
    println!("cargo::rerun-if-changed=build.rs");
    runbook::write();
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let line = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !line.is_empty()).then_some(line)
}
