//! Health in the form of `application/health+json` (draft-inadarei-api-health-check-06).

use serde_json::{Map, Value, json};

use crate::health::{Finding, FolderHealth, FolderReindex, Health, PortalHealth, PortalReindex};
use crate::model::Timestamp;
use crate::portal::Trouble;
use crate::snapshot::{ErrorClass, Unavailable};
use crate::store::Standing;

pub(super) const CONTENT_TYPE: &str = "application/health+json";

/// The document. The status comes first, for people.
pub(super) fn document(health: &Health) -> Value {
    let mut checks = Map::new();
    for portal in &health.portals {
        let name = &portal.view.name;
        checks.insert(format!("portal:{name}"), json!([portal_check(portal)]));
        if !portal.errors.is_empty() {
            let errors = portal.errors.iter().map(error_check);
            checks.insert(format!("errors:{name}"), errors.collect());
        }
        for folder in &portal.folders {
            let key = format!("folder:{name}:{}", folder.view.id);
            let next_run = portal.view.collections.next;
            checks.insert(key, json!([folder_check(folder, next_run)]));
        }
    }
    json!({
        "status": health.status,
        "version": env!("CARGO_PKG_VERSION"),
        "description": env!("CARGO_PKG_DESCRIPTION"),
        "checks": checks,
    })
}

fn portal_check(portal: &PortalHealth) -> Value {
    let view = &portal.view;
    object(json!({
        "componentId": view.name.as_str(),
        "componentType": "portal",
        "status": portal.status(),
        // As `kb_portal_active`; and the process that reads the portal, if it is another one.
        "active": view.standing == Standing::Active,
        "holder": view.holder(),
        "reason": view.list.trouble().map(Trouble::as_str),
        "output": output(&portal.findings),
        // The label `state` of `kb_portal_sorting` that is 1.
        "sorting": view.sorting.as_str(),
        "reindex": portal.reindex.as_ref().map(portal_reindex),
        "time": text(view.collections.last_run.map(|run| run.ended)),
        "nextRun": text(view.collections.next),
    }))
}

fn folder_check(folder: &FolderHealth, next_run: Option<Timestamp>) -> Value {
    let view = &folder.view;
    object(json!({
        "componentId": view.id.to_string(),
        "componentType": "folder",
        "name": view.name.to_string(),
        "status": folder.status(),
        "reason": view.state.unavailable().map(Unavailable::as_str),
        "output": output(&folder.findings),
        "observedValue": folder.age_seconds,
        "observedUnit": folder.age_seconds.map(|_| "s"),
        "stale": folder.stale,
        "reindex": folder.reindex.as_ref().map(folder_reindex),
        "time": text(view.last_success()),
        "nextRun": text(next_run),
    }))
}

/// What is wrong, if anything is, for people.
fn output(findings: &[Finding]) -> Option<String> {
    let sentences = findings.iter().map(|finding| &*finding.sentence);
    let sentences: Vec<_> = sentences.collect();
    (!sentences.is_empty()).then(|| sentences.join("; "))
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

fn portal_reindex(reindex: &PortalReindex) -> Value {
    object(json!({
        "output": reindex.sentence,
        "waiting": reindex.waiting,
        "remainingFiles": reindex.remaining_files,
    }))
}

/// The decision about a folder, with the failed files that it was made from.
fn folder_reindex(FolderReindex { decision, sentence }: &FolderReindex) -> Value {
    let numbers = decision.numbers;
    object(json!({
        "mode": decision.mode.as_str(),
        "reason": decision.reason().as_str(),
        "since": decision.since.to_string(),
        "output": sentence,
        "failed": numbers.failed,
        "eligible": numbers.eligible,
        "exhausted": numbers.exhausted,
        // The end of the cooldown, which may be past.
        "nextAllowed": text(numbers.next_allowed),
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
    use crate::config::Mode;
    use crate::policy::{Choice, Decision, Numbers, Reason};

    #[test]
    fn a_decision_is_written_with_its_numbers() {
        let noon = Timestamp::from_millis(1_772_366_400_000);
        let decision = Decision {
            mode: Mode::DryRun,
            choice: Choice::Hold(Reason::Cooldown.into()),
            since: noon,
            numbers: Numbers {
                failed: 12,
                eligible: 8,
                exhausted: 3,
                next_allowed: Some(noon),
            },
        };
        let sentence = "for people".to_owned();
        assert_eq!(
            folder_reindex(&FolderReindex { decision, sentence }),
            json!({"mode": "dry_run", "reason": "cooldown", "since": "2026-03-01T12:00:00Z", "failed": 12,
                   "output": "for people", "eligible": 8, "exhausted": 3, "nextAllowed": "2026-03-01T12:00:00Z"})
        );
    }
}
