//! What the ledger looks like in each form, and which attempts are chosen.

use super::*;
use crate::attempts::{AttemptId, Judged, SentFile, Verdict};
use crate::classify::Class;
use crate::cli::view;
use crate::model::{FileKey, FileMap, FolderName, PortalName};

const NOON: i64 = 1_772_366_400_000;

/// A name that would move the cursor, turn the direction and break the line and the table.
const HOSTILE: &str = "a\u{1b}[2J\u{202e}b\n│ \"c\"";

fn at(minutes: i64) -> Timestamp {
    Timestamp::from_millis(NOON + minutes * 60_000)
}

fn entry(name: &str, attempt: Attempt) -> Arc<Attempt> {
    Arc::new(Attempt {
        name: FolderName::new(name),
        ..attempt
    })
}

fn attempt(number: u8, files: u64) -> Attempt {
    Attempt {
        id: AttemptId::new(number.into()),
        portal: PortalName::new("main").unwrap(),
        folder: uuid::Uuid::from_u128(number.into()).into(),
        name: FolderName::new(""),
        is_trial: false,
        intended: at(number.into()),
        files,
        classes: Arc::default(),
        outcome: None,
        watched: None,
        judged: None,
    }
}

fn watched(states: &[FileState]) -> Arc<FileMap<SentFile>> {
    let key = |number| FileKey {
        link: number,
        id: number,
    };
    let sent = states.iter().map(|state| SentFile {
        state: *state,
        class: Class::Other,
        name: None,
    });
    let files = (0..).map(key).zip(sent);
    Arc::new(files.collect())
}

/// One attempt with each kind of result, the newest first.
fn entries() -> Vec<Arc<Attempt>> {
    let states = [
        (FileState::Done, 7),
        (FileState::Refailed, 2),
        (FileState::Flagged, 1),
        (FileState::Gone, 3),
    ];
    let states = states.map(|(state, files)| std::iter::repeat_n(state, files));
    let judged = Judged {
        at: at(123),
        verdict: Verdict::Partial,
        files: states.into_iter().flatten().collect(),
    };
    let refused = Outcome::Refused {
        status: 403,
        retry_after: None,
    };
    let why = Lost::NoAnswer;
    let under_way = Attempt {
        watched: Some(watched(&[FileState::Sent; 2])),
        ..attempt(6, 2)
    };
    let lost = Attempt {
        outcome: Some((at(5), Outcome::Unknown { why })),
        watched: Some(watched(&[
            FileState::Sent,
            FileState::Waiting,
            FileState::Done,
        ])),
        ..attempt(5, 3)
    };
    let refused = Attempt {
        outcome: Some((at(4), refused)),
        ..attempt(4, 5)
    };
    let over = Attempt {
        outcome: Some((at(3), Outcome::Accepted { updated: 13 })),
        judged: Some(judged),
        ..attempt(3, 12)
    };
    let withdrawn = Attempt {
        outcome: Some((at(2), Outcome::NotSent)),
        ..attempt(2, 40)
    };
    vec![
        entry("Inbox", under_way),
        entry("Inbox", lost),
        entry("", refused),
        entry("Letters", over),
        entry(HOSTILE, withdrawn),
    ]
}

fn printed(attempts: &[Arc<Attempt>], form: Form) -> String {
    view::text_of(&[listed(attempts)], form).unwrap()
}

#[test]
fn each_attempt_has_a_row_with_what_came_of_it() {
    insta::assert_snapshot!(printed(&entries(), Form::Table), @r#"
    ┌──────────────────────┬────────┬────────────────┬───────────┬────────────┬───────┬──────────┬─────────┬─────────────────┬────────────────┐
    │ time                 ┆ portal ┆ folder         ┆ result    ┆ reason     ┆ files ┆ requeued ┆ outcome ┆ files recovered ┆ files refailed │
    ╞══════════════════════╪════════╪════════════════╪═══════════╪════════════╪═══════╪══════════╪═════════╪═════════════════╪════════════════╡
    │ 2026-03-01T12:06:00Z ┆ main   ┆ Inbox          ┆ under_way ┆            ┆     2 ┆          ┆         ┆               0 ┆              0 │
    │ 2026-03-01T12:05:00Z ┆ main   ┆ Inbox          ┆ unknown   ┆ no answer  ┆     3 ┆          ┆         ┆               1 ┆              0 │
    │ 2026-03-01T12:04:00Z ┆ main   ┆                ┆ refused   ┆ status 403 ┆     5 ┆          ┆         ┆                 ┆                │
    │ 2026-03-01T12:03:00Z ┆ main   ┆ Letters        ┆ accepted  ┆            ┆    12 ┆       13 ┆ partial ┆               7 ┆              2 │
    │ 2026-03-01T12:02:00Z ┆ main   ┆ a�[2J�b\n│ "c" ┆ not_sent  ┆            ┆    40 ┆          ┆         ┆                 ┆                │
    └──────────────────────┴────────┴────────────────┴───────────┴────────────┴───────┴──────────┴─────────┴─────────────────┴────────────────┘
    "#);
}

#[test]
fn a_document_has_every_field_of_an_attempt() {
    insta::assert_snapshot!(printed(&entries()[2..4], Form::Json).replace("},{", "},\n{"), @r#"
    {"attempts":[{"id":4,"time":"2026-03-01T12:04:00Z","portal":"main","folder_id":"00000000-0000-0000-0000-000000000004","folder":null,"result":"refused","reason":"status 403","answered":"2026-03-01T12:04:00Z","files":5,"charged":0,"requeued":null,"outcome":null,"judged":null,"files_recovered":null,"files_refailed":null,"files_flagged":null,"files_waiting":null,"files_gone":null},
    {"id":3,"time":"2026-03-01T12:03:00Z","portal":"main","folder_id":"00000000-0000-0000-0000-000000000003","folder":"Letters","result":"accepted","reason":null,"answered":"2026-03-01T12:03:00Z","files":12,"charged":13,"requeued":13,"outcome":"partial","judged":"2026-03-01T14:03:00Z","files_recovered":7,"files_refailed":2,"files_flagged":1,"files_waiting":0,"files_gone":3}]}
    "#);
}

#[test]
fn the_newest_attempts_are_chosen_and_those_of_a_folder_or_a_time() {
    let select = |limit, since: Option<&str>, folder: Option<&str>| {
        let args = HistoryArgs {
            output: OutputArgs::default(),
            limit,
            since: since.map(|text| super::since(text).unwrap()),
            folder: folder.map(str::to_owned),
        };
        args.select(entries())
    };
    let chosen = |limit, since, folder| {
        let chosen = select(limit, since, folder).unwrap().into_iter();
        chosen.map(|attempt| attempt.id.get()).collect::<Vec<_>>()
    };
    assert_eq!(chosen(0, None, Some("Inbox")), [6, 5]);
    let third = "00000000-0000-0000-0000-000000000003";
    assert_eq!(chosen(0, None, Some(third)), [3]);
    assert_eq!(chosen(0, Some("2026-03-01T12:05:00Z"), None), [6, 5]);
    assert_eq!(chosen(0, Some("1s"), Some("Inbox")), [0; 0]);
    let unknown = select(0, None, Some("inbx")).unwrap_err().to_string();
    let nearest =
        r#"no attempt was ever made in a folder "inbx"; names that exist: "Inbox", "Letters""#;
    assert!(unknown.starts_with(nearest), "{unknown}");
    let recent = super::since("1s").unwrap();
    let all = entries().into_iter();
    let later = all.filter(|attempt| attempt.intended >= recent);
    assert_eq!(chosen(0, Some("1s"), None).len(), later.count());
    assert!(super::since("yesterday").is_err());
    for (limit, number) in [(0, 5), (2, 2), (5, 5), (50, 5)] {
        let newest = chosen(limit, None, None);
        assert_eq!((newest.len(), newest[0]), (number, 6), "{limit}");
    }
}
