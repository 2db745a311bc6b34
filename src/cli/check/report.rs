//! What a check found: as a table, and whether all can be collected.

use std::fmt::Display;

use anyhow::Result;

use crate::cli::table::{Table, known};
use crate::model::PortalName;
use crate::snapshot::{FolderState, FolderView, PortalView};

/// All portals, in the order of the configuration.
#[derive(Debug)]
pub(super) struct Report {
    pub portals: Vec<PortalReport>,
}

#[derive(Debug)]
pub(super) struct PortalReport {
    pub name: PortalName,
    /// An error if its list of folders cannot be read.
    pub view: Result<PortalView>,
}

impl PortalReport {
    pub fn is_complete(&self) -> bool {
        self.view.as_ref().is_ok_and(PortalView::is_complete)
    }

    /// The folders by name.
    pub fn folders(&self) -> impl Iterator<Item = &FolderView> {
        let folders = self.view.iter().flat_map(|view| view.folders.values());
        let mut folders: Vec<_> = folders.map(|folder| &**folder).collect();
        folders.sort_by_key(|folder| &folder.name);
        folders.into_iter()
    }
}

impl Report {
    pub fn is_complete(&self) -> bool {
        self.portals.iter().all(PortalReport::is_complete)
    }

    /// The table, at most `width` characters wide if there is such a limit, and the notes.
    pub fn text(&self, width: Option<u16>) -> String {
        let mut table = Table::new("portal, folder, =folder id, #files, result", width);
        let mut notes = Vec::new();
        for report in &self.portals {
            let PortalReport { name, view } = report;
            let view = match view {
                Ok(view) => view,
                Err(error) => {
                    table.add(&[name, &"", &"", &"", error]);
                    continue;
                }
            };
            if view.folders.is_empty() {
                table.add(&[name, &"", &"", &"", &"no folder to collect"]);
            }
            for folder in report.folders() {
                let result: &dyn Display = match &folder.state {
                    FolderState::Counted | FolderState::Unseen => &"ok",
                    FolderState::Departed(_) => &"gone",
                    FolderState::Unavailable { message, .. } => message,
                };
                let files = known(folder.reported_files);
                table.add(&[name, &folder.name, &folder.id, &files, result]);
            }
            notes.extend(view.notes().map(|note| format!("portal {name}: {note}\n")));
        }
        table.to_string() + &notes.concat()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::config::{BaseUrl, HiddenPath, KeySource, Portal};
    use crate::history::{Departure, DepartureReason};
    use crate::model::{FolderName, Timestamp};
    use crate::snapshot::{ListFacts, ListState, Unavailable, Unwatched};
    use uuid::Uuid;

    fn failed(message: &str) -> FolderState {
        FolderState::Unavailable {
            reason: Unavailable::Error,
            message: message.to_owned(),
        }
    }

    fn gone() -> FolderState {
        FolderState::Departed(Departure {
            reason: DepartureReason::Gone,
            since: Timestamp::from_millis(0),
        })
    }

    fn report(invalid_row: u64, states: Vec<FolderState>) -> Report {
        let portal = Portal::new(
            PortalName::new("main").unwrap(),
            BaseUrl::parse("http://127.0.0.1").unwrap(),
            KeySource::File(HiddenPath::file("api_key_file", "key")),
        );
        let folders = states.into_iter().zip(1..).map(|(state, number)| {
            let id = Uuid::from_u128(number).into();
            let name = FolderName::new(&format!("Folder {number}\u{1b}[2J\nend"));
            let counted = state == FolderState::Counted;
            let view = FolderView {
                state,
                reported_files: counted.then_some(1_234),
                ..FolderView::unseen(id, name)
            };
            (id, Arc::new(view))
        });
        let view = PortalView {
            list: ListState::Read(ListFacts {
                folders: 3,
                unwatched: Unwatched {
                    invalid_row,
                    ..Unwatched::default()
                },
            }),
            folders: folders.collect(),
            ..PortalView::unasked(&portal)
        };
        Report {
            portals: vec![PortalReport {
                name: view.name.clone(),
                view: Ok(view),
            }],
        }
    }

    #[test]
    fn the_table_shows_each_folder_and_the_notes() {
        let failed = failed("status 429: too many requests");
        let report = report(2, vec![FolderState::Counted, gone(), failed]);
        insta::assert_snapshot!(report.text(None), @r"
    ┌────────┬───────────────────┬──────────────────────────────────────┬───────┬───────────────────────────────┐
    │ portal ┆ folder            ┆ folder id                            ┆ files ┆ result                        │
    ╞════════╪═══════════════════╪══════════════════════════════════════╪═══════╪═══════════════════════════════╡
    │ main   ┆ Folder 1�[2J\nend ┆ 00000000-0000-0000-0000-000000000001 ┆  1234 ┆ ok                            │
    │ main   ┆ Folder 2�[2J\nend ┆ 00000000-0000-0000-0000-000000000002 ┆       ┆ gone                          │
    │ main   ┆ Folder 3�[2J\nend ┆ 00000000-0000-0000-0000-000000000003 ┆       ┆ status 429: too many requests │
    └────────┴───────────────────┴──────────────────────────────────────┴───────┴───────────────────────────────┘
    portal main: 2 rows of the list have no valid folder id and are not collected
    ");
    }

    #[test]
    fn a_portal_without_folders_has_a_row_all_the_same() {
        let text = report(0, vec![]).text(None);
        assert!(text.contains("no folder to collect"));
    }
}
