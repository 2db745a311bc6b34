//! The numbers of failed files behind a decision.

use std::collections::BTreeMap;

use crate::classify::Class;
use crate::config::ReindexRules;
use crate::ledger::{ActiveMode, LedgerView};
use crate::model::{Status, Timestamp};
use crate::policy::candidate::Candidate;
use crate::policy::class::{ClassPace, ClassState, Response};
use crate::policy::cooldown::{in_vain, next_allowed};

/// The numbers behind a decision: for people, and for the metrics.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Numbers {
    pub failed: u64,
    /// Those whose class counts by the rules.
    pub of_class: u64,
    /// Those of them whose class responds, or may; or that show whether it does again.
    pub helpable: u64,
    /// Those of them that have attempts left.
    pub retryable: u64,
    /// Those of them that were seen failed for `min_age`.
    pub eligible: u64,
    /// Those of them whose class may be tried now.
    pub ready: u64,
    /// Failed files of any class that are past `max_attempts`.
    pub exhausted: u64,
    /// Files that an attempt sends although they are not eligible: exhausted ones, and those whose class is excluded, unresponsive or paused.
    pub riding_along: u64,
    /// Number of files that an attempt is expected to recover, in hundredths.
    pub gain: u64,
    /// Whether every class that counts was tried in the folder without effect, and none is known to respond.
    pub tried_in_vain: bool,
    /// The end of the cooldown, which may be past; `None` when there is none.
    pub next_allowed: Option<Timestamp>,
}

/// The failed files of one class in a folder.
#[derive(Default)]
struct ClassFiles {
    files: u64,
    /// Those that are past `max_attempts`.
    exhausted: u64,
    /// Those of the others that were seen failed for `min_age`.
    old_enough: u64,
}

/// Whether a class may be tried in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ClassAdmission {
    /// It does not count by the rules.
    Excluded,
    /// It does not respond.
    Unresponsive,
    Paused,
    Ready,
}

/// What holds for the files of one class in a folder.
struct ClassFacts {
    admission: ClassAdmission,
    in_vain: bool,
    next_allowed: Option<Timestamp>,
    /// Number of files that an attempt is expected to recover, if the class may be tried now.
    gain: f64,
}

impl ClassFacts {
    /// `ledger`: none in mode off, or if the ledger cannot be used.
    fn of(
        candidate: &Candidate<'_>,
        ledger: Option<(ActiveMode, &LedgerView)>,
        (class, files): (&Class, &ClassFiles),
        now: Timestamp,
    ) -> Self {
        let (folder, rules) = (candidate.folder, candidate.rules);
        let counts = class_counts(rules, class);
        let Some((mode, ledger)) = ledger else {
            return Self {
                admission: if counts {
                    ClassAdmission::Ready
                } else {
                    ClassAdmission::Excluded
                },
                in_vain: false,
                next_allowed: None,
                gain: 0.0,
            };
        };
        let state = ClassState::of(ledger, class);
        let next_allowed = next_allowed(ledger, mode, folder, Some((class, &state)), rules, now);
        let pace = state.pace(candidate.outlook.fresh(class), rules, now);
        let may_be_tried = pace != ClassPace::Paused;
        let admission = if !counts {
            ClassAdmission::Excluded
        } else if may_be_tried && next_allowed.is_none_or(|end| now >= end) {
            ClassAdmission::Ready
        } else if may_be_tried || state.response != Response::Unresponsive {
            ClassAdmission::Paused
        } else {
            ClassAdmission::Unresponsive
        };
        // What was sent is known in both modes.
        let sent = ledger.track(ActiveMode::Enforce);
        let in_vain = in_vain(sent, folder, class, &state) > 0;
        let ready = admission == ClassAdmission::Ready;
        Self {
            admission,
            in_vain: in_vain && state.response != Response::Responsive,
            next_allowed,
            gain: state.gain(if ready { files.old_enough } else { 0 }, pace),
        }
    }
}

impl Numbers {
    /// Counts the failed files of a candidate.
    pub fn of(candidate: &Candidate<'_>, ledger: Option<&LedgerView>, now: Timestamp) -> Self {
        let rules = candidate.rules;
        let mut classes: BTreeMap<&Class, ClassFiles> = BTreeMap::new();
        for file in candidate.failed.files {
            let attempts = ledger.map_or(0, |view| view.file_attempts(candidate.folder, file.key));
            let exhausted = attempts >= rules.max_attempts.get();
            let is_old = now.since(file.since) >= rules.min_age;
            let class = classes.entry(&file.class).or_default();
            class.files += 1;
            class.exhausted += u64::from(exhausted);
            class.old_enough += u64::from(is_old && !exhausted);
        }
        let mut numbers = Self {
            failed: candidate.counts[Status::Failed],
            tried_in_vain: true,
            ..Self::default()
        };
        let ledger = ActiveMode::of(rules.mode).zip(ledger);
        let mut gain = 0.0;
        let mut ends = Vec::new();
        for (class, files) in &classes {
            let facts = ClassFacts::of(candidate, ledger, (class, files), now);
            numbers.add(facts.admission, files);
            gain += facts.gain;
            if facts.admission >= ClassAdmission::Paused && files.exhausted < files.files {
                numbers.tried_in_vain &= facts.in_vain;
                ends.push(facts.next_allowed);
            }
        }
        numbers.gain = hundredths(gain);
        numbers.next_allowed = ends.into_iter().min().unwrap_or_else(|| {
            let (mode, view) = ledger?;
            next_allowed(view, mode, candidate.folder, None, rules, now)
        });
        numbers
    }

    fn add(&mut self, admission: ClassAdmission, files: &ClassFiles) {
        self.exhausted += files.exhausted;
        if admission > ClassAdmission::Excluded {
            self.of_class += files.files;
        }
        if admission > ClassAdmission::Unresponsive {
            self.helpable += files.files;
            self.retryable += files.files - files.exhausted;
            self.eligible += files.old_enough;
        }
        if admission == ClassAdmission::Ready {
            self.ready += files.old_enough;
            self.riding_along += files.exhausted;
        } else {
            self.riding_along += files.files;
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a folder has fewer files than 2^52, and none of them counts less than 0"
)]
fn hundredths(files: f64) -> u64 {
    (files * 100.0).round() as u64
}

/// Whether files of a class count (docs/configuration.md: `retry_classes` and `never_classes`).
fn class_counts(rules: &ReindexRules, class: &Class) -> bool {
    let named = |classes: &[String]| classes.iter().any(|name| name == class.as_str());
    let wanted = rules.retry_classes.is_empty() || named(&rules.retry_classes);
    wanted && !named(&rules.never_classes)
}
