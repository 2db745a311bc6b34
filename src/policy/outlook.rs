//! What the failed files of all folders together tell of a class.

use std::collections::BTreeMap;

use crate::classify::Class;
use crate::config::ReindexRules;
use crate::ledger::{ActiveMode, LedgerView};
use crate::model::{FolderId, Timestamp};
use crate::policy::case::FailedFile;
use crate::policy::class::Burst;

/// What the failed files of all folders of a portal tell of each class.
#[derive(Debug, Clone, Default)]
pub struct Outlook(BTreeMap<Class, Burst>);

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
        _now: Timestamp,
    ) -> Self {
        let track = ledger.track(ActiveMode::Enforce);
        let last = |class| track.of_class(class).next().map(|(last, _)| last.intended);
        let mut lasts: BTreeMap<&Class, Option<Timestamp>> = BTreeMap::new();
        let mut outlook = Self::default();
        for folder in folders {
            if ActiveMode::of(folder.rules.mode).is_none() {
                continue;
            }
            for file in folder.files {
                let last = lasts.entry(&file.class).or_insert_with(|| last(&file.class));
                outlook.note(file, *last);
            }
        }
        outlook
    }

    fn note(&mut self, file: &FailedFile, last: Option<Timestamp>) {
        if last.is_some_and(|last| file.since <= last) {
            return;
        }
        let burst = self.0.entry(file.class.clone()).or_insert(Burst {
            after: last,
            files: 0,
            first: file.since,
            newest: file.since,
        });
        burst.files += 1;
        burst.first = burst.first.min(file.since);
        burst.newest = burst.newest.max(file.since);
    }

    /// The files of a class that failed since its last attempt.
    #[must_use]
    pub fn burst(&self, class: &Class) -> Option<&Burst> {
        self.0.get(class)
    }
}
