//! Health in the form of `application/health+json` (draft-inadarei-api-health-check-06).

use serde_json::{Map, Value, json};

use crate::health::{Finding, FolderHealth, Health, PortalHealth};
use crate::model::Timestamp;
use crate::portal::Trouble;
use crate::store::Standing;

pub(super) const CONTENT_TYPE: &str = "application/health+json";

/// The document. The status comes first, for people.
pub(super) fn document(health: &Health) -> Value {
    let mut checks = Map::new();
    for portal in &health.portals {
        let name = &portal.view.name;
        checks.insert(format!("portal:{name}"), json!([portal_check(portal)]));
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
        "reason": view.state.unavailable(),
        "output": output(&folder.findings),
        "observedValue": folder.age_seconds,
        "observedUnit": folder.age_seconds.map(|_| "s"),
        "stale": folder.is_stale(),
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
