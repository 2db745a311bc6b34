//! What a client tells about its requests, so that it need not know of metrics.

use std::time::Duration;

use reqwest::Method;

use crate::portal::retry::RetryReason;

/// The requests that a client can make: the label `endpoint`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// The list of the key's folders.
    Mine,
    /// A folder alone.
    Folder,
    /// A page of a folder's files.
    Files,
    /// Putting a folder's failed files back into the queue.
    ReindexFailed,
}

impl Endpoint {
    /// Every endpoint.
    pub const ALL: [Self; 4] = [Self::Mine, Self::Folder, Self::Files, Self::ReindexFailed];

    /// How it is asked. One endpoint changes something; there is none for uploads, deletes or `reindex-all` (contract, promise 2).
    pub(super) const fn method(self) -> Method {
        match self {
            Self::Mine | Self::Folder | Self::Files => Method::GET,
            Self::ReindexFailed => Method::POST,
        }
    }

    /// The value of the label `endpoint`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mine => "mine",
            Self::Folder => "folder",
            Self::Files => "files",
            Self::ReindexFailed => "reindex_failed",
        }
    }
}

/// How a request was answered: the label `code`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// With this status.
    Status(u16),
    /// Not at all.
    Error,
}

/// Is told of each request.
pub trait Observer: Send + Sync {
    /// A request was sent and answered, or not.
    fn requested(&self, endpoint: Endpoint, code: Code, took: Duration);

    /// A request will be sent again.
    fn retried(&self, endpoint: Endpoint, reason: RetryReason);

    /// A request waited for the rate limit.
    fn throttled(&self, waited: Duration);
}

/// Listens to nothing.
#[derive(Debug, Clone, Copy)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn requested(&self, _: Endpoint, _: Code, _: Duration) {}
    fn retried(&self, _: Endpoint, _: RetryReason) {}
    fn throttled(&self, _: Duration) {}
}

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

    #[test]
    fn nothing_but_the_simulated_portal_knows_how_to_write_otherwise() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let words = [
            concat!("reindex", "-all"),
            concat!(".post", "("),
            concat!(".delete", "("),
            concat!("Method::", "DELETE"),
        ];
        let mut files = Vec::new();
        collect(&source, &mut files);
        assert!(files.len() > 50, "{files:?}");
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            let program = text.split("#[cfg(test)]").next().unwrap_or_default();
            let comment = |line: &&str| line.trim_start().starts_with("//");
            for line in program.lines().filter(|line| !comment(line)) {
                let found = words.iter().find(|word| line.contains(**word));
                assert_eq!(found, None, "{}: {line}", file.display());
            }
        }
    }

    /// The source files of the program, without the simulated portal and without tests.
    fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if ["simulator", "simulator.rs", "fuzz", "tests", "tests.rs"].contains(&&*name) {
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
