//! Families of reindexing: decisions and attempts.

use super::view::{Facts, FolderFacts, PortalFacts};
use crate::attempts::{Book, Verdict};
use crate::metrics::family::{FOLDER, FOLDER_REASON, PORTAL, families};
use crate::metrics::samples::{Samples, flag, float};
use crate::model::Timestamp;
use crate::policy::{self, Decision, Reason};
use crate::snapshot::PortalView;
use crate::store::Standing;

families! {
    BUDGET_REMAINING: Gauge "kb_reindex_budget_remaining_files" PORTAL,
        Portal(remaining_files),
        "Number of files that the reindexing budget still allows.";
    CLASS_FILES: Counter "kb_reindex_class_files_total" &["portal", "error", "outcome"], PortalSamples(classes),
        "Total number of reindexed files by error class and outcome.";
    MODE: Gauge "kb_reindex_mode" &["portal", "folder_id", "folder", "mode"], FolderSamples(mode),
        "Reindexing mode of the folder, constant 1.";
    HOLD: Gauge "kb_reindex_hold" FOLDER_REASON, FolderSamples(hold),
        "Reason why no request is sent for the folder, constant 1.";
    ELIGIBLE_FILES: Gauge "kb_reindex_eligible_files" FOLDER,
        Folder(|folder| Some(float(folder.decided()?.numbers.eligible))),
        "Number of failed files that are eligible for a retry.";
    EXHAUSTED_FILES: Gauge "kb_reindex_exhausted_files" FOLDER,
        Folder(|folder| Some(float(folder.decided()?.numbers.exhausted))),
        "Number of failed files that have used up their attempts.";
    NEXT_ALLOWED: Gauge "kb_reindex_next_allowed_timestamp_seconds" FOLDER,
        Folder(|folder| Some(folder.decided()?.numbers.next_allowed.map_or(0.0, Timestamp::as_seconds))),
        "Time at which the cooldown of the folder ends, or 0 without a cooldown.";
    ATTEMPTS: Counter "kb_reindex_attempts_total" &["portal", "folder_id", "folder", "result"], FolderSamples(attempts),
        "Total number of reindexing attempts by result of the request.";
    OUTCOMES: Counter "kb_reindex_outcomes_total" &["portal", "folder_id", "folder", "outcome"], FolderSamples(outcomes),
        "Total number of judged attempts by outcome.";
    FILES_REQUEUED: Counter "kb_reindex_files_requeued_total" FOLDER,
        Folder(|folder| Some(float(folder.totals()?.requeued))),
        "Total number of files requeued by attempts, as reported by the portal.";
    FILES_RECOVERED: Counter "kb_reindex_files_recovered_total" FOLDER,
        Folder(|folder| Some(float(folder.totals()?.files_recovered))),
        "Total number of files that were done after an attempt.";
    FILES_REFAILED: Counter "kb_reindex_files_refailed_total" FOLDER,
        Folder(|folder| Some(float(folder.totals()?.files_refailed))),
        "Total number of files that failed again after an attempt.";
    WRITABLE: Gauge "kb_state_writable" &["store"], ExporterSamples(writable),
        "Whether writes to the store (state or ledger) succeed.";
}

fn remaining_files(portal: &PortalFacts<'_>) -> Option<f64> {
    let budget = &portal.view.reindex.rules.budget;
    let decided = portal.reindex?.decided;
    let files = policy::remaining_files(portal.book()?, budget, decided);
    Some(float(files))
}

fn classes(portal: &PortalFacts<'_>, samples: &mut Samples<'_>) {
    let classes = portal.book().map(Book::classes);
    for (class, totals) in classes.into_iter().flatten() {
        samples.add(&[class.as_str(), "recovered"], float(totals.recovered));
        samples.add(&[class.as_str(), "refailed"], float(totals.refailed));
    }
}

fn mode(folder: &FolderFacts<'_>, samples: &mut Samples<'_>) {
    if let Some(mode) = folder.mode() {
        samples.add(&[mode.as_str()], 1.0);
    }
}

fn hold(folder: &FolderFacts<'_>, samples: &mut Samples<'_>) {
    let reason = folder.decided().map(Decision::reason);
    if let Some(reason) = reason.filter(|reason| *reason != Reason::Eligible) {
        samples.add(&[reason.as_str()], 1.0);
    }
}

fn attempts(folder: &FolderFacts<'_>, samples: &mut Samples<'_>) {
    if let Some(totals) = folder.totals() {
        samples.add(&["accepted"], float(totals.accepted));
        samples.add(&["refused"], float(totals.refused));
        samples.add(&["unknown"], float(totals.unknown));
    }
}

fn outcomes(folder: &FolderFacts<'_>, samples: &mut Samples<'_>) {
    if let Some(totals) = folder.totals() {
        for verdict in Verdict::ALL {
            let judged = float(totals.judged(verdict));
            samples.add(&[verdict.as_str()], judged);
        }
    }
}

/// A store is written in each collection of each portal. It is writable while no portal has something that could not be written.
fn writable(facts: &Facts, samples: &mut Samples<'_>) {
    let snapshot = &facts.snapshot;
    let portals = || snapshot.portals.iter();
    let state = portals().filter_map(|portal| portal.state_writes.as_ref());
    let state = state.map(Result::is_ok);
    let ledger = portals().filter_map(|portal| snapshot.reindex.get(&portal.name));
    let ledger = ledger.map(|view| view.refusal().is_none());
    let is_unavailable = |portal: &PortalView| matches!(portal.standing, Standing::Unavailable(_));
    let unavailable = portals().filter(|portal| is_unavailable(portal));
    let ledger = ledger.chain(unavailable.map(|_| false));
    let both = |all: bool, one: bool| all && one;
    for (store, writable) in [
        ("state", state.reduce(both)),
        ("ledger", ledger.reduce(both)),
    ] {
        if let Some(writable) = writable {
            samples.add(&[store], flag(writable));
        }
    }
}
