//! A scan as a document for programs.

use std::borrow::Cow;
use std::collections::BTreeMap;

use anyhow::Result;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use crate::classify::ErrorRow;
use crate::cli::output;
use crate::clock::Moment;
use crate::history::FullRead;
use crate::model::{ByStatus, Status};
use crate::snapshot::{self, Counts, FolderState, FolderView, ListState, PortalView, Snapshot};

/// Writes the document: the portals in the order of the configuration.
pub(super) fn text(snapshot: &Snapshot) -> Result<String> {
    let portals = snapshot.portals.iter().map(|portal| Portal::of(portal));
    output::document(&Document {
        portals: portals.collect(),
    })
}

/// What `kb-exporter scan --output json` prints. Fields may be added, but not renamed or removed.
#[derive(Debug, Serialize, JsonSchema)]
struct Document<'a> {
    /// In the order of the configuration.
    portals: Vec<Portal<'a>>,
}

/// One portal.
#[derive(Debug, Serialize, JsonSchema)]
struct Portal<'a> {
    /// The name that the configuration gives it.
    name: &'a str,
    /// Why its list of folders could not be read.
    unavailable: Option<Unavailable<'a>>,
    /// What of its list was not collected, for people.
    notes: Vec<String>,
    /// When the collection ended.
    ended: Option<String>,
    /// How long the collection took.
    duration_seconds: Option<f64>,
    /// Failed and flagged files by error class, the largest class first.
    errors: Vec<PortalError>,
    /// By id.
    folders: Vec<Folder<'a>>,
}

/// Files of one error class in a portal.
#[derive(Debug, Serialize, JsonSchema)]
struct PortalError {
    error: String,
    failed: u64,
    flagged: u64,
    /// Folders with such files.
    folders: usize,
    /// One of the reasons, on one line and cut.
    example: Option<String>,
    /// When it was first seen, by this scan.
    first_seen: Option<String>,
    last_seen: Option<String>,
}

impl From<snapshot::ErrorClass> for PortalError {
    fn from(error: snapshot::ErrorClass) -> Self {
        let known = error.known.as_ref();
        Self {
            error: error.class.to_string(),
            failed: error.files[Status::Failed],
            flagged: error.files[Status::Flagged],
            folders: error.folders,
            example: error.example.as_deref().map(str::to_owned),
            first_seen: known.map(|known| known.first_seen.to_string()),
            last_seen: known.map(|known| known.last_seen.to_string()),
        }
    }
}

/// Why something could not be read.
#[derive(Debug, Serialize, JsonSchema)]
struct Unavailable<'a> {
    /// A word of a closed list: the label `reason` of `kb_portal_unavailable` and `kb_folder_unavailable`.
    reason: &'static str,
    /// What happened, for people.
    message: Option<&'a str>,
}

/// One folder.
#[derive(Debug, Serialize, JsonSchema)]
struct Folder<'a> {
    id: String,
    name: &'a str,
    /// Its `fileCount` in the list of folders.
    reported_files: Option<u64>,
    /// Why it could not be counted.
    unavailable: Option<Unavailable<'a>>,
    /// What was counted.
    counts: Option<Count<'a>>,
}

/// What was counted in a folder.
#[derive(Debug, Serialize, JsonSchema)]
struct Count<'a> {
    /// Files of all statuses.
    total: u64,
    /// Files by status: always the five of docs/portal.md, and `unknown` where there are such files.
    files: ByWord<'a>,
    /// The sum of their sizes, by status, as of the last full read; null where there was none.
    size_bytes: Option<ByWord<'a>>,
    /// Failed and flagged files by error class.
    errors: Vec<ErrorClass<'a>>,
    /// Whether the counts are consistent.
    consistent: bool,
    /// How it was counted: `full` or `sorted`.
    strategy: &'static str,
    /// When the last page was read.
    counted: String,
    /// How long it took.
    duration_seconds: f64,
    /// Requests that it took.
    requests: u64,
}

/// Files of one error class.
#[derive(Debug, Serialize, JsonSchema)]
struct ErrorClass<'a> {
    status: &'static str,
    error: &'a str,
    files: u64,
}

/// One number for each status that is shown.
#[derive(Debug)]
struct ByWord<'a> {
    numbers: &'a ByStatus<u64>,
    with_unknown: bool,
}

impl JsonSchema for ByWord<'_> {
    fn schema_name() -> Cow<'static, str> {
        "ByStatus".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<String, u64>::json_schema(generator)
    }
}

impl Serialize for ByWord<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let shown = |status: Status| status != Status::Unknown || self.with_unknown;
        let numbers = self.numbers.iter().filter(|(status, _)| shown(*status));
        serializer.collect_map(numbers.map(|(status, number)| (status.as_str(), number)))
    }
}

impl<'a> Portal<'a> {
    fn of(portal: &'a PortalView) -> Self {
        let unavailable = match &portal.list {
            ListState::Failed {
                trouble, message, ..
            } => Some(Unavailable {
                reason: trouble.as_str(),
                message: Some(message),
            }),
            ListState::Unasked | ListState::Read(_) => None,
        };
        let run = portal.collections.last_run;
        Self {
            name: portal.name.as_str(),
            notes: match unavailable {
                Some(_) => Vec::new(),
                None => portal.notes().collect(),
            },
            unavailable,
            ended: run.map(|run| run.ended.to_string()),
            duration_seconds: run.map(|run| run.duration.as_secs_f64()),
            errors: portal
                .error_classes(Moment::now())
                .into_iter()
                .map(PortalError::from)
                .collect(),
            folders: portal
                .folders
                .values()
                .map(|folder| Folder::of(folder))
                .collect(),
        }
    }
}

impl<'a> Folder<'a> {
    fn of(folder: &'a FolderView) -> Self {
        let message = match &folder.state {
            FolderState::Unavailable { message, .. } => Some(message.as_str()),
            FolderState::Unseen | FolderState::Counted | FolderState::Departed(_) => None,
        };
        let unavailable = folder.state.unavailable().map(|reason| Unavailable {
            reason: reason.as_str(),
            message,
        });
        let counts = folder.counts.as_deref();
        Self {
            id: folder.id.to_string(),
            name: folder.name.label(),
            reported_files: folder.reported_files,
            unavailable,
            counts: counts.map(|counts| Count::of(counts, folder.full_read.as_ref())),
        }
    }
}

impl<'a> Count<'a> {
    fn of(counts: &'a Counts, full_read: Option<&'a FullRead>) -> Self {
        let with_unknown = counts.files[Status::Unknown] > 0;
        let by_word = |numbers| ByWord {
            numbers,
            with_unknown,
        };
        let class = |row: &'a ErrorRow| ErrorClass {
            status: row.status.as_str(),
            error: row.class.as_str(),
            files: row.files,
        };
        Self {
            total: counts.files.total(),
            files: by_word(&counts.files),
            size_bytes: full_read.map(|full| by_word(&full.sizes)),
            errors: counts.errors.iter().map(class).collect(),
            consistent: counts.look.consistent,
            strategy: counts.look.way.as_str(),
            counted: counts.counted.wall.to_string(),
            duration_seconds: counts.look.duration.as_secs_f64(),
            requests: counts.look.requests,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_in_the_documents() {
        output::assert_schema_in_documents::<Document<'_>>("scan");
    }
}
