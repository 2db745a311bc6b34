//! What follows the flags in the help of a command: examples, and the environment that it reads.

/// What a start without a file reads.
pub(super) const ENVIRONMENT: &str = "\
Environment, without --config.file:
  KB_BASE_URL                   The portal's address
  KB_API_KEY, KB_API_KEY_FILE   The key, or the file that holds it
  KB_PORTAL_NAME, KB_CA_FILE, KB_STATE_PATH";

/// The command as it is used.
pub(super) fn example(lines: &[&str]) -> String {
    const PROGRAM: &str = "\n  kb-exporter ";
    format!("Example:{PROGRAM}{}", lines.join(PROGRAM))
}

/// The same of a command that reads the environment, too.
pub(super) fn with_environment(lines: &[&str]) -> String {
    format!("{}\n\n{ENVIRONMENT}", example(lines))
}
