//! What is decided about reindexing the folders of a portal.

use maud::{Markup, html};

use crate::health::{FolderDecision, FolderHealth, PortalHealth};
use crate::http::page::{seconds, table};
use crate::model::Timestamp;
use crate::policy::{BreakerState, Numbers};
use crate::snapshot::PortalLimits;

/// A table with a row for each folder whose mode is not off; nothing, where there is none.
pub(super) fn section(portal: &PortalHealth, now: Timestamp) -> Markup {
    let decided = |folder| {
        let folder: &FolderHealth = folder;
        Some((folder, folder.reindex?))
    };
    let mut folders: Vec<_> = portal.folders.iter().filter_map(decided).collect();
    folders.sort_by_key(|(folder, _)| &folder.name);
    let heads = "Folder|mode|decision|#failed|#retryable|#exhausted|next allowed";
    html! {
        @if !folders.is_empty() {
            h3 { "Reindexing" }
            @if let Some(limits) = &portal.reindex { p { (limits_line(limits)) } }
            (table(heads, folders.iter().map(|(folder, decision)| row(folder, decision, now))))
        }
    }
}

fn limits_line(limits: &PortalLimits) -> Markup {
    let left = limits.remaining;
    html! {
        "Left of the budget (" (limits.mode.as_str()) "): "
        (left.actions) " " (if left.actions == 1 { "attempt" } else { "attempts" }) ", "
        (left.files) " " (if left.files == 1 { "file" } else { "files" }) ". Breaker: "
        @match limits.breaker {
            BreakerState::Closed => "closed.",
            BreakerState::Open { until } => { span.warn { "open" } " until " (until) "." }
            BreakerState::HalfOpen { .. } => { span.warn { "half-open" } ", one folder may try." }
        }
    }
}

fn row(folder: &FolderHealth, decision: &FolderDecision, now: Timestamp) -> Markup {
    let numbers = decision.decided.map(|(_, numbers)| numbers);
    let number = |count: fn(&Numbers) -> u64| {
        html! { @if let Some(numbers) = &numbers { (count(numbers)) } @else { "–" } }
    };
    html! {
        td.name title=(folder.id) { (folder.name) }
        td { (decision.mode.as_str()) }
        td {
            @if let Some((reason, _)) = decision.decided { (reason.as_str()) ": " }
            (decision.sentence())
        }
        td.n { (number(|numbers| numbers.failed)) }
        td.n { (number(|numbers| numbers.retryable)) }
        td.n { (number(|numbers| numbers.exhausted)) }
        td.time { (next_allowed(numbers.and_then(|numbers| numbers.next_allowed), now)) }
    }
}

/// The end of a cooldown that is not over.
fn next_allowed(end: Option<Timestamp>, now: Timestamp) -> Markup {
    html! {
        @if let Some(end) = end.filter(|end| *end > now) {
            (end) " (in " (seconds(end.since(now))) ")"
        } @else { "–" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::health::Status;
    use crate::ledger::ActiveMode;
    use crate::policy::{Reason, Remaining};

    const NOON: i64 = 1_772_366_400_000;

    fn folder(name: &str, decided: Option<(Reason, Numbers)>) -> FolderHealth {
        let mode = ActiveMode::DryRun;
        FolderHealth {
            id: "id".to_owned(),
            name: name.to_owned(),
            status: Status::Pass,
            reason: None,
            message: None,
            counted: None,
            age_seconds: None,
            stale: false,
            reindex: Some(FolderDecision { mode, decided }),
        }
    }

    fn portal(folders: Vec<FolderHealth>) -> PortalHealth {
        PortalHealth {
            name: "main".to_owned(),
            status: Status::Pass,
            trouble: None,
            sorting: crate::snapshot::SortingState::Assumed,
            notes: Vec::new(),
            last_run: None,
            next_run: None,
            reindex: Some(PortalLimits {
                mode: ActiveMode::DryRun,
                remaining: Remaining {
                    actions: 1,
                    files: 4_988,
                },
                breaker: BreakerState::Closed,
            }),
            errors: Vec::new(),
            folders,
        }
    }

    /// The page without its marks.
    fn shown(portal: &PortalHealth) -> String {
        let page = section(portal, Timestamp::from_millis(NOON)).into_string();
        let parts = page.split('<').map(|part| match part.split_once('>') {
            Some((_, text)) => text,
            None => part,
        });
        parts
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join("|")
    }

    #[test]
    fn each_folder_has_a_row_that_says_when_and_why() {
        let numbers = |minutes: i64| Numbers {
            failed: 12,
            retryable: 9,
            exhausted: 3,
            next_allowed: Some(Timestamp::from_millis(NOON + minutes * 60_000)),
            ..Numbers::default()
        };
        let portal = portal(vec![
            folder("New", None),
            folder("Inbox", Some((Reason::Cooldown, numbers(125)))),
            folder("Letters", Some((Reason::Backlog, numbers(-1)))),
        ]);
        insta::assert_snapshot!(shown(&portal), @r#"
        Reindexing|Left of the budget (dry_run): 1 attempt, 4988 files. Breaker: closed.|Folder|mode|decision|failed|retryable|exhausted|next allowed|Inbox|dry_run|cooldown: the pause after the last attempt, or after the portal was first met, is not over|12|9|3|2026-03-01T14:05:00Z (in 2h 5m)|Letters|dry_run|backlog: too many files wait to be processed|12|9|3|–|New|dry_run|nothing was decided yet|–|–|–|–
        "#);
    }

    #[test]
    fn a_name_is_escaped_and_nothing_is_shown_where_every_mode_is_off() {
        let hostile = portal(vec![folder("<script>", None)]);
        let page = section(&hostile, Timestamp::from_millis(NOON)).into_string();
        assert!(page.contains("&lt;script&gt;") && !page.contains("<script"));
        let off = FolderHealth {
            reindex: None,
            ..folder("Inbox", None)
        };
        assert_eq!(shown(&portal(vec![off])), "");
    }
}
