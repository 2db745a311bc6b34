//! A check as a document for programs (docs/check.schema.json).

use anyhow::Result;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::check::report::{PortalReport, Report};
use crate::cli::output;
use crate::snapshot::{FolderState, FolderView};

/// Writes the document: the portals in the order of the configuration.
pub(super) fn text(report: &Report) -> Result<String> {
    output::document(&Document {
        portals: report.portals.iter().map(Portal::of).collect(),
        notes: &report.mistakes,
    })
}

/// What `kb-exporter check --output json` prints. Fields may be added, but not renamed or removed.
#[derive(Debug, Serialize, JsonSchema)]
struct Document<'a> {
    /// In the order of the configuration.
    portals: Vec<Portal<'a>>,
    /// Patterns of the configuration that match no folder of any portal, for people.
    notes: &'a [String],
}

/// One portal.
#[derive(Debug, Serialize, JsonSchema)]
struct Portal<'a> {
    /// The name that the configuration gives it.
    name: &'a str,
    /// Whether everything in it can be collected.
    ok: bool,
    /// Why its list of folders cannot be read.
    error: Option<&'a str>,
    /// What of its list cannot be collected, for people.
    notes: Vec<String>,
    folders: Vec<Folder<'a>>,
}

/// One folder.
#[derive(Debug, Serialize, JsonSchema)]
struct Folder<'a> {
    id: String,
    name: &'a str,
    /// `ok`, `gone` or `failed`.
    result: &'static str,
    /// Its files, where it can be read.
    files: Option<u64>,
    /// Why it cannot be read.
    error: Option<&'a str>,
}

impl<'a> Portal<'a> {
    fn of(report: &'a PortalReport) -> Self {
        Self {
            name: report.view.name.as_str(),
            ok: report.is_complete(),
            error: report.error(),
            notes: report.notes(),
            folders: report.folders().map(Folder::of).collect(),
        }
    }
}

impl<'a> Folder<'a> {
    fn of(folder: &'a FolderView) -> Self {
        let (result, error) = match &folder.state {
            FolderState::Counted | FolderState::Unseen => ("ok", None),
            FolderState::Departed(_) => ("gone", None),
            FolderState::Unavailable { message, .. } => ("failed", Some(message.as_str())),
        };
        Self {
            id: folder.id.to_string(),
            name: folder.name.label(),
            result,
            files: folder.reported_files,
            error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_in_the_documents() {
        output::assert_schema_in_documents::<Document<'_>>("check");
    }
}
