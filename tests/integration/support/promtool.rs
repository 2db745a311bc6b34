//! Prometheus' own judgement of an exposition.

use std::process::Command;

use super::process::{run, said};

/// Fails where `promtool check metrics` refuses a text or says anything about it.
#[track_caller]
pub(crate) fn has_nothing_to_say(text: &str) {
    let output = run(Command::new("promtool").args(["check", "metrics"]), text);
    let said = said(&output);
    assert!(output.status.success() && said.is_empty(), "{said}");
}
