//! The entries of the ledger on a terminal that is too narrow for the table: one or two lines for each attempt.

use crate::cli::reindex::entries::Row;
use crate::cli::table::known;
use crate::store::ledger::Entry;
use crate::text;

/// From this width on an attempt has one line.
const ONE_LINE: usize = 160;

/// The width of the table without the longest names.
pub(super) const TABLE: u16 = 200;

/// Writes each attempt on at most two lines of this width.
pub(super) fn lines(entries: &[Entry], width: u16) -> String {
    let width = usize::from(width);
    let mut written = String::new();
    for row in entries.iter().map(Row::of) {
        let head = format!("{:>5}  {}  ", row.id, row.time);
        let (portal, folder) = (text::one_line(row.portal), text::one_line(row.folder()));
        let folder = format!("{portal} / {folder}");
        let result = result(&row);
        let lines = if width >= ONE_LINE {
            let space = width.saturating_sub(head.chars().count() + result.chars().count() + 2);
            vec![format!(
                "{head}{:<space$}  {result}",
                text::cut(&folder, space)
            )]
        } else {
            vec![format!("{head}{folder}"), format!("{:7}{result}", "")]
        };
        for line in lines {
            written += &text::cut(&line, width);
            written.push('\n');
        }
    }
    written
}

/// The attempt and its outcome.
fn result(row: &Row) -> String {
    let reason = known(row.reason.as_ref().map(|reason| format!(" ({reason})")));
    let files = match row.requeued {
        Some(requeued) => format!("{requeued} requeued"),
        None => format!("{} files", row.files),
    };
    let verdict = known(row.outcome.map(|outcome| format!("; {outcome}")));
    let mut parts = vec![format!("{}{reason}, {files}{verdict}", row.result_words())];
    for (files, state) in [
        (row.files_recovered, "recovered"),
        (row.files_refailed, "refailed"),
        (row.files_flagged, "flagged"),
        (row.files_waiting, "waiting"),
    ] {
        let some = files.filter(|files| *files > 0);
        parts.extend(some.map(|files| format!("{files} {state}")));
    }
    parts.join(", ")
}
