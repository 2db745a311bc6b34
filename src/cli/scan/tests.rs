//! What a snapshot looks like as tables, and when a scan was complete.

use std::time::Duration;

use super::*;
use crate::classify::{Classifier, ErrorRow, KnownClass};
use crate::health::Health;
use crate::history::{Departure, DepartureReason, FullRead};
use crate::model::{Status, Timestamp};
use crate::portal::Trouble;
use crate::snapshot::testing::{
    counts, folder, list, no_list, portal, read, snapshot, unavailable,
};
use crate::snapshot::{
    FolderState, FolderView, LastRun, ListFacts, ListState, PortalView, RunResult, Snapshot,
    Unavailable,
};

const NOON: Timestamp = Timestamp::from_millis(1_772_366_400_000);

/// A reason with a control character.
const REASON: &str = "no text\u{1b} layer";

fn judged(snapshot: &Snapshot) -> Health {
    health::judge(snapshot, Conditions::default(), Moment::now())
}

fn counted(number: u128, name: &str, files: &[(Status, u64)], consistent: bool) -> FolderView {
    let mut counts = counts(Moment::now());
    counts.look.consistent = consistent;
    for (status, count) in files {
        counts.files[*status] = *count;
        if Status::WITH_REASON.contains(status) {
            counts.errors.push(ErrorRow {
                status: *status,
                class: Classifier::default().explain(Some(REASON)).class,
                files: *count,
                example: None,
                growth: None,
            });
        }
    }
    FolderView {
        counts: Some(Arc::new(counts)),
        full_read: Some(FullRead {
            at: NOON,
            ..FullRead::default()
        }),
        ..folder(number, name, FolderState::Counted)
    }
}

fn gone() -> FolderState {
    FolderState::Departed(Departure {
        reason: DepartureReason::Gone,
        since: NOON,
    })
}

fn failed() -> ListState {
    no_list(Trouble::Unreachable, "no answer: connection refused")
}

/// A portal that was collected once, with one class of errors.
fn collected(name: &str, list: ListState, folders: Vec<FolderView>) -> PortalView {
    let known = KnownClass {
        example: "page 7: no text layer".into(),
        first_seen: NOON,
        last_seen: NOON,
    };
    let class = Classifier::default().explain(Some(REASON)).class;
    let mut view = portal(name, list, folders);
    view.classes = Arc::new([(class, known)].into());
    view.collections.last_run = Some(LastRun {
        ended: NOON,
        duration: Duration::from_secs(2),
        result: RunResult::Partial,
        counted: 0,
        failed: 0,
        requests: 5,
    });
    view
}

#[test]
fn the_tables_show_every_folder_and_every_portal() {
    let some = [
        (Status::Done, 120),
        (Status::Failed, 3),
        (Status::Flagged, 1),
    ];
    let folders = vec![
        counted(1, "Inbox", &some, true),
        counted(2, "Same", &[(Status::Unknown, 7)], false),
        folder(3, "Same", unavailable(Unavailable::Error)),
        folder(4, "Old", gone()),
    ];
    let snapshot = snapshot(vec![
        collected("main", read(), folders),
        collected("down", failed(), vec![]),
        collected("empty", read(), vec![]),
    ]);
    let text = view::text_of(&tables::lists(&judged(&snapshot)), Form::Table).unwrap();
    insta::assert_snapshot!(text, @r"
    ┌────────┬─────────────────────────────────────────────┬─────────┬────────────┬──────┬────────┬─────────┬─────────┬───────┬──────────────────────────────────────────────────────────────┐
    │ portal ┆ folder                                      ┆ pending ┆ processing ┆ done ┆ failed ┆ flagged ┆ unknown ┆ files ┆ result                                                       │
    ╞════════╪═════════════════════════════════════════════╪═════════╪════════════╪══════╪════════╪═════════╪═════════╪═══════╪══════════════════════════════════════════════════════════════╡
    │ main   ┆ Inbox                                       ┆       0 ┆          0 ┆  120 ┆      3 ┆       1 ┆         ┆   124 ┆ ok                                                           │
    │ main   ┆ Old                                         ┆         ┆            ┆      ┆        ┆         ┆         ┆       ┆ deleted since 2026-03-01T12:00:00Z                           │
    │ main   ┆ Same (00000000-0000-0000-0000-000000000002) ┆       0 ┆          0 ┆    0 ┆      0 ┆       0 ┆       7 ┆     7 ┆ files moved while the folder was read: the counts may be off │
    │ main   ┆ Same (00000000-0000-0000-0000-000000000003) ┆         ┆            ┆      ┆        ┆         ┆         ┆       ┆ not counted: page 1: status 500: the portal failed           │
    └────────┴─────────────────────────────────────────────┴─────────┴────────────┴──────┴────────┴─────────┴─────────┴───────┴──────────────────────────────────────────────────────────────┘
    ┌────────┬────────┬─────────┬───────┬────────────────┐
    │ portal ┆ folder ┆ status  ┆ files ┆ error          │
    ╞════════╪════════╪═════════╪═══════╪════════════════╡
    │ main   ┆ Inbox  ┆ failed  ┆     3 ┆ no text� layer │
    │ main   ┆ Inbox  ┆ flagged ┆     1 ┆ no text� layer │
    └────────┴────────┴─────────┴───────┴────────────────┘
    ┌────────┬────────────────┬────────┬─────────┬─────────┬───────────────────────┐
    │ portal ┆ error          ┆ failed ┆ flagged ┆ folders ┆ example               │
    ╞════════╪════════════════╪════════╪═════════╪═════════╪═══════════════════════╡
    │ main   ┆ no text� layer ┆      3 ┆       1 ┆       1 ┆ page 7: no text layer │
    └────────┴────────────────┴────────┴─────────┴─────────┴───────────────────────┘
    ┌────────┬─────────┬───────┬──────────┬─────────┬──────────────────┬──────────────────────┐
    │ portal ┆ folders ┆ files ┆ requests ┆ seconds ┆ reindexing       ┆ result               │
    ╞════════╪═════════╪═══════╪══════════╪═════════╪══════════════════╪══════════════════════╡
    │ main   ┆       2 ┆   131 ┆        5 ┆     2.0 ┆ off in 4 folders ┆ ok                   │
    │ down   ┆       0 ┆     0 ┆        5 ┆     2.0 ┆                  ┆ unreachable          │
    │ empty  ┆       0 ┆     0 ┆        5 ┆     2.0 ┆ off in 0 folders ┆ no folder to collect │
    └────────┴─────────┴───────┴──────────┴─────────┴──────────────────┴──────────────────────┘
    ┌────────┬───────────────────────────────────────────────────────────────────────────────────────────────┐
    │ portal ┆ finding                                                                                       │
    ╞════════╪═══════════════════════════════════════════════════════════════════════════════════════════════╡
    │ down   ┆ its folders cannot be read since 1970-01-01T00:00:00Z; it does not answer: connection refused │
    └────────┴───────────────────────────────────────────────────────────────────────────────────────────────┘
    ");
}

#[test]
fn a_scan_is_whole_when_all_that_is_there_was_counted() {
    let lacking = |invalid_row, max_folders, is_whole: bool| {
        list(ListFacts {
            folders: 1,
            max_folders,
            invalid_row,
            list_incomplete: u64::from(!is_whole),
            ..ListFacts::default()
        })
    };
    let inbox = || counted(1, "Inbox", &[], true);
    for (list, folders, whole) in [
        (read(), vec![], true),
        (read(), vec![inbox(), folder(2, "Old", gone())], true),
        (read(), vec![counted(1, "Moving", &[], false)], true),
        (
            read(),
            vec![inbox(), folder(2, "b", unavailable(Unavailable::Error))],
            false,
        ),
        (
            read(),
            vec![folder(2, "b", unavailable(Unavailable::Forbidden))],
            false,
        ),
        (read(), vec![folder(2, "b", FolderState::Unseen)], false),
        (lacking(1, 0, true), vec![inbox()], false),
        (lacking(0, 1, true), vec![inbox()], false),
        (lacking(0, 0, false), vec![inbox()], false),
        (failed(), vec![], false),
        (ListState::default(), vec![], false),
    ] {
        let view = portal("main", list, folders);
        let folder = format!("{view:?}");
        let well = portal("well", read(), vec![inbox()]);
        assert_eq!(
            judged(&snapshot(vec![well, view])).is_complete(),
            whole,
            "{folder}"
        );
    }
}
