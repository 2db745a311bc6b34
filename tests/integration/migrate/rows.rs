//! The rows of the files in a state folder.

use std::collections::BTreeMap;
use std::path::Path;

use fastrand::Rng;
use kb_exporter::attempts::{AttemptId, Event, Forgiven, Forgiveness, Intent, SentFile};
use kb_exporter::classify::Class;
use kb_exporter::model::{FileKey, FolderId, Lost, Outcome, PortalName, Timestamp};
use serde_json::json;
use uuid::Uuid;

use crate::support::sqlite::sql;

/// The tables that are moved, and their files.
const TABLES: [(&str, &str); 4] = [
    ("state.db", "portal"),
    ("state.db", "folder"),
    ("state.db", "file"),
    ("ledger.db", "event"),
];

/// More than what is copied at once.
const MANY: usize = 2_500;

const PORTALS: [&str; 2] = ["https://one.example/", "https://two.example/kb/"];

/// The rows of each table, in the order of their text.
pub(super) type Rows = BTreeMap<&'static str, Vec<Vec<String>>>;

/// Everything in a folder that is moved.
pub(super) fn all(folder: &Path) -> Rows {
    let rows = |(file, table): (&str, &str)| {
        let mut rows = sql(&folder.join(file), &format!("SELECT * FROM {table}"));
        rows.sort();
        rows
    };
    TABLES.map(|table| (table.1, rows(table))).into()
}

/// Adds rows of all kinds to the files that an exporter made.
pub(super) fn fill(folder: &Path, seed: u64) {
    let mut random = Rng::with_seed(seed);
    sql(&folder.join("state.db"), &state(&mut random));
    sql(&folder.join("ledger.db"), &ledger(&mut random));
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn id(random: &mut Rng) -> String {
    quoted(&Uuid::from_u128(random.u128(..)).to_string())
}

/// Any JSON, with what texts may have.
fn document(random: &mut Rng) -> String {
    let names = [
        "Inbox",
        "it's \"quoted\" \\ %s",
        "Büro ☃ 受信箱",
        "",
        "two\nlines\t$1",
    ];
    let name = names[random.usize(..names.len())];
    quoted(&json!({"name": name, "counts": [random.u32(..), u64::MAX, null]}).to_string())
}

fn insert(table: &str, rows: &[String]) -> String {
    format!("INSERT INTO {table} VALUES {};", rows.join(", "))
}

fn state(random: &mut Rng) -> String {
    let (mut portals, mut folders, mut files) = (Vec::new(), Vec::new(), Vec::new());
    for portal in PORTALS.map(quoted) {
        portals.push(format!("({portal}, '0/1', {})", document(random)));
        for number in 0..20 {
            let (folder, token, written) = (id(random), random.i64(..), random.i64(..));
            let row = document(random);
            folders.push(format!(
                "({portal}, {folder}, {number}, {token}, {written}, {row})"
            ));
            let count = if number == 0 { MANY } else { random.usize(..5) };
            for _ in 0..count {
                let (file, row) = (id(random), document(random));
                files.push(format!("({portal}, {folder}, {file}, {row})"));
            }
        }
    }
    insert("portal", &portals) + &insert("folder", &folders) + &insert("file", &files)
}

fn ledger(random: &mut Rng) -> String {
    let mut rows = Vec::new();
    for portal in PORTALS.map(quoted) {
        // Numbers need not begin at 1.
        for (number, event) in (7..).zip(events(random)) {
            let event = quoted(&serde_json::to_string(&event).unwrap());
            let token = random.i64(..);
            rows.push(format!("({portal}, {number}, {token}, {event})"));
        }
    }
    insert("event", &rows)
}

/// A log with events of all kinds.
fn events(random: &mut Rng) -> Vec<Event> {
    let mut millis = 1_700_000_000_000;
    let mut later = |random: &mut Rng| {
        millis += random.i64(1..100_000);
        Timestamp::from_millis(millis)
    };
    let mut events = vec![Event::Met { at: later(random) }];
    for _ in 0..50 {
        let at = later(random);
        match random.u8(..5) {
            0 => events.push(Event::Doubted { at }),
            1 => events.push(Event::ClockSet { at, step: 7, by: 7 }),
            2 => {
                let what = Forgiven::Class(Class::Text("it's".into()));
                events.push(Event::Forgiven(Forgiveness { at, what }));
            }
            _ => {
                let folder: FolderId = Uuid::from_u128(random.u128(..)).into();
                let key = FileKey {
                    link: random.u128(..),
                    id: random.u128(..),
                };
                let files = vec![(key, SentFile::new(Class::Text("timed out".into())))];
                let main = PortalName::new("main").unwrap();
                events.push(Event::Intended(Intent::new(main, folder, at, files)));
                let outcomes = [
                    Outcome::NotSent,
                    Outcome::Accepted { updated: 1 },
                    Outcome::Unknown {
                        why: Lost::Interrupted,
                    },
                ];
                if random.bool() {
                    events.push(Event::Settled {
                        id: AttemptId::new(at.as_millis()),
                        at: later(random),
                        outcome: outcomes[random.usize(..outcomes.len())],
                    });
                }
            }
        }
    }
    events
}
