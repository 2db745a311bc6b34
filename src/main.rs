//! The `kb-exporter` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    kb_exporter::cli::main()
}
