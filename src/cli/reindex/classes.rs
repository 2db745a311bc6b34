//! What retries made of each class of error, in each form.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::cli::table::{Cell, Column, Table};
use crate::config::Portal;
use crate::ledger::LedgerView;
use crate::model::PortalAddress;
use crate::policy::ClassState;

/// One class of a portal. In the document fields may be added, and none is renamed or removed.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Row {
    portal: String,
    class: String,
    /// Whether a retry helps: `responsive`, `unresponsive` or `unknown`.
    response: &'static str,
    recovered: u64,
    refailed: u64,
    /// When files of it were sent last.
    last: Option<String>,
}

/// The classes of every portal, those of which most files were sent first.
pub(super) fn rows(views: &BTreeMap<PortalAddress, LedgerView>, portals: &[Portal]) -> Vec<Row> {
    let mut rows = Vec::new();
    for (address, view) in views {
        let portal = named(address, portals);
        let mut of_portal: Vec<Row> = view
            .classes()
            .iter()
            .map(|(class, totals)| {
                let state = ClassState::of(view, class);
                Row {
                    portal: portal.clone(),
                    class: class.as_str().to_owned(),
                    response: state.response.as_str(),
                    recovered: totals.recovered,
                    refailed: totals.refailed,
                    last: state.last.map(|last| last.to_string()),
                }
            })
            .collect();
        of_portal.sort_by_key(|row| std::cmp::Reverse(row.recovered.saturating_add(row.refailed)));
        rows.append(&mut of_portal);
    }
    rows
}

/// The configured names of a portal, or its address where it has none.
fn named(address: &PortalAddress, portals: &[Portal]) -> String {
    let named = portals
        .iter()
        .filter(|portal| portal.base_url.normalised() == *address);
    let names: Vec<&str> = named.map(|portal| portal.name.as_str()).collect();
    if names.is_empty() {
        return address.to_string();
    }
    names.join(", ")
}

/// Writes the document.
pub(super) fn json(rows: &[Row]) -> Result<String> {
    #[derive(Serialize)]
    struct Document<'a> {
        classes: &'a [Row],
    }
    let document = Document { classes: rows };
    let text = serde_json::to_string_pretty(&document).context("the document cannot be written")?;
    Ok(text + "\n")
}

/// Writes the table.
pub(super) fn table(rows: &[Row], width: Option<u16>) -> Table {
    let columns = [
        Column::Text("portal"),
        Column::Text("error"),
        Column::Id("a retry"),
        Column::Number("recovered"),
        Column::Number("failed again"),
        Column::Id("last sent"),
    ];
    let mut table = Table::new(&columns, width);
    for row in rows {
        let helps = match row.response {
            "responsive" => "helps",
            "unresponsive" => "hardly helps",
            _ => "may help",
        };
        table.add([
            Cell::text(&row.portal),
            Cell::text(&row.class),
            Cell::text(helps),
            Cell::Number(row.recovered),
            Cell::Number(row.refailed),
            row.last.as_ref().map_or(Cell::Empty, Cell::text),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::Class;
    use crate::ledger::{
        ActiveMode, AttemptId, Change, FileState, IntendedFile, Intent, Outcome, Review, Verdict,
    };
    use crate::model::{FileKey, FolderName, PortalName, Timestamp};

    #[test]
    fn each_class_has_a_row_that_says_whether_a_retry_helps() {
        let at = Timestamp::from_millis(1_772_366_400_000);
        let mut view = LedgerView::new(at);
        for folder in 1..=3 {
            let id = AttemptId::new(folder);
            let file = |link, class: &str| {
                let key = FileKey { link, id: link };
                IntendedFile::new(key, Class::Text(class.into()))
            };
            let files = vec![file(1, "timeout"), file(2, "password │ \u{1b}")];
            let keys = [files[0].key, files[1].key];
            let intent = Intent {
                portal: PortalName::new("main").unwrap(),
                folder: uuid::Uuid::from_u128(folder.unsigned_abs().into()).into(),
                name: FolderName::new("Inbox"),
                mode: ActiveMode::Enforce,
                at,
                files,
            };
            view.apply(Change::Intend { id, intent }).unwrap();
            let outcome = Outcome::Accepted { updated: 2 };
            view.apply(Change::Settle { id, at, outcome }).unwrap();
            let review = Review {
                changed: vec![(keys[0], FileState::Done), (keys[1], FileState::Refailed)],
                verdict: Some(Verdict::Partial),
            };
            view.apply(Change::Review { id, at, review }).unwrap();
        }
        let address = PortalAddress::from("https://portal.example/admin");
        let rows = rows(&[(address, view)].into(), &[]);
        let told: Vec<_> = rows
            .iter()
            .map(|row| (row.response, row.recovered, row.refailed))
            .collect();
        assert_eq!(told, [("unresponsive", 0, 3), ("responsive", 3, 0)]);
        let shown = table(&rows, Some(100)).to_string();
        assert!(shown.contains("hardly helps") && !shown.contains('\u{1b}'));
        let document = json(&rows).unwrap();
        assert!(document.contains(r#""last": "2026-03-01T12:00:00Z""#));
    }
}
