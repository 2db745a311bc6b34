//! How many failed files count, and for what.

use crate::classify::Class;
use crate::config::ReindexRules;
use crate::ledger::{ActiveMode, LedgerView};
use crate::model::{Status, Timestamp};
use crate::policy::case::{Case, FailedFile};
use crate::policy::cooldown;

/// What a decision was made from: for people, and for the metrics.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Failed files, as counted.
    pub failed: u64,
    /// Those whose class counts.
    pub of_class: u64,
    /// Those of them that have attempts left.
    pub retryable: u64,
    /// Those of them that were seen failed for `min_age`.
    pub eligible: u64,
    /// Failed files of any class that are past `max_attempts`.
    pub exhausted: u64,
    /// Exhausted and never-class files: an attempt takes them along for nothing.
    pub riding_along: u64,
    /// The end of the cooldown, which may be past; `None` when there is none.
    pub next_allowed: Option<Timestamp>,
}

impl Numbers {
    /// Counts the failed files of a case.
    #[must_use]
    pub fn of(case: &Case<'_>, ledger: Option<&LedgerView>, now: Timestamp) -> Self {
        let mut numbers = Self {
            failed: case.counts[Status::Failed],
            ..Self::default()
        };
        for file in case.failed.files() {
            let tries = ledger.map_or(0, |view| view.tries(case.folder, file.key));
            numbers.add(case.rules, file, tries, now);
        }
        let active = ActiveMode::of(case.rules.mode).zip(ledger);
        numbers.next_allowed = active.and_then(|(mode, view)| {
            let exhausted = numbers.exhausted > 0;
            cooldown::next_allowed(view, mode, case.folder, case.rules, exhausted, now)
        });
        numbers
    }

    fn add(&mut self, rules: &ReindexRules, file: &FailedFile, tries: u32, now: Timestamp) {
        let counts = class_counts(rules, &file.class);
        let exhausted = tries >= rules.max_attempts.get();
        let retryable = counts && !exhausted;
        let eligible = retryable && now.since(file.since) >= rules.min_age;
        self.of_class += u64::from(counts);
        self.exhausted += u64::from(exhausted);
        self.retryable += u64::from(retryable);
        self.eligible += u64::from(eligible);
        self.riding_along += u64::from(!retryable);
    }
}

/// Whether files of a class count (contract, `retry_classes` and `never_classes`).
fn class_counts(rules: &ReindexRules, class: &Class) -> bool {
    let named = |classes: &[String]| classes.iter().any(|name| name == class.as_str());
    let wanted = rules.retry_classes.is_empty() || named(&rules.retry_classes);
    wanted && !named(&rules.never_classes)
}
