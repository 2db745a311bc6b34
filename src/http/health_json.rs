//! Health in the form of `application/health+json` (draft-inadarei-api-health-check-06).

use std::collections::BTreeMap;

use serde::Serialize;

use crate::health::{FolderDecision, FolderHealth, Health, PortalHealth, Status};
use crate::snapshot::ErrorClass;

/// The media type.
pub(super) const CONTENT_TYPE: &str = "application/health+json";

/// The document.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    status: Status,
    version: &'static str,
    description: &'static str,
    checks: BTreeMap<String, Vec<Check>>,
}

/// One check: of a portal, of a folder, or of a class of error in a portal.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Check {
    component_id: String,
    component_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    /// The label `state` of `kb_portal_sorting` that holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    sorting: Option<&'static str>,
    /// The age of the counts, or the files of a class of error.
    #[serde(skip_serializing_if = "Option::is_none")]
    observed_value: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    observed_unit: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stale: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reindex: Option<Reindex>,
    /// Folders with files of a class of error.
    #[serde(skip_serializing_if = "Option::is_none")]
    folders: Option<usize>,
    /// When a class of error was first seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_seen: Option<String>,
    /// When the folder was counted, the portal's last collection ended, or a class of error was last seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_run: Option<String>,
}

/// What is decided about reindexing a folder whose mode is not off.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Reindex {
    mode: &'static str,
    /// The label `reason` of `kb_reindex_decisions_total`.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    /// The decision and what it was made from, for people.
    output: String,
    #[serde(skip_serializing_if = "Option::is_none", flatten)]
    files: Option<ReindexFiles>,
    /// The end of the cooldown, which may be past.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_allowed: Option<String>,
}

/// The failed files that it was decided from.
#[derive(Debug, Serialize)]
struct ReindexFiles {
    failed: u64,
    /// Those of a class that counts, with attempts left.
    retryable: u64,
    /// Those of them that are old enough.
    eligible: u64,
    /// Those past `reindex.max_attempts`.
    exhausted: u64,
}

impl From<FolderDecision> for Reindex {
    fn from(decision: FolderDecision) -> Self {
        let (reason, numbers) = decision.decided.unzip();
        Self {
            mode: decision.mode.as_str(),
            reason: reason.map(crate::policy::Reason::as_str),
            output: decision.summary(),
            files: numbers.map(|numbers| ReindexFiles {
                failed: numbers.failed,
                retryable: numbers.retryable,
                eligible: numbers.eligible,
                exhausted: numbers.exhausted,
            }),
            next_allowed: numbers
                .and_then(|numbers| numbers.next_allowed)
                .map(|time| time.to_string()),
        }
    }
}

impl From<Health> for Document {
    fn from(health: Health) -> Self {
        let mut checks = BTreeMap::new();
        for mut portal in health.portals {
            let next_run = portal.next_run.map(|next| next.to_string());
            for folder in std::mem::take(&mut portal.folders) {
                let key = format!("folder:{}:{}", portal.name, folder.id);
                checks.insert(key, vec![folder_check(folder, next_run.clone())]);
            }
            if !portal.errors.is_empty() {
                let key = format!("errors:{}", portal.name);
                checks.insert(key, portal.errors.iter().map(error_check).collect());
            }
            let key = format!("portal:{}", portal.name);
            checks.insert(key, vec![portal_check(portal, next_run)]);
        }
        Self {
            status: health.status,
            version: env!("CARGO_PKG_VERSION"),
            description: env!("CARGO_PKG_DESCRIPTION"),
            checks,
        }
    }
}

fn portal_check(portal: PortalHealth, next_run: Option<String>) -> Check {
    Check {
        component_id: portal.name,
        component_type: "portal",
        status: Some(portal.status),
        reason: portal.trouble.map(crate::portal::Trouble::as_str),
        output: (!portal.notes.is_empty()).then(|| portal.notes.join("; ")),
        sorting: Some(portal.sorting.as_str()),
        time: portal.last_run.map(|time| time.to_string()),
        next_run,
        ..Check::default()
    }
}

/// A class of error: its files, and one of its reasons as the output.
fn error_check(error: &ErrorClass) -> Check {
    let known = error.known.as_ref();
    Check {
        component_id: error.class.to_string(),
        component_type: "error",
        output: error.example.as_deref().map(str::to_owned),
        observed_value: Some(error.files.total()),
        observed_unit: Some("files"),
        folders: Some(error.folders),
        first_seen: known.map(|known| known.first_seen.to_string()),
        time: known.map(|known| known.last_seen.to_string()),
        ..Check::default()
    }
}

fn folder_check(folder: FolderHealth, next_run: Option<String>) -> Check {
    Check {
        component_id: folder.id,
        component_type: "folder",
        name: Some(folder.name),
        status: Some(folder.status),
        reason: folder.reason.map(crate::snapshot::Unavailable::as_str),
        output: folder.message,
        observed_value: folder.age_seconds,
        observed_unit: folder.age_seconds.map(|_| "s"),
        stale: Some(folder.stale),
        reindex: folder.reindex.map(Reindex::from),
        time: folder.counted.map(|time| time.to_string()),
        next_run,
        ..Check::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::ActiveMode;
    use crate::model::Timestamp;
    use crate::policy::{Numbers, Reason};
    use serde_json::json;

    #[test]
    fn a_decision_is_told_with_what_it_was_made_from() {
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
        let told = |decided| {
            let mode = ActiveMode::DryRun;
            serde_json::to_value(Reindex::from(FolderDecision { mode, decided })).unwrap()
        };
        assert_eq!(
            told(Some((Reason::Cooldown, numbers))),
            json!({"mode": "dry_run", "reason": "cooldown", "failed": 12, "retryable": 9,
                   "output": format!("{}; next allowed 2026-03-01T12:00:00Z, 12 failed, 9 retryable", Reason::Cooldown.sentence()),
                   "eligible": 8, "exhausted": 3, "nextAllowed": "2026-03-01T12:00:00Z"})
        );
        assert_eq!(
            told(None),
            json!({"mode": "dry_run", "output": "nothing was decided yet"})
        );
    }
}
