//! What a check found: as a table, and whether all can be collected.

use std::fmt::Display;

use anyhow::Result;

use crate::cli::table::{Table, known};
use crate::model::{FolderId, FolderName, PortalName};
use crate::portal::PortalError;

/// All portals, in the order of the configuration.
#[derive(Debug)]
pub(super) struct Report {
    pub portals: Vec<PortalReport>,
}

/// One portal.
#[derive(Debug)]
pub(super) struct PortalReport {
    pub name: PortalName,
    /// An error where its list of folders cannot be read.
    pub list: Result<ListReport>,
}

/// A portal whose list of folders was read.
#[derive(Debug)]
pub(super) struct ListReport {
    /// What of the list cannot be collected, for people.
    pub notes: Vec<String>,
    /// The folders that were tried.
    pub folders: Vec<FolderReport>,
}

impl PortalReport {
    pub fn is_well(&self) -> bool {
        let is_well = |list: &ListReport| {
            list.notes.is_empty() && list.folders.iter().all(|folder| folder.files.is_ok())
        };
        self.list.as_ref().is_ok_and(is_well)
    }
}

/// One folder.
#[derive(Debug)]
pub(super) struct FolderReport {
    pub id: FolderId,
    pub name: FolderName,
    /// Its number of files; none if it was deleted.
    pub files: Result<Option<u64>, PortalError>,
}

impl FolderReport {
    /// A folder and the answer to the request for its first page. The portal's list keeps folders that were deleted (docs/portal.md,
    /// Errors), so one of these is no fault.
    pub fn new(id: FolderId, name: FolderName, answer: Result<u64, PortalError>) -> Self {
        let files = match answer {
            Err(error) if error.status() == Some(404) => Ok(None),
            answer => answer.map(Some),
        };
        Self { id, name, files }
    }
}

impl Report {
    /// Whether all can be collected.
    pub fn is_well(&self) -> bool {
        self.portals.iter().all(PortalReport::is_well)
    }

    /// The table, at most `width` characters wide where there is such a limit, and the notes.
    pub fn text(&self, width: Option<u16>) -> String {
        let mut table = Table::new("portal, folder, =folder id, #files, result", width);
        let mut notes = Vec::new();
        for PortalReport { name, list } in &self.portals {
            let list = match list {
                Ok(list) => list,
                Err(error) => {
                    table.add(&[name, &"", &"", &"", error]);
                    continue;
                }
            };
            if list.folders.is_empty() {
                table.add(&[name, &"", &"", &"", &"no folder to collect"]);
            }
            for folder in &list.folders {
                let (files, result): (_, &dyn Display) = match &folder.files {
                    Ok(Some(files)) => (Some(files), &"ok"),
                    Ok(None) => (None, &"gone"),
                    Err(error) => (None, error),
                };
                table.add(&[name, &folder.name, &folder.id, &known(files), result]);
            }
            let of_portal = list.notes.iter();
            notes.extend(of_portal.map(|note| format!("portal {name}: {note}\n")));
        }
        table.to_string() + &notes.concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn status(status: u16) -> PortalError {
        PortalError::from_status(status, None, b"")
    }

    fn report(notes: &[&str], answers: Vec<Result<u64, PortalError>>) -> Report {
        let folders = answers.into_iter().zip(1..).map(|(answer, number)| {
            let id = Uuid::from_u128(number);
            let name = FolderName::new(&format!("Folder {number}\u{1b}[2J\nend"));
            FolderReport::new(id.into(), name, answer)
        });
        let list = ListReport {
            notes: notes.iter().map(|&note| note.to_owned()).collect(),
            folders: folders.collect(),
        };
        Report {
            portals: vec![PortalReport {
                name: PortalName::new("main").unwrap(),
                list: Ok(list),
            }],
        }
    }

    #[test]
    fn all_is_well_unless_something_that_is_there_cannot_be_read() {
        for (report, well) in [
            (report(&[], vec![]), true),
            (report(&[], vec![Ok(3), Ok(0)]), true),
            (report(&[], vec![Ok(3), Err(status(404))]), true),
            (report(&[], vec![Ok(3), Err(status(403))]), false),
            (report(&[], vec![Err(status(500))]), false),
            (report(&["2 rows"], vec![Ok(3)]), false),
        ] {
            assert_eq!(report.is_well(), well, "{report:?}");
        }
    }

    #[test]
    fn the_table_shows_each_folder_and_the_notes() {
        let report = report(
            &["2 rows name no folder"],
            vec![Ok(1_234), Err(status(404)), Err(status(429))],
        );
        insta::assert_snapshot!(report.text(None), @r"
    ┌────────┬───────────────────┬──────────────────────────────────────┬───────┬───────────────────────────────┐
    │ portal ┆ folder            ┆ folder id                            ┆ files ┆ result                        │
    ╞════════╪═══════════════════╪══════════════════════════════════════╪═══════╪═══════════════════════════════╡
    │ main   ┆ Folder 1�[2J\nend ┆ 00000000-0000-0000-0000-000000000001 ┆  1234 ┆ ok                            │
    │ main   ┆ Folder 2�[2J\nend ┆ 00000000-0000-0000-0000-000000000002 ┆       ┆ gone                          │
    │ main   ┆ Folder 3�[2J\nend ┆ 00000000-0000-0000-0000-000000000003 ┆       ┆ status 429: too many requests │
    └────────┴───────────────────┴──────────────────────────────────────┴───────┴───────────────────────────────┘
    portal main: 2 rows name no folder
    ");
    }

    #[test]
    fn a_portal_without_folders_has_a_row_all_the_same() {
        assert!(
            report(&[], vec![])
                .text(None)
                .contains("no folder to collect")
        );
    }
}
