//! What a snapshot looks like in each form.

use std::time::{Duration, Instant};

use uuid::Uuid;

use super::*;
use crate::classify::{Class, ErrorRow, KnownClass};
use crate::history::{Departure, DepartureReason, FullRead, IndexingTimes};
use crate::model::{ByStatus, FolderName, PortalName, Status, Timestamp};
use crate::portal::Trouble;
use crate::snapshot::PortalView;
use crate::snapshot::{Collections, Counts, LastRun, ListFacts, RunResult, Unavailable, Way};

const NOON: Timestamp = Timestamp::from_millis(1_772_366_400_000);

/// A name that would move the cursor, turn the direction and break the line and the table.
const HOSTILE: &str = "a\u{1b}[2J\u{202e}b\n│ \"c\"";

/// A reason with a control character.
const REASON: &str = "no text\u{1b} layer";

fn moment() -> Moment {
    Moment {
        wall: NOON,
        steady: Instant::now(),
    }
}

fn folder(number: u128, name: &str, state: FolderState) -> FolderView {
    FolderView {
        id: Uuid::from_u128(number).into(),
        name: FolderName::new(name),
        reported_files: Some(10),
        state,
        counts: None,
        last_success: None,
        full_read: None,
        full_read_difference: None,
        large_scan_pages: None,
        entries: None,
        indexing: IndexingTimes::default(),
    }
}

fn counted(number: u128, name: &str, files: &[(Status, u64)], consistent: bool) -> FolderView {
    let mut counts = Counts {
        files: ByStatus::default(),
        errors: Vec::new(),
        oldest: ByStatus::default(),
        consistent,
        counted: moment(),
        duration: Duration::from_millis(1_500),
        requests: 2,
        way: Way::Full,
        interval: None,
    };
    let mut sizes = ByStatus::default();
    for (status, count) in files {
        counts.files[*status] = *count;
        sizes[*status] = 1_000 * *count;
        if Status::WITH_REASON.contains(status) {
            counts.errors.push(ErrorRow {
                status: *status,
                class: Class::of(Some(REASON)),
                files: *count,
                example: None,
            });
        }
    }
    FolderView {
        counts: Some(Arc::new(counts)),
        full_read: Some(FullRead { at: NOON, sizes }),
        ..folder(number, name, FolderState::Counted)
    }
}

fn unavailable(reason: Unavailable) -> FolderState {
    FolderState::Unavailable {
        reason,
        message: "page 1: status 500: the portal failed".to_owned(),
    }
}

fn gone() -> FolderState {
    FolderState::Departed(Departure {
        reason: DepartureReason::Gone,
        since: NOON,
    })
}

fn read() -> ListState {
    ListState::Read(ListFacts {
        folders: 1,
        invalid_rows: 0,
        beyond_limit: 0,
        whole: true,
    })
}

fn failed() -> ListState {
    ListState::Failed {
        trouble: Trouble::Unreachable,
        message: "no answer: connection refused".to_owned(),
        last: None,
    }
}

fn portal(name: &str, list: ListState, folders: Vec<FolderView>) -> PortalView {
    let known = KnownClass {
        example: "page 7: no text layer".into(),
        first_seen: NOON,
        last_seen: NOON,
    };
    let class = Class::of(Some(REASON)).as_str().into();
    PortalView {
        name: PortalName::new(name).unwrap(),
        list,
        classes: Arc::new([(class, known)].into()),
        errors: Arc::default(),
        reindex: Arc::default(),
        folders: folders
            .into_iter()
            .map(|folder| (folder.id, Arc::new(folder)))
            .collect(),
        collections: Collections {
            last_run: Some(LastRun {
                ended: NOON,
                duration: Duration::from_secs(2),
                result: RunResult::Partial,
            }),
            ..Collections::default()
        },
        stale_after: Duration::MAX,
        state_error: None,
        sorting: crate::snapshot::SortingState::Assumed,
        unsorted: None,
        panics: 0,
    }
}

fn snapshot(portals: Vec<PortalView>) -> Snapshot {
    Snapshot {
        portals: portals.into_iter().map(Arc::new).collect(),
        ..Snapshot::default()
    }
}

/// One of everything.
fn varied() -> Snapshot {
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
    snapshot(vec![
        portal("main", read(), folders),
        portal("down", failed(), vec![]),
        portal("empty", read(), vec![]),
    ])
}

#[test]
fn the_tables_show_every_folder_and_every_portal() {
    insta::assert_snapshot!(tables::text(&varied(), None), @r"
    ┌────────┬─────────────────────────────────────────────┬─────────┬────────────┬──────┬────────┬─────────┬─────────┬───────┬──────────────────────────────────────────────┐
    │ portal ┆ folder                                      ┆ pending ┆ processing ┆ done ┆ failed ┆ flagged ┆ unknown ┆ total ┆ result                                       │
    ╞════════╪═════════════════════════════════════════════╪═════════╪════════════╪══════╪════════╪═════════╪═════════╪═══════╪══════════════════════════════════════════════╡
    │ main   ┆ Inbox                                       ┆       0 ┆          0 ┆  120 ┆      3 ┆       1 ┆       0 ┆   124 ┆ ok                                           │
    │ main   ┆ Old                                         ┆         ┆            ┆      ┆        ┆         ┆         ┆       ┆ gone                                         │
    │ main   ┆ Same (00000000-0000-0000-0000-000000000002) ┆       0 ┆          0 ┆    0 ┆      0 ┆       0 ┆       7 ┆     7 ┆ not consistent                               │
    │ main   ┆ Same (00000000-0000-0000-0000-000000000003) ┆         ┆            ┆      ┆        ┆         ┆         ┆       ┆ error: page 1: status 500: the portal failed │
    │ down   ┆                                             ┆         ┆            ┆      ┆        ┆         ┆         ┆       ┆ unreachable                                  │
    │ empty  ┆                                             ┆         ┆            ┆      ┆        ┆         ┆         ┆       ┆ no folder to collect                         │
    └────────┴─────────────────────────────────────────────┴─────────┴────────────┴──────┴────────┴─────────┴─────────┴───────┴──────────────────────────────────────────────┘
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
    portal main: 131 files in 2 folders, read with 4 requests in 2.0 s
    portal down: no answer: connection refused
    portal empty: 0 files in 0 folders, read with 0 requests in 2.0 s
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
    insta::assert_snapshot!(json::text(&found).unwrap(), @r#"
    {
      "portals": [
        {
          "name": "main",
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
    for text in [tables::text(&hostile, None), json::text(&hostile).unwrap()] {
        assert!(
            !text.chars().any(|c| c != '\n' && crate::text::is_unsafe(c)),
            "{text}"
        );
    }
    let tables = tables::text(&hostile, None);
    assert_eq!(tables.lines().count(), 16, "{tables}");
    let document: serde_json::Value = serde_json::from_str(&json::text(&hostile).unwrap()).unwrap();
    let name = &document["portals"][0]["folders"][0]["name"];
    assert_eq!(name, FolderName::new(HOSTILE).label());
}

#[test]
fn a_scan_is_whole_when_all_that_is_there_was_counted() {
    let list = |invalid_rows, beyond_limit, whole| {
        ListState::Read(ListFacts {
            folders: 1,
            invalid_rows,
            beyond_limit,
            whole,
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
        let told = format!("{view:?}");
        let well = portal("well", read(), vec![inbox()]);
        assert_eq!(is_whole(&snapshot(vec![well, view])), whole, "{told}");
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
        Frame::of(&halfway, 12).unwrap().to_string(),
        "2 of 3 folders, 12 of 30 files"
    );
    assert_eq!(
        Frame::of(&halfway, 31).unwrap().to_string(),
        "2 of 3 folders, 31 of 31 files"
    );
    let unasked = snapshot(vec![portal("main", ListState::Unasked, vec![])]);
    assert_eq!(Frame::of(&unasked, 0), None);
}
