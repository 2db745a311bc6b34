//! A portal's folder in memory: files that can be in any state.

use std::collections::BTreeMap;

use super::*;
use crate::policy::judge::Observation;

/// A file of the portal. `since`: when a read first saw it failed, by both clocks.
#[derive(Debug, Clone)]
pub(super) struct File {
    pub id: u128,
    pub status: Status,
    pub since: Option<Moment>,
}

/// A folder of the portal, its files by their link.
#[derive(Debug, Default)]
pub(super) struct Folder {
    pub files: BTreeMap<u128, File>,
    /// Whether it was read since the program was started.
    pub known: bool,
}

impl Folder {
    pub fn seen(&self, key: FileKey) -> Observation {
        match self.files.get(&key.link).filter(|file| file.id == key.id) {
            Some(file) => Observation::Status(file.status),
            None => Observation::Absent,
        }
    }

    pub fn is_idle(&self) -> bool {
        let mut files = self.files.values();
        files.all(|file| !matches!(file.status, Status::Pending | Status::Processing))
    }

    pub fn counts(&self) -> ByStatus<u64> {
        let mut counts = ByStatus::<u64>::default();
        self.files
            .values()
            .for_each(|file| counts[file.status] += 1);
        counts
    }

    /// The failed files, and since when they were seen failed; now is when those that are new are seen.
    pub fn failed(&mut self, now: Moment) -> Vec<(FailedFile, Moment)> {
        let mut failed = Vec::new();
        for (link, file) in &mut self.files {
            if file.status != Status::Failed {
                file.since = None;
                continue;
            }
            let since = *file.since.get_or_insert(now);
            let file = FailedFile {
                key: FileKey {
                    link: *link,
                    id: file.id,
                },
                since: since.wall,
                class: Class::Text(if link % 4 == 0 { "poison" } else { "timeout" }.into()),
            };
            failed.push((file, since));
        }
        failed
    }
}
