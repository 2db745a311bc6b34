//! The entries of the ledger on a terminal that is too narrow for the table: one line for each attempt where there is room, or two.

use crate::ledger::{Attempt, Course, Entry, FileState, Outcome};
use crate::text;

use super::entries;

/// From this width on an attempt has one line.
const ONE_LINE: usize = 160;

/// The width that the table needs, beside the longest names.
pub(super) const TABLE: u16 = 200;

/// Writes each attempt on at most two lines of this width.
pub(super) fn lines(entries: &[Entry], width: u16) -> String {
    let width = usize::from(width);
    let mut written = String::new();
    for entry in entries {
        let attempt = &entry.attempt;
        let name = text::one_line(entry.name.label());
        let folder = if name.is_empty() {
            attempt.folder.to_string()
        } else {
            name.into_owned()
        };
        let head = format!("{:>5}  {}  ", attempt.id, attempt.intended);
        let place = format!("{} / {folder}", text::one_line(attempt.portal.as_str()));
        let told = told(attempt);
        if width >= ONE_LINE {
            let room = width.saturating_sub(head.chars().count() + told.chars().count() + 2);
            written += &cut(
                &format!("{head}{:<room$}  {told}", cut(&place, room)),
                width,
            );
        } else {
            written += &cut(&format!("{head}{place}"), width);
            written.push('\n');
            written += &cut(&format!("{:7}{told}", ""), width);
        }
        written.push('\n');
    }
    written
}

/// What was attempted, and what came of it.
fn told(attempt: &Attempt) -> String {
    let (result, reason) = entries::progress(attempt);
    let reason = reason.map_or_else(String::new, |reason| format!(" ({reason})"));
    let files = match attempt.outcome() {
        Some((_, Outcome::Accepted { updated })) => format!("{updated} requeued"),
        _ => format!("{} files", attempt.files),
    };
    let verdict = attempt.verdict().map_or_else(String::new, |(_, verdict)| {
        format!("; {}", verdict.as_str())
    });
    let mut parts = vec![format!("{}{reason}, {files}{verdict}", result.as_str())];
    if !matches!(attempt.course, Course::Rehearsed | Course::Refused { .. }) {
        parts.extend(numbers(attempt));
    }
    parts.join(", ")
}

/// What became of the files.
fn numbers(attempt: &Attempt) -> impl Iterator<Item = String> {
    let states = attempt.file_states();
    let numbers = [
        ("recovered", states.of(FileState::Done)),
        ("refailed", states.of(FileState::Refailed)),
        ("flagged", states.of(FileState::Flagged)),
        ("waiting", states.unsettled()),
    ];
    let some = numbers.into_iter().filter(|(_, files)| *files > 0);
    some.map(|(word, files)| format!("{files} {word}"))
}

/// At most so many characters.
fn cut(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    let kept: String = line.chars().take(width.saturating_sub(1)).collect();
    kept + "…"
}
