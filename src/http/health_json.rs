//! Health in the form of `application/health+json` (draft-inadarei-api-health-check-06).

use std::collections::BTreeMap;

use serde::Serialize;

use crate::health::{FolderHealth, Health, PortalHealth, Status};

/// The media type.
pub(super) const CONTENT_TYPE: &str = "application/health+json";

/// The document.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    status: Status,
    version: &'static str,
    description: &'static str,
    checks: BTreeMap<String, [Check; 1]>,
}

/// One check: of a portal, or of a folder.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Check {
    component_id: String,
    component_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    status: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    /// The age of the counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    observed_value: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    observed_unit: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stale: Option<bool>,
    /// When the folder was counted, or the portal's last collection ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_run: Option<String>,
}

impl From<Health> for Document {
    fn from(health: Health) -> Self {
        let mut checks = BTreeMap::new();
        for mut portal in health.portals {
            let next_run = portal.next_run.map(|next| next.to_string());
            for folder in std::mem::take(&mut portal.folders) {
                let key = format!("folder:{}:{}", portal.name, folder.id);
                checks.insert(key, [folder_check(folder, next_run.clone())]);
            }
            let key = format!("portal:{}", portal.name);
            checks.insert(key, [portal_check(portal, next_run)]);
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
        time: portal.last_run.map(|time| time.to_string()),
        next_run,
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
        time: folder.counted.map(|time| time.to_string()),
        next_run,
    }
}
