//! Health in the form of `application/health+json` (draft-inadarei-api-health-check-06).

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::health::{FolderDecision, FolderHealth, Health, PortalHealth, Status};
use crate::model::Timestamp;
use crate::policy::Reason;
use crate::portal::Trouble;
use crate::snapshot::{ErrorClass, Unavailable};

pub(super) const CONTENT_TYPE: &str = "application/health+json";

/// The document. The status comes first, for people.
#[derive(Debug, Serialize)]
pub(super) struct Document {
    status: Status,
    version: &'static str,
    description: &'static str,
    checks: Map<String, Value>,
}

pub(super) fn document(health: &Health) -> Document {
    let mut checks = Map::new();
    for portal in &health.portals {
        let name = &portal.name;
        checks.insert(format!("portal:{name}"), json!([portal_check(portal)]));
        if !portal.errors.is_empty() {
            let errors = portal.errors.iter().map(error_check);
            checks.insert(format!("errors:{name}"), errors.collect());
        }
        for folder in &portal.folders {
            let key = format!("folder:{name}:{}", folder.id);
            checks.insert(key, json!([folder_check(folder, portal.next_run)]));
        }
    }
    Document {
        status: health.status,
        version: env!("CARGO_PKG_VERSION"),
        description: env!("CARGO_PKG_DESCRIPTION"),
        checks,
    }
}

fn portal_check(portal: &PortalHealth) -> Value {
    object(json!({
        "componentId": portal.name,
        "componentType": "portal",
        "status": portal.status,
        "reason": portal.trouble.map(Trouble::as_str),
        "output": (!portal.notes.is_empty()).then(|| portal.notes.join("; ")),
        // The label `state` of `kb_portal_sorting` that is 1.
        "sorting": portal.sorting.as_str(),
        "time": text(portal.last_run),
        "nextRun": text(portal.next_run),
    }))
}

fn folder_check(folder: &FolderHealth, next_run: Option<Timestamp>) -> Value {
    object(json!({
        "componentId": folder.id,
        "componentType": "folder",
        "name": folder.name,
        "status": folder.status,
        "reason": folder.reason.map(Unavailable::as_str),
        "output": folder.message,
        "observedValue": folder.age_seconds,
        "observedUnit": folder.age_seconds.map(|_| "s"),
        "stale": folder.stale,
        "reindex": folder.reindex.as_ref().map(reindex),
        "time": text(folder.counted),
        "nextRun": text(next_run),
    }))
}

/// An error class: its files, and one of its reasons as the output.
fn error_check(error: &ErrorClass) -> Value {
    let known = error.known.as_ref();
    object(json!({
        "componentId": error.class.as_str(),
        "componentType": "error",
        "output": error.example.as_deref(),
        "observedValue": error.files.total(),
        "observedUnit": "files",
        "folders": error.folders,
        "firstSeen": text(known.map(|known| known.first_seen)),
        "time": text(known.map(|known| known.last_seen)),
    }))
}

/// The decision about a folder, with the failed files that it was made from.
fn reindex(decision: &FolderDecision) -> Value {
    let (reason, numbers) = decision.decided.unzip();
    object(json!({
        "mode": decision.mode.as_str(),
        "reason": reason.map(Reason::as_str),
        "output": decision.summary(),
        "failed": numbers.map(|numbers| numbers.failed),
        "retryable": numbers.map(|numbers| numbers.retryable),
        "eligible": numbers.map(|numbers| numbers.eligible),
        "exhausted": numbers.map(|numbers| numbers.exhausted),
        // The end of the cooldown, which may be past.
        "nextAllowed": text(numbers.and_then(|numbers| numbers.next_allowed)),
    }))
}

fn text(time: Option<Timestamp>) -> Option<String> {
    time.map(|time| time.to_string())
}

/// An object without the members that are null.
fn object(mut value: Value) -> Value {
    if let Value::Object(members) = &mut value {
        members.retain(|_, member| !member.is_null());
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::ActiveMode;
    use crate::policy::Numbers;

    #[test]
    fn a_decision_is_written_with_its_numbers() {
        let numbers = Numbers {
            failed: 12,
            of_class: 11,
            retryable: 9,
            eligible: 8,
            exhausted: 3,
            riding_along: 3,
            next_allowed: Some(Timestamp::from_millis(1_772_366_400_000)),
            ..Numbers::default()
        };
        let written = |decided| {
            let mode = ActiveMode::DryRun;
            reindex(&FolderDecision { mode, decided })
        };
        assert_eq!(
            written(Some((Reason::Cooldown, numbers))),
            json!({"mode": "dry_run", "reason": "cooldown", "failed": 12, "retryable": 9,
                   "output": format!("{}; next allowed 2026-03-01T12:00:00Z, 12 failed, 9 retryable", Reason::Cooldown.sentence()),
                   "eligible": 8, "exhausted": 3, "nextAllowed": "2026-03-01T12:00:00Z"})
        );
        assert_eq!(
            written(None),
            json!({"mode": "dry_run", "output": "no decision has been made yet"})
        );
    }
}
