//! Reindexing: what is decided and what was attempted, as samples.

use crate::config::Mode;
use crate::ledger::{ActiveMode, LedgerView, Totals, Verdict};
use crate::metrics::catalogue as family;
use crate::metrics::facts::{Labels, flag};
use crate::metrics::samples::{Samples, float};
use crate::model::{Moment, Timestamp};
use crate::policy::Reason;
use crate::snapshot::{FolderReindex, FolderView, PortalLimits, PortalView, ReindexView, Snapshot};

/// Adds the one sample that is about no portal.
pub(super) fn add_kill_switch(samples: &mut Samples, snapshot: &Snapshot) {
    let on = snapshot.reindex.values().any(|view| view.kill_switch);
    samples.add(&family::REINDEX_KILL_SWITCH, &[], flag(on));
}

/// Adds what holds for a portal as a whole.
pub(super) fn add_portal(
    samples: &mut Samples,
    portal: &PortalView,
    ledger: &LedgerView,
    now: Moment,
) {
    let mode = ActiveMode::of(portal.reindex.strongest_mode());
    let mode = mode.unwrap_or(ActiveMode::DryRun);
    let PortalLimits { left, breaker, .. } =
        PortalLimits::of(mode, &portal.reindex.rules, ledger, now);
    let name = portal.name.as_str();
    for (kind, left) in [("actions", left.actions), ("files", left.files)] {
        samples.add(
            &family::REINDEX_BUDGET_REMAINING,
            &[name, kind],
            float(left),
        );
    }
    samples.add(
        &family::REINDEX_BREAKER_OPEN,
        &[name],
        flag(breaker.is_open()),
    );
}

/// Adds what holds for a folder that is there.
pub(super) fn add_folder(
    samples: &mut Samples,
    labels: &Labels<'_>,
    mode: Mode,
    folder: &FolderView,
    view: Option<&ReindexView>,
) {
    samples.add(&family::REINDEX_MODE, &labels.with(mode.as_str()), 1.0);
    let Some(view) = view.filter(|_| mode != Mode::Off) else {
        return;
    };
    if let Ok(ledger) = &view.ledger {
        add_totals(samples, labels, &ledger.totals(folder.id));
    }
    if let Some(decided) = view.folders.get(&folder.id) {
        add_decided(samples, labels, decided);
    }
}

fn add_decided(samples: &mut Samples, labels: &Labels<'_>, decided: &FolderReindex) {
    let numbers = &decided.numbers;
    let plain = labels.plain();
    if decided.reason != Reason::Eligible {
        let labels = labels.with(decided.reason.as_str());
        samples.add(&family::REINDEX_HOLD, &labels, 1.0);
    }
    samples.add(
        &family::REINDEX_ELIGIBLE_FILES,
        &plain,
        float(numbers.eligible),
    );
    samples.add(
        &family::REINDEX_EXHAUSTED_FILES,
        &plain,
        float(numbers.exhausted),
    );
    let next = numbers.next_allowed.map_or(0.0, Timestamp::as_seconds);
    samples.add(&family::REINDEX_NEXT_ALLOWED, &plain, next);
}

fn add_totals(samples: &mut Samples, labels: &Labels<'_>, totals: &Totals) {
    let plain = labels.plain();
    for (result, attempts) in [
        ("accepted", totals.accepted),
        ("refused", totals.refused),
        ("unknown", totals.unknown),
    ] {
        samples.add(
            &family::REINDEX_ATTEMPTS,
            &labels.with(result),
            float(attempts),
        );
    }
    for verdict in Verdict::ALL {
        let judged = float(totals.judged(verdict));
        samples.add(
            &family::REINDEX_OUTCOMES,
            &labels.with(verdict.as_str()),
            judged,
        );
    }
    samples.add(
        &family::REINDEX_FILES_REQUEUED,
        &plain,
        float(totals.requeued),
    );
    samples.add(
        &family::REINDEX_FILES_RECOVERED,
        &plain,
        float(totals.files_recovered),
    );
    samples.add(
        &family::REINDEX_FILES_REFAILED,
        &plain,
        float(totals.files_refailed),
    );
}
