//! What the failed files of all folders together tell of a class.

use std::collections::{BTreeMap, BTreeSet};

use crate::classify::Class;
use crate::config::ReindexRules;
use crate::ledger::{ActiveMode, LedgerView};
use crate::model::{FolderId, Timestamp};
use crate::policy::case::FailedFile;
use crate::policy::class::knob;

/// What the failed files of all folders of a portal tell of each class.
#[derive(Debug, Clone, Default)]
pub struct Outlook(BTreeMap<Class, Fresh>);

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
        let mut outlook = Self::default();
        for folder in folders {
            if ActiveMode::of(folder.rules.mode).is_none() {
                continue;
            }
            for file in folder.files {
                if ledger.tries(folder.folder, file.key) == 0 {
                    let fresh = outlook.0.entry(file.class.clone()).or_default();
                    fresh.0.insert(file.since.as_millis().div_euclid(60_000));
                }
            }
        }
        outlook
    }

    /// When files of a class failed that were not sent yet.
    #[must_use]
    pub fn fresh(&self, class: &Class) -> Option<&Fresh> {
        self.0.get(class)
    }
}

/// The minutes in which files of a class failed that were not sent yet. Many files that failed in one minute count once: a portal that is
/// looked at for the first time shows all at once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fresh(BTreeSet<i64>);

/// So many times tell how often files fail.
const ENOUGH: usize = 3;

/// A cause has ended when nothing failed with it for so many times the mean time between two failures, and for `min_age`.
const GAPS: u32 = 5;

impl Fresh {
    /// Whether more files fail with the cause, or it seems to have ended; `None` where too few failed lately to tell.
    pub(super) fn goes_on(&self, rules: &ReindexRules, now: Timestamp) -> Option<bool> {
        let newest = minute(*self.0.last()?);
        let lately = self.0.iter().rev().map(|at| minute(*at));
        let lately = lately.take_while(|at| newest.since(*at) < rules.cooldown);
        let (times, first) = lately.fold((0, newest), |(times, _), at| (times + 1, at));
        if times < ENOUGH {
            return None;
        }
        let gap = newest.since(first) / u32::try_from(times - 1).unwrap_or(u32::MAX);
        let quiet = gap.saturating_mul(knob("GAPS", f64::from(GAPS)) as u32).min(rules.cooldown).max(rules.min_age);
        Some(now.since(newest) < quiet)
    }

    /// Whether enough failed since an attempt.
    pub(super) fn tells_since(&self, attempt: Option<Timestamp>) -> bool {
        let since = self.0.iter().rev();
        let since = since.take_while(|at| attempt.is_none_or(|attempt| minute(**at) > attempt));
        since.take(ENOUGH).count() == ENOUGH
    }
}

/// The beginning of a minute.
const fn minute(minute: i64) -> Timestamp {
    Timestamp::from_millis(minute.saturating_mul(60_000))
}
