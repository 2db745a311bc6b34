//! What a client reports of its requests, so that it need not know of metrics.

use std::time::Duration;

use reqwest::Method;

use crate::model::label_values;
use crate::portal::retry::RetryReason;

label_values! {
    /// The requests that a client can make: the label `endpoint`.
    pub enum Endpoint {
        /// The list of the key's folders.
        Mine = "mine",
        Folder = "folder",
        /// A page of a folder's files.
        Files = "files",
        ReindexFailed = "reindex_failed",
    }
}

impl Endpoint {
    /// How it is asked. One endpoint changes something; there is none for uploads, deletes or `reindex-all` (docs/portal.md, What it never sends).
    pub(super) const fn method(self) -> Method {
        match self {
            Self::Mine | Self::Folder | Self::Files => Method::GET,
            Self::ReindexFailed => Method::POST,
        }
    }
}

/// Is notified of each request; by default, it ignores them.
#[expect(unused_variables, reason = "the names say what is reported")]
pub trait Observer: Send + Sync {
    /// A request was sent, and answered with a status, or not.
    fn requested(&self, endpoint: Endpoint, status: Option<u16>, took: Duration) {}

    /// A request will be sent again.
    fn retried(&self, endpoint: Endpoint, reason: RetryReason) {}

    /// A request waited for the rate limit.
    fn throttled(&self, waited: Duration) {}
}

#[derive(Debug, Clone, Copy)]
pub struct Unobserved;

impl Observer for Unobserved {}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    #[test]
    fn one_endpoint_changes_something() {
        let writing = Endpoint::ALL
            .into_iter()
            .filter(|endpoint| endpoint.method() != Method::GET);
        assert_eq!(writing.collect::<Vec<_>>(), [Endpoint::ReindexFailed]);
    }

    /// How a request that changes something can be made, in this program's libraries.
    const WRITES: [&str; 12] = [
        "Method::POST",
        "Method::PUT",
        "Method::PATCH",
        "Method::DELETE",
        "\"POST\"",
        "\"PUT\"",
        "\"PATCH\"",
        "\"DELETE\"",
        ".post(",
        ".put(",
        ".patch(",
        ".delete(",
    ];

    /// The one place that writes, and the one that names what is written to.
    const WRITER: &str = "Self::ReindexFailed => Method::POST,";
    const TARGET: &str = r#"Self::ReindexFailed(id) => (Some(id), Some("reindex-failed")),"#;

    #[test]
    fn one_place_of_the_program_writes_and_to_one_path() {
        let mut writers = Vec::new();
        let mut targets = Vec::new();
        let files = program();
        assert!(files.len() > 150, "{}", files.len());
        for (file, text) in &files {
            let comment = |line: &&str| line.starts_with("//");
            for line in text.lines().map(str::trim).filter(|line| !comment(line)) {
                if WRITES.iter().any(|word| line.contains(word)) {
                    writers.push((file.as_str(), line));
                }
                if line.contains("reindex-") {
                    targets.push((file.as_str(), line));
                }
            }
        }
        assert_eq!(writers, [("portal/observe.rs", WRITER)]);
        assert_eq!(targets, [("portal/ask.rs", TARGET)]);
    }

    #[test]
    fn only_a_block_of_tests_at_the_end_of_a_file_is_no_part_of_the_program() {
        let early = "a\n#[cfg(test)]\nmod scene;\nb\n#[cfg(test)]\nfn c() {\n}\nd\n";
        let tests = "#[cfg(test)]\nmod tests {\n    e\n}\n";
        assert_eq!(without_tests(early), early);
        assert_eq!(without_tests(&format!("{early}{tests}")), early);
        let in_between = format!("{tests}{early}");
        assert_eq!(without_tests(&in_between), in_between);
    }

    /// The source files by their path, without tests.
    fn program() -> Vec<(String, String)> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut files = Vec::new();
        collect(&source, &mut files);
        let read = |path: PathBuf| {
            let text = fs::read_to_string(&path).unwrap();
            let name = path.strip_prefix(&source).unwrap();
            let name = name.to_string_lossy().replace('\\', "/");
            (name, without_tests(&text).to_owned())
        };
        files.into_iter().map(read).collect()
    }

    /// Leaves out a `mod … {` for tests with which a file ends. What stands behind it is read with all the rest.
    fn without_tests(text: &str) -> &str {
        let lines = text.rsplit_once("\n#[cfg(test)]\nmod ");
        let (program, tests) = lines
            .or_else(|| Some(("", text.strip_prefix("#[cfg(test)]\nmod ")?)))
            .unwrap_or((text, ""));
        let block = tests
            .split_once('\n')
            .is_some_and(|(name, body)| name.ends_with(" {") && closes_at_end(body));
        if block { &text[..=program.len()] } else { text }
    }

    /// Whether the first brace at the start of a line is the last line.
    fn closes_at_end(body: &str) -> bool {
        let end = body.find("\n}\n").map(|at| at + "\n}\n".len());
        end == Some(body.len())
    }

    fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
        const LEFT_OUT: [&str; 2] = ["tests", "tests.rs"];
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if LEFT_OUT.contains(&&*name) {
                continue;
            }
            if path.is_dir() {
                collect(&path, files);
            } else {
                files.push(path);
            }
        }
    }
}
