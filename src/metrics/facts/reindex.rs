//! Reindexing: what is decided and what was attempted.

use std::collections::BTreeMap;

use super::{Folder, Of, Portal, Source};
use crate::classify::Class;
use crate::config::Mode;
use crate::ledger::{ActiveMode, ClassTotals, LedgerView, Totals, Verdict};
use crate::metrics::catalogue as family;
use crate::metrics::writer::{Samples, flag, float};
use crate::model::Timestamp;
use crate::policy::Reason;
use crate::snapshot::{FolderReindex, PortalLimits, ReindexView, Snapshot};

pub(super) const FAMILIES: &[Source] = &[
    (&family::REINDEX_KILL_SWITCH, Of::Snapshot(kill_switch)),
    (&family::REINDEX_BUDGET_REMAINING, Of::Portal(budget)),
    (&family::REINDEX_BREAKER_OPEN, Of::Portal(breaker)),
    (&family::REINDEX_CLASS_FILES, Of::Portal(classes)),
    (&family::REINDEX_MODE, Of::Folder(mode)),
    (&family::REINDEX_HOLD, Of::Folder(hold)),
    (&family::REINDEX_ELIGIBLE_FILES, Of::Folder(eligible)),
    (&family::REINDEX_EXHAUSTED_FILES, Of::Folder(exhausted)),
    (&family::REINDEX_NEXT_ALLOWED, Of::Folder(next_allowed)),
    (&family::REINDEX_ATTEMPTS, Of::Folder(attempts)),
    (&family::REINDEX_OUTCOMES, Of::Folder(outcomes)),
    (&family::REINDEX_FILES_REQUEUED, Of::Folder(requeued)),
    (&family::REINDEX_FILES_RECOVERED, Of::Folder(recovered)),
    (&family::REINDEX_FILES_REFAILED, Of::Folder(refailed)),
];

fn kill_switch(samples: &mut Samples<'_>, snapshot: &Snapshot) {
    let on = snapshot.reindex.values().any(|view| view.kill_switch);
    samples.add(&[], flag(on));
}

fn budget(samples: &mut Samples<'_>, portal: &Portal<'_>) {
    let Some(PortalLimits { left, .. }) = portal.limits() else {
        return;
    };
    for (kind, left) in [("actions", left.actions), ("files", left.files)] {
        samples.add(&[portal.name(), kind], float(left));
    }
}

fn breaker(samples: &mut Samples<'_>, portal: &Portal<'_>) {
    let open = portal.limits().map(|limits| flag(limits.breaker.is_open()));
    samples.add_some(&[portal.name()], open);
}

fn classes(samples: &mut Samples<'_>, portal: &Portal<'_>) {
    let classes = portal.ledger.map(LedgerView::classes);
    let classes = classes.map(|classes| at_most(portal.view.errors.max_classes, classes));
    for (class, totals) in classes.into_iter().flatten() {
        for (outcome, files) in [
            ("recovered", totals.recovered),
            ("refailed", totals.refailed),
        ] {
            let labels = [portal.name(), class.as_str(), outcome];
            samples.add(&labels, float(files));
        }
    }
}

/// At most so many classes beside `other`, which has the files of all further ones.
///
/// The ledger gives a class its place when its files are sent and there is room ([`crate::ledger::Intent::max_classes`]), and leaves it there.
/// So there are further ones only where `errors.max_classes` was lowered since, and then those stay that are first by name: an order by files
/// would move classes to and from `other`, whose counter must not fall.
fn at_most(
    max_classes: usize,
    classes: &BTreeMap<Class, ClassTotals>,
) -> BTreeMap<Class, ClassTotals> {
    let mut shown = BTreeMap::new();
    let mut slots = max_classes;
    for (class, totals) in classes {
        let has_slot = *class != Class::Other && slots > 0;
        slots -= usize::from(has_slot);
        let class = if has_slot { class } else { &Class::Other };
        let sum: &mut ClassTotals = shown.entry(class.clone()).or_default();
        sum.recovered = sum.recovered.saturating_add(totals.recovered);
        sum.refailed = sum.refailed.saturating_add(totals.refailed);
    }
    shown
}

fn mode(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    if let Some(reindex) = &folder.reindex {
        samples.add(&folder.with(reindex.mode.as_str()), 1.0);
    }
}

fn hold(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    let decided = folder.decided().map(|decided| decided.reason);
    if let Some(reason) = decided.filter(|reason| *reason != Reason::Eligible) {
        samples.add(&folder.with(reason.as_str()), 1.0);
    }
}

fn eligible(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    let decided = folder.decided();
    let files = decided.map(|decided| float(decided.numbers.eligible));
    samples.add_some(&folder.labels(), files);
}

fn exhausted(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    let decided = folder.decided();
    let files = decided.map(|decided| float(decided.numbers.exhausted));
    samples.add_some(&folder.labels(), files);
}

fn next_allowed(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    let next = folder.decided().map(|decided| {
        let next = decided.numbers.next_allowed;
        next.map_or(0.0, Timestamp::as_seconds)
    });
    samples.add_some(&folder.labels(), next);
}

fn attempts(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    let Some(totals) = folder.totals() else {
        return;
    };
    for (result, attempts) in [
        ("accepted", totals.accepted),
        ("refused", totals.refused),
        ("unknown", totals.unknown),
    ] {
        samples.add(&folder.with(result), float(attempts));
    }
}

fn outcomes(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    let Some(totals) = folder.totals() else {
        return;
    };
    for verdict in Verdict::ALL {
        let judged = float(totals.judged(verdict));
        samples.add(&folder.with(verdict.as_str()), judged);
    }
}

fn requeued(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    add_total(samples, folder, |totals| totals.requeued);
}

fn recovered(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    add_total(samples, folder, |totals| totals.files_recovered);
}

fn refailed(samples: &mut Samples<'_>, folder: &Folder<'_>) {
    add_total(samples, folder, |totals| totals.files_refailed);
}

fn add_total(samples: &mut Samples<'_>, folder: &Folder<'_>, value: impl FnOnce(Totals) -> u64) {
    let total = folder.totals().map(|totals| float(value(totals)));
    samples.add_some(&folder.labels(), total);
}

impl Portal<'_> {
    /// What the portal may still be asked for, where that is known.
    fn limits(&self) -> Option<PortalLimits> {
        let rules = &self.view.reindex;
        let mode = shown_mode(rules.strongest_mode());
        let limits = |ledger: &LedgerView| PortalLimits::of(mode, rules, ledger, self.now);
        self.ledger.map(limits)
    }
}

/// The mode whose limits are shown.
pub(in crate::metrics) fn shown_mode(strongest: Mode) -> ActiveMode {
    ActiveMode::of(strongest).unwrap_or(ActiveMode::DryRun)
}

impl Folder<'_> {
    /// What is decided in the portal, where the folder is not left alone.
    fn active(&self) -> Option<&ReindexView> {
        let reindex = self.reindex.as_ref()?;
        reindex.view.filter(|_| reindex.mode != Mode::Off)
    }

    fn decided(&self) -> Option<&FolderReindex> {
        self.active()?.folders.get(&self.view.id)
    }

    fn totals(&self) -> Option<Totals> {
        let ledger = self.active()?.ledger.as_ref().ok()?;
        Some(ledger.totals(self.view.id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_without_a_place_are_one_and_no_file_is_lost() {
        let totals = |recovered, refailed| ClassTotals {
            recovered,
            refailed,
        };
        let text = |text: &str| Class::Text(text.into());
        let classes: BTreeMap<_, _> = [
            (text("a"), totals(1, 2)),
            (text("b"), totals(10, 20)),
            (text("c"), totals(100, 200)),
            (Class::Unspecified, totals(3, 4)),
            (Class::Other, totals(5, 6)),
        ]
        .into();
        assert_eq!(at_most(4, &classes), classes);
        assert_eq!(at_most(50, &classes), classes);
        let shown = at_most(2, &classes);
        let expected = [
            (text("a"), totals(1, 2)),
            (text("b"), totals(10, 20)),
            (Class::Other, totals(108, 210)),
        ];
        assert_eq!(shown, expected.into());
        let more: BTreeMap<_, _> = classes
            .iter()
            .map(|(class, files)| (class.clone(), totals(files.recovered + 900, files.refailed)))
            .collect();
        let later = at_most(2, &more);
        assert!(later.keys().eq(shown.keys()), "files move no class");
    }
}
