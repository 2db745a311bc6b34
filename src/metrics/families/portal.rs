//! Families of a portal: its list of folders, its collections and its error classes.

use std::time::Duration;

use super::view::{Facts, PortalFacts};
use crate::classify::Class;
use crate::metrics::family::{PORTAL, families};
use crate::metrics::samples::{Samples, flag, float};
use crate::model::Timestamp;
use crate::portal::Trouble;
use crate::snapshot::{ListFacts, SortingState};
use crate::store::Standing;

families! {
    ACTIVE: Gauge "kb_portal_active" PORTAL, ExporterSamples(active),
        "Whether this process reads the portal. Where another one does, it has no other series of the portal.";
    UP: Gauge "kb_portal_up" PORTAL,
        Portal(|portal| Some(flag(portal.view.list.current().is_some()))),
        "Whether the last read of the folder list succeeded.";
    UNAVAILABLE: Gauge "kb_portal_unavailable" &["portal", "reason"], PortalSamples(unavailable),
        "Whether the folder list cannot be read for this reason.";
    FOLDERS: Gauge "kb_portal_folders" PORTAL,
        Portal(|portal| Some(float(portal.view.list.facts.as_ref()?.folders as u64))),
        "Number of folders that the API key may use.";
    FOLDERS_UNWATCHED: Gauge "kb_portal_folders_unwatched" &["portal", "reason"], PortalSamples(unwatched),
        "Number of folders that nobody counts, although they are listed or the configuration names them.";
    SORTING: Gauge "kb_portal_sorting" &["portal", "state"], PortalSamples(sorting),
        "Whether sorting by status is in this state: shown by rows, assumed from the interface, or refuted by rows.";
    COLLECTION_LAST_SUCCESS: Gauge "kb_collection_last_success_timestamp_seconds" PORTAL,
        Portal(|portal| portal.view.collections.last_success.map(Timestamp::as_seconds)),
        "Time at which the last successful collection ended.";
    COLLECTION_LAST_RUN: Gauge "kb_collection_last_run_timestamp_seconds" PORTAL,
        Portal(|portal| Some(portal.view.collections.last_run?.ended.as_seconds())),
        "Time at which the last collection ended.";
    COLLECTION_DURATION: Gauge "kb_collection_duration_seconds" PORTAL,
        Portal(|portal| Some(portal.view.collections.last_run?.duration.as_secs_f64())),
        "Duration of the last collection.";
    COLLECTION_INTERVAL: Gauge "kb_collection_interval_seconds" PORTAL,
        Portal(|portal| portal.view.collections.interval().as_ref().map(Duration::as_secs_f64)),
        "Longest expected time between the ends of two collections.";
    ERROR_CLASSES: Gauge "kb_error_classes" PORTAL,
        Portal(|portal| Some(float(portal.view.classes.len() as u64))),
        "Number of error classes with a class slot.";
    ERROR_OVERFLOW_FILES: Gauge "kb_error_overflow_files" PORTAL, Portal(|portal| Some(overflow(portal))),
        "Number of failed and flagged files whose error class has no class slot.";
}

fn active(facts: &Facts, samples: &mut Samples<'_>) {
    for portal in &facts.snapshot.portals {
        let is_active = portal.standing == Standing::Active;
        samples.add(&[portal.name.as_str()], flag(is_active));
    }
}

fn unavailable(portal: &PortalFacts<'_>, samples: &mut Samples<'_>) {
    for trouble in Trouble::ALL {
        let holds = portal.view.list.trouble() == Some(trouble);
        samples.add(&[trouble.as_str()], flag(holds));
    }
}

fn unwatched(portal: &PortalFacts<'_>, samples: &mut Samples<'_>) {
    let list = &portal.view.list.facts;
    let folders = list.iter().flat_map(ListFacts::by_reason);
    for (reason, folders, _) in folders {
        samples.add(&[reason], float(folders));
    }
}

fn sorting(portal: &PortalFacts<'_>, samples: &mut Samples<'_>) {
    for state in SortingState::ALL {
        let holds = portal.view.sorting == state;
        samples.add(&[state.as_str()], flag(holds));
    }
}

fn overflow(portal: &PortalFacts<'_>) -> f64 {
    let counts = portal.folders().filter_map(|folder| folder.counts);
    let rows = counts.flat_map(|counts| &counts.errors);
    let other = rows.filter(|row| row.class == Class::Other);
    float(other.map(|row| row.files).sum())
}
