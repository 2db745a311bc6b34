//! What the failed files of all folders together tell of a class.

use std::collections::BTreeMap;

use crate::classify::Class;
use crate::config::ReindexRules;
use crate::ledger::{ActiveMode, LedgerView};
use crate::model::{FolderId, Timestamp};
use crate::policy::case::FailedFile;
use crate::policy::class::{Burst, ClassState};

/// What the failed files of all folders of a portal tell of each class.
#[derive(Debug, Clone, Default)]
pub struct Outlook(BTreeMap<Class, OfClass>);

#[derive(Debug, Clone, Default)]
struct OfClass {
    burst: Option<Burst>,
    probe: Option<Probe>,
}

/// A folder that can show whether a class that did not respond does again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Probe {
    /// The folder of the newest attempt in vain comes last,
    failed_last: bool,
    /// and the one first in which fewest files are sent.
    files: u64,
    folder: FolderId,
}

/// The failed files of one folder.
#[derive(Debug, Clone, Copy)]
pub struct FolderFailures<'a> {
    /// The folder.
    pub folder: FolderId,
    /// The rules for it.
    pub rules: &'a ReindexRules,
    /// Its failed files.
    pub files: &'a [FailedFile],
}

impl Outlook {
    /// Looks at the failed files of every folder.
    pub fn of<'a>(
        folders: impl IntoIterator<Item = FolderFailures<'a>>,
        ledger: &LedgerView,
        now: Timestamp,
    ) -> Self {
        let mut outlook = Self::default();
        let mut states: BTreeMap<Class, ClassState> = BTreeMap::new();
        for folder in folders {
            if ActiveMode::of(folder.rules.mode).is_none() {
                continue;
            }
            let mut fit: BTreeMap<&Class, u64> = BTreeMap::new();
            for file in folder.files {
                let state = states
                    .entry(file.class.clone())
                    .or_insert_with(|| ClassState::of(ledger, &file.class));
                outlook.note(file, state.last);
                let tries = ledger.tries(folder.folder, file.key);
                let fits = tries < folder.rules.max_attempts.get()
                    && now.since(file.since) >= folder.rules.min_age;
                *fit.entry(&file.class).or_default() += u64::from(fits);
            }
            for (class, files) in fit {
                if files >= folder.rules.min_failed.get() {
                    let probe = Probe {
                        failed_last: states[class].failed_last_in(folder.folder),
                        files: folder.files.len() as u64,
                        folder: folder.folder,
                    };
                    outlook.propose(class, probe);
                }
            }
        }
        outlook
    }

    fn note(&mut self, file: &FailedFile, last: Option<Timestamp>) {
        if last.is_some_and(|last| file.since <= last) {
            return;
        }
        let known = self.0.entry(file.class.clone()).or_default();
        let burst = known.burst.get_or_insert(Burst {
            after: last,
            files: 0,
            first: file.since,
            newest: file.since,
        });
        burst.files += 1;
        burst.first = burst.first.min(file.since);
        burst.newest = burst.newest.max(file.since);
    }

    fn propose(&mut self, class: &Class, probe: Probe) {
        let known = self.0.entry(class.clone()).or_default();
        known.probe = Some(known.probe.map_or(probe, |other| other.min(probe)));
    }

    /// The files of a class that failed since its last attempt.
    #[must_use]
    pub fn burst(&self, class: &Class) -> Option<&Burst> {
        self.0.get(class)?.burst.as_ref()
    }

    /// Whether a folder is the one to show whether a class that did not respond does again.
    #[must_use]
    pub fn is_probe(&self, class: &Class, folder: FolderId) -> bool {
        let known = self.0.get(class).and_then(|known| known.probe);
        known.is_some_and(|probe| probe.folder == folder)
    }
}
