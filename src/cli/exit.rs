//! Exit codes, and how a process says why it ends.

use std::io::Write as _;
use std::process::ExitCode;

use tracing::error;

use crate::config::ConfigError;
use crate::health::{Finding, Health};
use crate::text;

/// Exit code of a command that failed.
const FAILED: u8 = 1;

/// Exit code of a configuration that is wrong; clap's code for arguments as well.
const MISCONFIGURED: u8 = 2;

/// What the process is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It runs until it is stopped, and logs.
    Service,
    /// It does one thing, for a person or a script that reads standard error.
    Command,
}

/// Says why the program ends: a configuration has the first mistake.
pub(super) fn report(cause: &anyhow::Error, kind: Kind) -> ExitCode {
    if let Some(mistake) = cause.downcast_ref::<ConfigError>() {
        say(kind, "the configuration is wrong", &mistake.to_string());
        return MISCONFIGURED.into();
    }
    say(kind, "kb-exporter cannot continue", &format!("{cause:#}"));
    FAILED.into()
}

fn say(kind: Kind, what: &str, why: &str) {
    match kind {
        Kind::Service => error!(error = why, "{what}"),
        Kind::Command => tell(&[why.to_owned()]),
    }
}

/// Tells a person something, after what was printed.
pub(super) fn tell(lines: &[String]) {
    for line in lines {
        let line = text::one_line(line);
        // Nobody reads it where it cannot be written.
        drop(writeln!(std::io::stderr().lock(), "{line}"));
    }
}

/// What is not counted or not listed, and why.
pub(super) fn uncounted(health: &Health) -> Vec<String> {
    let mut lines = Vec::new();
    for portal in &health.portals {
        let mut add = |whose: String, findings: &[Finding]| {
            let findings = findings.iter();
            let found = findings.filter(|it| it.kind.is_incomplete() || it.kind.is_uncounted());
            lines.extend(found.map(|finding| format!("{whose}: {}", finding.sentence)));
        };
        let name = &portal.view.name;
        add(format!("portal {name}"), &portal.findings);
        for folder in &portal.folders {
            add(
                format!("portal {name}, folder {}", folder.view.title()),
                &folder.findings,
            );
        }
    }
    lines
}

/// The exit code of a command that checks something.
pub(super) fn code(is_well: bool) -> ExitCode {
    if is_well { 0 } else { FAILED }.into()
}
