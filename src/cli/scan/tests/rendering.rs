//! What a snapshot looks like in each form.

mod views;

use std::time::Duration;

use uuid::Uuid;

use super::*;
use crate::classify::{Classifier, ErrorRow, KnownClass};
use crate::history::{Departure, DepartureReason, FullRead};
use crate::model::{ByStatus, FolderName, PortalName, Status, Timestamp};
use crate::portal::Trouble;
use crate::snapshot::{
    Collections, Counts, FolderState, FolderView, LastRun, ListFacts, ListState, PortalView,
    RunResult, Unavailable, Unwatched, Way,
};

use views::*;

const NOON: Timestamp = Timestamp::from_millis(1_772_366_400_000);

/// A name that would move the cursor, turn the direction and break the line and the table.
const HOSTILE: &str = "a\u{1b}[2J\u{202e}b\n│ \"c\"";

/// A reason with a control character.
const REASON: &str = "no text\u{1b} layer";

#[test]
fn the_tables_show_every_folder_and_every_portal() {
    insta::assert_snapshot!(tables::text(&judged(&varied()), None), @r"
    ┌────────┬─────────────────────────────────────────────┬─────────┬────────────┬──────┬────────┬─────────┬─────────┬───────┬──────────────────────────────────────────────────────────────┐
    │ portal ┆ folder                                      ┆ pending ┆ processing ┆ done ┆ failed ┆ flagged ┆ unknown ┆ total ┆ result                                                       │
    ╞════════╪═════════════════════════════════════════════╪═════════╪════════════╪══════╪════════╪═════════╪═════════╪═══════╪══════════════════════════════════════════════════════════════╡
    │ main   ┆ Inbox                                       ┆       0 ┆          0 ┆  120 ┆      3 ┆       1 ┆       0 ┆   124 ┆ ok                                                           │
    │ main   ┆ Old                                         ┆         ┆            ┆      ┆        ┆         ┆         ┆       ┆ deleted since 2026-03-01T12:00:00Z                           │
    │ main   ┆ Same (00000000-0000-0000-0000-000000000002) ┆       0 ┆          0 ┆    0 ┆      0 ┆       0 ┆       7 ┆     7 ┆ files moved while the folder was read: the counts may be off │
    │ main   ┆ Same (00000000-0000-0000-0000-000000000003) ┆         ┆            ┆      ┆        ┆         ┆         ┆       ┆ not counted: page 1: status 500: the portal failed           │
    │ down   ┆                                             ┆         ┆            ┆      ┆        ┆         ┆         ┆       ┆ unreachable                                                  │
    │ empty  ┆                                             ┆         ┆            ┆      ┆        ┆         ┆         ┆       ┆ no folder to collect                                         │
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
    portal main: 131 files in 2 folders, read with 5 requests in 2.0 s
    portal down: it does not answer since 1970-01-01T00:00:00Z: connection refused
    portal empty: 0 files in 0 folders, read with 5 requests in 2.0 s
    ");
}

#[test]
fn the_document_has_everything_that_was_found() {
    let folders = vec![
        counted(
            1,
            "In\nbox",
            &[(Status::Done, 120), (Status::Failed, 3)],
            true,
        ),
        folder(2, "Old", gone()),
    ];
    let found = snapshot(vec![
        portal("main", read(), folders),
        portal("down", failed(), vec![]),
    ]);
    insta::assert_snapshot!(json(&judged(&found)).unwrap(), @r#"
    {
      "portals": [
        {
          "name": "main",
          "ok": true,
          "unavailable": null,
          "notes": [],
          "ended": "2026-03-01T12:00:00Z",
          "duration_seconds": 2.0,
          "errors": [
            {
              "error": "no text� layer",
              "failed": 3,
              "flagged": 0,
              "folders": 1,
              "example": "page 7: no text layer",
              "first_seen": "2026-03-01T12:00:00Z",
              "last_seen": "2026-03-01T12:00:00Z"
            }
          ],
          "folders": [
            {
              "id": "00000000-0000-0000-0000-000000000001",
              "name": "In\nbox",
              "reported_files": 10,
              "unavailable": null,
              "counts": {
                "total": 123,
                "files": {
                  "pending": 0,
                  "processing": 0,
                  "done": 120,
                  "failed": 3,
                  "flagged": 0
                },
                "size_bytes": {
                  "pending": 0,
                  "processing": 0,
                  "done": 120000,
                  "failed": 3000,
                  "flagged": 0
                },
                "errors": [
                  {
                    "status": "failed",
                    "error": "no text� layer",
                    "files": 3
                  }
                ],
                "consistent": true,
                "strategy": "full",
                "counted": "2026-03-01T12:00:00Z",
                "duration_seconds": 1.5,
                "requests": 2
              }
            },
            {
              "id": "00000000-0000-0000-0000-000000000002",
              "name": "Old",
              "reported_files": 10,
              "unavailable": {
                "reason": "gone",
                "message": null
              },
              "counts": null
            }
          ]
        },
        {
          "name": "down",
          "ok": false,
          "unavailable": {
            "reason": "unreachable",
            "message": "no answer: connection refused"
          },
          "notes": [],
          "ended": "2026-03-01T12:00:00Z",
          "duration_seconds": 2.0,
          "errors": [],
          "folders": []
        }
      ]
    }
    "#);
}

#[test]
fn no_name_takes_over_the_terminal_or_breaks_a_row() {
    let hostile = snapshot(vec![portal(
        "main",
        read(),
        vec![counted(1, HOSTILE, &[(Status::Failed, 1)], true)],
    )]);
    for text in [
        tables::text(&judged(&hostile), None),
        json(&judged(&hostile)).unwrap(),
    ] {
        assert!(
            !text.chars().any(|c| c != '\n' && crate::text::is_unsafe(c)),
            "{text}"
        );
    }
    let tables = tables::text(&judged(&hostile), None);
    assert_eq!(tables.lines().count(), 16, "{tables}");
    let document: serde_json::Value =
        serde_json::from_str(&json(&judged(&hostile)).unwrap()).unwrap();
    let name = &document["portals"][0]["folders"][0]["name"];
    assert_eq!(name, FolderName::new(HOSTILE).label());
}

#[test]
fn a_scan_is_whole_when_all_that_is_there_was_counted() {
    let list = |invalid_row, max_folders, is_whole: bool| {
        ListState::Read(ListFacts {
            folders: 1,
            unwatched: Unwatched {
                max_folders,
                no_match: 0,
                invalid_row,
                list_incomplete: u64::from(!is_whole),
            },
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
        (list(1, 0, true), vec![inbox()], false),
        (list(0, 1, true), vec![inbox()], false),
        (list(0, 0, false), vec![inbox()], false),
        (failed(), vec![], false),
        (ListState::Unasked, vec![], false),
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

#[test]
fn a_frame_counts_folders_that_were_read_at_and_expects_what_the_list_says() {
    let folders = vec![
        counted(1, "Inbox", &[], true),
        folder(2, "Next", FolderState::Unseen),
        folder(3, "Old", unavailable(Unavailable::Error)),
    ];
    let halfway = snapshot(vec![portal("main", read(), folders)]);
    assert_eq!(
        Frame::of(&halfway, 12).unwrap().text,
        "2 of 3 folders, 20 of 30 files"
    );
    assert_eq!(
        Frame::of(&halfway, 31).unwrap().text,
        "2 of 3 folders, 31 of 31 files"
    );
    let unasked = snapshot(vec![portal("main", ListState::Unasked, vec![])]);
    assert_eq!(Frame::of(&unasked, 0), None);
}
