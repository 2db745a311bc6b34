//! The failed files of a folder, counted by class.

use std::collections::BTreeMap;

use crate::attempts::LedgerView;
use crate::classify::Class;
use crate::model::Timestamp;
use crate::policy::facts::FolderFacts;

/// The failed files of one class, or of all classes, in a folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClassFiles {
    pub files: u64,
    /// Those that are past `max_attempts`.
    pub exhausted: u64,
    /// Those that were seen failed for `min_age`, have attempts left, and whose class is not in `never_classes`.
    pub eligible: u64,
}

/// The numbers behind a decision: for people, and for the metrics.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Numbers {
    pub failed: u64,
    pub eligible: u64,
    /// Failed files that are past `max_attempts`.
    pub exhausted: u64,
    /// The end of the cooldown, which may be past; `None` if there is none.
    pub next_allowed: Option<Timestamp>,
}

/// The failed files of a folder.
#[derive(Debug, Default)]
pub(super) struct Tally<'a> {
    pub classes: BTreeMap<&'a Class, ClassFiles>,
    pub all: ClassFiles,
    /// Since when those are failed that were never sent.
    pub fresh: BTreeMap<&'a Class, Vec<Timestamp>>,
    /// When the next file will be old enough.
    pub next_eligible: Option<Timestamp>,
}

impl<'a> Tally<'a> {
    pub fn of(folder: &FolderFacts<'a>, ledger: Option<&LedgerView>, now: Timestamp) -> Self {
        let rules = folder.rules;
        let mut tally = Self::default();
        for file in folder.failed {
            let attempts = ledger.map_or(0, |ledger| ledger.file_attempts(folder.id, file.key));
            let exhausted = attempts >= rules.max_attempts.get();
            let from = file.since.after(rules.min_age);
            let is_old = now.since(file.since) >= rules.min_age;
            let never = rules
                .never_classes
                .iter()
                .any(|name| name == file.class.as_str());
            let may_be_sent = !exhausted && !never;
            if may_be_sent && !is_old {
                let next = tally.next_eligible.unwrap_or(from);
                tally.next_eligible = Some(next.min(from));
            }
            if attempts == 0 {
                tally.fresh.entry(&file.class).or_default().push(file.since);
            }
            let class = tally.classes.entry(&file.class).or_default();
            for files in [class, &mut tally.all] {
                files.files += 1;
                files.exhausted += u64::from(exhausted);
                files.eligible += u64::from(may_be_sent && is_old);
            }
        }
        tally
    }
}
