//! The input of a decision, without the ledger, and the failed files of a folder, counted by class.

use std::collections::{BTreeMap, HashMap};

use chrono_tz::Tz;

use crate::attempts::Book;
use crate::classify::Class;
use crate::config::ReindexRules;
use crate::model::{ByStatus, FileKey, FolderId, Status, Timestamp};
use crate::policy::class::NewFailures;

/// A portal with all its folders at one time.
#[derive(Debug, Clone)]
pub struct PortalFacts<'a> {
    /// By the clock of the ledger: limits end by it.
    pub now: Timestamp,
    /// People's time: windows open by it.
    pub wall: Timestamp,
    /// The time zone of the windows.
    pub zone: Tz,
    /// Whether a kill switch file exists, or cannot be checked.
    pub kill_switch: bool,
    /// Whether its list of folders cannot be read, or another portal of the configuration has the same folders.
    pub is_unusable: bool,
    pub folders: Vec<FolderFacts<'a>>,
}

/// The current facts about a folder.
#[derive(Debug, Clone)]
pub struct FolderFacts<'a> {
    pub id: FolderId,
    pub rules: &'a ReindexRules,
    /// Whether the counts are current and consistent, and each failed file was read.
    pub usable: bool,
    pub counts: ByStatus<u64>,
    /// The failed files that were read.
    pub failed: &'a [FailedFile],
}

/// The parts of a failed file that a decision needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedFile {
    pub key: FileKey,
    /// Since when it was seen failed.
    pub since: Timestamp,
    pub class: Class,
}

impl FolderFacts<'_> {
    /// The files that wait or are processed.
    pub(crate) fn backlog(&self) -> u64 {
        self.counts[Status::Pending].saturating_add(self.counts[Status::Processing])
    }

    /// The largest backlog with which the folder is sent.
    pub(crate) fn max_backlog(&self) -> u64 {
        self.rules.max_backlog.max(self.counts.total() / 10)
    }
}

/// The failed files of a folder.
#[derive(Debug, Default)]
pub(super) struct Tally<'a> {
    pub files: u64,
    /// Those that are past `max_attempts`.
    pub exhausted: u64,
    /// Those that were seen failed for `min_age`, have attempts left, and whose class is not in `never_classes`.
    pub eligible: u64,
    /// How many of them each class has that a file has.
    pub classes: BTreeMap<&'a Class, u64>,
    /// When the next file will be old enough.
    pub next_eligible: Option<Timestamp>,
}

impl<'a> Tally<'a> {
    /// Counts the files, and notes in `new` those that were never sent. `wall`: now by the machine's calendar, as the times of files are.
    pub fn of(
        folder: &FolderFacts<'a>,
        ledger: Option<&Book>,
        wall: Timestamp,
        new: &mut HashMap<&'a Class, NewFailures>,
    ) -> Self {
        let rules = folder.rules;
        let mut tally = Self::default();
        for file in folder.failed {
            let attempts = ledger.map_or(0, |ledger| ledger.file_attempts(folder.id, file.key));
            if attempts == 0 {
                new.entry(&file.class).or_default().add(file.since);
            }
            let exhausted = attempts >= rules.max_attempts.get();
            let mut never = rules.never_classes.iter();
            let may_be_sent = !exhausted && !never.any(|name| name == file.class.as_str());
            let old_at = file.since.after(rules.min_age);
            let eligible = may_be_sent && wall.since(file.since) >= rules.min_age;
            if may_be_sent && !eligible {
                let next = tally.next_eligible.unwrap_or(old_at);
                tally.next_eligible = Some(next.min(old_at));
            }
            tally.files += 1;
            tally.exhausted += u64::from(exhausted);
            tally.eligible += u64::from(eligible);
            *tally.classes.entry(&file.class).or_default() += u64::from(eligible);
        }
        tally
    }

    /// How many eligible files of a class there are.
    pub fn eligible_of(&self, class: &Class) -> u64 {
        self.classes.get(class).copied().unwrap_or(0)
    }

    /// The classes of eligible files.
    pub fn eligible_classes(&self) -> impl Iterator<Item = &'a Class> {
        let classes = self.classes.iter();
        classes.filter_map(|(class, eligible)| (*eligible > 0).then_some(*class))
    }
}
