//! The commands of a document, in a shell, as a reader would type them one after the other.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use crate::support::process::output_with;

/// What the output of a block of commands must have at last. The block is typed again until it has.
pub(super) struct Expected {
    /// A part of the block.
    pub block: &'static str,
    pub output: &'static str,
}

/// Types a block until its output is as expected, and says at the end what it was instead.
const EXPECT: &str = "
    expect() {
        code=$(cat)
        for try in $(seq 300); do
            output=$(eval \"$code\" 2>&1) || true
            if grep --quiet --fixed-strings -- \"$1\" <<<\"$output\"; then return; fi
            sleep 0.1
        done
        printf '%s\\n' \"no \\\"$1\\\" in the output of: $code\" \"$output\" >&2
        exit 1
    }
";

/// What is started in the background ends with the shell, of whatever the shell ends.
const SHELL: &str = "
    set -eu
    stop() { kill $(jobs -p) 2>/dev/null || true; wait; }
    trap stop EXIT
";

/// Runs blocks of commands in a folder, with the program of this build and an input. Each expectation belongs to one block.
#[track_caller]
pub(super) fn follow(folder: &Path, blocks: &[String], expected: &[Expected], input: &str) {
    let mut script = format!("{SHELL}{EXPECT}");
    let mut met = 0;
    for block in blocks {
        match expected
            .iter()
            .find(|expected| block.contains(expected.block))
        {
            Some(expected) => {
                met += 1;
                let output = expected.output;
                writeln!(script, "expect '{output}' <<'BLOCK'\n{block}BLOCK").unwrap();
            }
            None => script.push_str(block),
        }
    }
    assert_eq!(met, expected.len(), "the document has other commands");
    let program = Path::new(env!("CARGO_BIN_EXE_kb-exporter"));
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", program.parent().unwrap().display());
    let mut bash = Command::new("bash");
    bash.args(["-c", &script])
        .env("PATH", path)
        .current_dir(folder);
    output_with(&mut bash, input);
}
