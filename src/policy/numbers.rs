//! The numbers of failed files behind a decision.

use std::collections::BTreeMap;

use crate::classify::Class;
use crate::config::ReindexRules;
use crate::ledger::{ActiveMode, LedgerView};
use crate::model::{Status, Timestamp};
use crate::policy::candidate::Candidate;
use crate::policy::class::{ClassPace, ClassState, Response};
use crate::policy::cooldown::{in_vain, next_allowed};
use crate::policy::outlook::FailedFile;

/// What a decision was made from: for people, and for the metrics.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Failed files, as counted.
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
    /// Files that an attempt would send in vain: exhausted ones, and those whose class does not count, does not respond or is paused.
    pub riding_along: u64,
    /// Hundredths of files that an attempt is expected to bring back.
    pub gain: u64,
    /// Whether every class that counts was tried in the folder without effect, and none is known to respond.
    pub tried_in_vain: bool,
    /// The end of the cooldown, which may be past; `None` when there is none.
    pub next_allowed: Option<Timestamp>,
}

/// What holds for the files of one class in a folder.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one thing that may be otherwise"
)]
struct OfClass {
    counts: bool,
    helpable: bool,
    ready: bool,
    pace: ClassPace,
    /// What the ledger knows of it, where the ledger can be used.
    state: Option<ClassState>,
    /// Files of it that are eligible.
    eligible: u64,
    in_vain: bool,
    next_allowed: Option<Timestamp>,
}

impl OfClass {
    fn of(
        candidate: &Candidate<'_>,
        ledger: Option<&LedgerView>,
        class: &Class,
        now: Timestamp,
    ) -> Self {
        let counts = class_counts(candidate.rules, class);
        let active = ActiveMode::of(candidate.rules.mode).zip(ledger);
        let Some((mode, ledger)) = active else {
            return Self {
                counts,
                helpable: true,
                ready: true,
                pace: ClassPace::All,
                state: None,
                eligible: 0,
                in_vain: false,
                next_allowed: None,
            };
        };
        let (folder, rules) = (candidate.folder, candidate.rules);
        let state = ClassState::of(ledger, class);
        let next_allowed = next_allowed(ledger, mode, folder, Some((class, &state)), rules, now);
        let pace = state.pace(candidate.outlook.fresh(class), rules, now);
        let may_be_tried = pace != ClassPace::Paused;
        // What was sent is known in both modes.
        let sent = ledger.track(ActiveMode::Enforce);
        let in_vain = in_vain(sent, folder, class, &state) > 0;
        Self {
            counts,
            helpable: state.response != Response::Unresponsive || may_be_tried,
            ready: may_be_tried && next_allowed.is_none_or(|end| now >= end),
            eligible: 0,
            in_vain: in_vain && state.response != Response::Responsive,
            next_allowed,
            pace,
            state: Some(state),
        }
    }
}

impl Numbers {
    /// Counts the failed files of a candidate.
    #[must_use]
    pub fn of(candidate: &Candidate<'_>, ledger: Option<&LedgerView>, now: Timestamp) -> Self {
        let mut numbers = Self {
            failed: candidate.counts[Status::Failed],
            tried_in_vain: true,
            ..Self::default()
        };
        let mut classes: BTreeMap<&Class, OfClass> = BTreeMap::new();
        let mut soonest: Option<Option<Timestamp>> = None;
        for file in candidate.failed.files {
            let class = classes
                .entry(&file.class)
                .or_insert_with(|| OfClass::of(candidate, ledger, &file.class, now));
            let attempts = ledger.map_or(0, |view| view.file_attempts(candidate.folder, file.key));
            let exhausted = attempts >= candidate.rules.max_attempts.get();
            let eligible = numbers.add(candidate.rules, file, class, exhausted, now);
            class.eligible += u64::from(eligible);
            if class.counts && class.helpable && !exhausted {
                numbers.tried_in_vain &= class.in_vain;
                let next = class.next_allowed;
                soonest = Some(soonest.map_or(next, |other| other.min(next)));
            }
        }
        let gains = classes.values().filter(|class| class.ready).map(|class| {
            let state = class.state.as_ref();
            state.map_or(0.0, |state| state.gain(class.eligible, class.pace))
        });
        numbers.gain = hundredths(gains.sum());
        let active = ActiveMode::of(candidate.rules.mode).zip(ledger);
        numbers.next_allowed = soonest.unwrap_or_else(|| {
            let (mode, view) = active?;
            next_allowed(view, mode, candidate.folder, None, candidate.rules, now)
        });
        numbers
    }

    /// Counts a file; returns whether it is eligible.
    fn add(
        &mut self,
        rules: &ReindexRules,
        file: &FailedFile,
        class: &OfClass,
        exhausted: bool,
        now: Timestamp,
    ) -> bool {
        let helpable = class.counts && class.helpable;
        let retryable = helpable && !exhausted;
        let eligible = retryable && now.since(file.since) >= rules.min_age;
        self.of_class += u64::from(class.counts);
        self.helpable += u64::from(helpable);
        self.exhausted += u64::from(exhausted);
        self.retryable += u64::from(retryable);
        self.eligible += u64::from(eligible);
        self.ready += u64::from(eligible && class.ready);
        self.riding_along += u64::from(!retryable || !class.ready);
        eligible
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
