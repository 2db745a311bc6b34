//! What a scan of a simulated portal, and a snapshot, look like in each form.

mod views;

use std::time::Duration;

use uuid::Uuid;

use super::*;
use crate::classify::{Classifier, ErrorRow, KnownClass};
use crate::health::Health;
use crate::history::{Departure, DepartureReason, FullRead};
use crate::model::{ByStatus, FolderName, PortalName, Status, Timestamp};
use crate::portal::Trouble;
use crate::snapshot::{
    Collections, Counts, FolderState, FolderView, LastRun, ListFacts, ListFailure, ListState,
    PortalView, RunResult, Snapshot, Unavailable, Way,
};

use views::*;

const NOON: Timestamp = Timestamp::from_millis(1_772_366_400_000);

/// A reason with a control character.
const REASON: &str = "no text\u{1b} layer";

fn judged(snapshot: &Snapshot) -> Health {
    health::judge(snapshot, Conditions::default(), Moment::now())
}

fn text(snapshot: &Snapshot) -> String {
    view::text_of(&tables::lists(&judged(snapshot)), Form::Table).unwrap()
}

#[test]
fn the_tables_show_every_folder_and_every_portal() {
    insta::assert_snapshot!(text(&varied()), @r"
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
            no_match: Vec::new(),
            invalid_row,
            list_incomplete: u64::from(!is_whole),
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
