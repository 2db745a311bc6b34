//! What must hold of the process whatever happens: it lives, it is small, and it keeps the key to itself.

use std::fs;

use serde_json::Value;

use crate::support::exporter::Exporter;

/// Most memory that the process may ever have had, in MiB: a bomb is cut at the limit of the largest answer, a list of folders of 48 MiB, and
/// would take over 200 without one.
const MOST_MEMORY: u64 = 128;

/// The pages that are read.
const PAGES: [&str; 4] = ["/metrics", "/health", "/", "/readyz"];

/// Checks everything that the process shows; fails where the key is in it, or where the process does not live.
pub(crate) async fn reads_well(exporter: &Exporter, key: &str) {
    assert_eq!(exporter.status("/livez").await, 200);
    for page in PAGES {
        let text = exporter.get(page).await.text().await.unwrap();
        assert!(!text.contains(key), "the key is on {page}");
        let control = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
        assert!(
            !text.contains(control),
            "a control character is on {page}: {text:?}"
        );
    }
}

/// Checks what it leaves behind: a log of one object a line, without the key. Returns the most memory that it had, in MiB.
pub(crate) fn was_well(exporter: &Exporter, key: &str) -> u64 {
    for line in exporter.output() {
        assert!(!line.contains(key), "the key is in the log: {line}");
        let object: Result<Value, _> = serde_json::from_str(&line);
        assert!(
            object.is_ok_and(|line| line.is_object()),
            "not one object: {line}"
        );
        assert!(!line.contains(char::is_control), "control: {line:?}");
    }
    let peak = peak_mib(exporter);
    assert!(peak < MOST_MEMORY, "it had {peak} MiB");
    peak
}

fn peak_mib(exporter: &Exporter) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", exporter.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.unwrap().trim().trim_end_matches(" kB");
    kib.parse::<u64>().unwrap().div_ceil(1024)
}
