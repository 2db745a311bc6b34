//! What the failed files of all folders show about an error class.

use std::collections::{BTreeMap, BTreeSet};

use crate::classify::Class;
use crate::config::ReindexRules;
use crate::ledger::{ActiveMode, LedgerView};
use crate::model::{FileKey, FolderId, Timestamp};

/// What the failed files of all folders of a portal show about each class.
#[derive(Debug, Clone, Default)]
pub struct Outlook(BTreeMap<Class, FreshFailures>);

/// The failed files of one folder.
#[derive(Debug, Clone, Copy)]
pub struct FolderFailures<'a> {
    pub folder: FolderId,
    pub rules: &'a ReindexRules,
    pub files: &'a [FailedFile],
}

/// The parts of a failed file that a decision needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedFile {
    pub key: FileKey,
    /// Since when it was seen failed.
    pub since: Timestamp,
    pub class: Class,
}

impl Outlook {
    /// Collects the failed files of every folder.
    pub fn of<'a>(
        folders: impl IntoIterator<Item = FolderFailures<'a>>,
        ledger: &LedgerView,
        now: Timestamp,
    ) -> Self {
        let mut outlook = Self::default();
        for folder in folders {
            if ActiveMode::of(folder.rules.mode).is_none() {
                continue;
            }
            for file in folder.files {
                let old = now.since(file.since) >= folder.rules.max_cooldown;
                if !old && ledger.file_attempts(folder.folder, file.key) == 0 {
                    outlook.note(file);
                }
            }
        }
        outlook
    }

    fn note(&mut self, file: &FailedFile) {
        let minute = file.since.as_millis().div_euclid(60_000);
        match self.0.get_mut(&file.class) {
            Some(fresh) => drop(fresh.0.insert(minute)),
            None => drop(
                self.0
                    .insert(file.class.clone(), FreshFailures([minute].into())),
            ),
        }
    }

    /// When files of a class failed that were not sent yet.
    pub(crate) fn fresh(&self, class: &Class) -> Option<&FreshFailures> {
        self.0.get(class)
    }
}

/// The minutes in which files of a class failed that were not sent yet. Many files that failed in one minute count once: a portal that is
/// read for the first time shows all at once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FreshFailures(BTreeSet<i64>);

/// Number of minutes that show how often files fail.
const ENOUGH: u32 = 3;

/// A cause has ended when nothing failed with it for this multiple of the mean time between two failures, and for `min_age`.
const GAPS: u32 = 8;

impl FreshFailures {
    /// The time after which the cause has probably ended, unless more files fail with it; `None` if too few failed recently.
    pub(super) fn quiet_from(&self, rules: &ReindexRules) -> Option<Timestamp> {
        let newest = minute(*self.0.last()?);
        let lately = self.0.iter().rev().map(|at| minute(*at));
        let lately = lately.take_while(|at| newest.since(*at) < rules.cooldown);
        let (times, first) = lately.fold((0, newest), |(times, _), at| (times + 1, at));
        if times < ENOUGH {
            return None;
        }
        let gap = newest.since(first) / (times - 1);
        let gaps = gap.saturating_mul(GAPS).min(rules.cooldown);
        Some(newest.after(gaps.max(rules.min_age)))
    }
}

const fn minute(minute: i64) -> Timestamp {
    Timestamp::from_millis(minute.saturating_mul(60_000))
}
