//! What a check found: as a table, and whether all can be collected.

use std::fmt::Display;

use anyhow::Result;

use crate::cli::table::{Column, Table};
use crate::model::{FolderId, FolderName, PortalName};
use crate::portal::PortalError;

const COLUMNS: [Column; 5] = [
    Column::Text("portal"),
    Column::Text("folder"),
    Column::Id("folder id"),
    Column::Number("files"),
    Column::Text("result"),
];

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

/// One folder.
#[derive(Debug)]
pub(super) struct FolderReport {
    pub id: FolderId,
    pub name: FolderName,
    pub trial: Trial,
}

/// What came of asking for a folder's first page.
#[derive(Debug)]
pub(super) enum Trial {
    /// It can be read and has so many files.
    Readable { files: u64 },
    /// It was deleted. The portal's list is not updated then (docs/portal.md, Errors), so this is no fault.
    Gone,
    /// It cannot be read.
    Failed(PortalError),
}

impl Trial {
    /// Judges an answer.
    pub fn of(answer: Result<u64, PortalError>) -> Self {
        match answer {
            Ok(files) => Self::Readable { files },
            Err(error) if error.status() == Some(404) => Self::Gone,
            Err(error) => Self::Failed(error),
        }
    }

    /// The number of files, where it is known, and the result.
    fn cells(&self) -> [String; 2] {
        match self {
            Self::Readable { files } => [files.to_string(), "ok".to_owned()],
            Self::Gone => [String::new(), "gone".to_owned()],
            Self::Failed(error) => [String::new(), error.to_string()],
        }
    }
}

impl Report {
    /// Whether all can be collected.
    pub fn is_well(&self) -> bool {
        self.portals.iter().all(PortalReport::is_well)
    }

    /// The table, at most `width` characters wide where there is such a limit, and what else is to be said.
    pub fn text(&self, width: Option<u16>) -> String {
        let mut table = Table::new(&COLUMNS, width);
        for portal in &self.portals {
            portal.add_to(&mut table);
        }
        let notes = self.portals.iter().flat_map(PortalReport::notes);
        notes.fold(table.to_string(), |text, note| text + &note)
    }
}

impl PortalReport {
    pub fn is_well(&self) -> bool {
        let readable = |folder: &FolderReport| !matches!(folder.trial, Trial::Failed(_));
        self.list
            .as_ref()
            .is_ok_and(|list| list.notes.is_empty() && list.folders.iter().all(readable))
    }

    fn add_to(&self, table: &mut Table) {
        let mut alone = |result: &dyn Display| {
            let cells: [&dyn Display; 5] = [&self.name, &"", &"", &"", result];
            table.add(cells);
        };
        match &self.list {
            Err(error) => alone(error),
            Ok(list) if list.folders.is_empty() => alone(&"no folder to collect"),
            Ok(list) => {
                for folder in &list.folders {
                    let [files, result] = folder.trial.cells();
                    let cells: [&dyn Display; 5] =
                        [&self.name, &folder.name, &folder.id, &files, &result];
                    table.add(cells);
                }
            }
        }
    }

    fn notes(&self) -> impl Iterator<Item = String> {
        let notes = self.list.iter().flat_map(|list| &list.notes);
        notes.map(|note| format!("portal {}: {note}\n", self.name))
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
            FolderReport {
                id: id.into(),
                name: FolderName::new(&format!("Folder {number}\u{1b}[2J\nend")),
                trial: Trial::of(answer),
            }
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
    fn the_table_shows_each_folder_and_what_else_is_to_be_said() {
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
