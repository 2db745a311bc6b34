//! What a test put into a folder, added up by the test itself.

use std::collections::BTreeMap;

use kb_simulator::{NewFile, Status};
use uuid::Uuid;

use super::portal::Portal;
use kb_exposition::Exposition;

/// Files, bytes and reasons of a folder, as the exposition should have them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    files: BTreeMap<String, u64>,
    bytes: BTreeMap<String, u64>,
    errors: BTreeMap<(String, String), u64>,
}

/// Reasons that take turns; the last one is none at all.
const REASONS: [Option<&str>; 3] = [Some("no text layer"), Some("timed out"), None];

impl Tally {
    /// No file in any of the five statuses.
    pub(crate) fn empty() -> Self {
        let zeros = || Status::KNOWN.map(|status| (word(&status).to_owned(), 0));
        Self {
            files: zeros().into(),
            bytes: zeros().into(),
            errors: BTreeMap::new(),
        }
    }

    /// Puts files with distinct names into a folder, all statuses, sizes and reasons mixed, and returns what they add up to.
    pub(crate) fn fill(portal: &Portal, folder: Uuid, files: usize) -> Self {
        let mut tally = Self::empty();
        portal.world(|world| {
            for number in 0..files {
                let file = mixed_file(number);
                world.add_file(folder, &file).unwrap();
                tally.add(&file);
            }
        });
        tally
    }

    /// What the exposition says of a folder.
    pub(crate) fn shown(metrics: &Exposition, folder: Uuid) -> Self {
        let own = metrics.folder(folder);
        let errors = own.all("kb_folder_file_errors", &[]);
        Self {
            files: own.by_status("kb_folder_files"),
            bytes: own.by_status("kb_folder_size_bytes"),
            errors: errors
                .map(|sample| {
                    let label = |name: &str| sample.labels[name].clone();
                    ((label("status"), label("error")), sample.count())
                })
                .collect(),
        }
    }

    /// Adds one file.
    pub(crate) fn add(&mut self, file: &NewFile) {
        let status = word(&file.status);
        *self.files.entry(status.to_owned()).or_default() += 1;
        *self.bytes.entry(status.to_owned()).or_default() += file.size;
        if matches!(file.status, Status::Failed | Status::Flagged) {
            let error = file.error.as_deref().unwrap_or("unspecified");
            let class = (status.to_owned(), error.to_owned());
            *self.errors.entry(class).or_default() += 1;
        }
    }
}

fn mixed_file(number: usize) -> NewFile {
    let status = Status::KNOWN[number % Status::KNOWN.len()].clone();
    let settled = matches!(status, Status::Failed | Status::Flagged);
    let reason = REASONS[number % REASONS.len()].filter(|_| settled);
    NewFile {
        name: format!("file {number:06}.pdf"),
        size: 1_000 + number as u64,
        status,
        error: reason.map(str::to_owned),
        ..NewFile::default()
    }
}

fn word(status: &Status) -> &str {
    status.name().unwrap()
}
