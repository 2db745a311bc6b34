//! The rows of the files in a state folder.

use std::collections::BTreeMap;
use std::path::Path;

use fastrand::Rng;
use rusqlite::types::Value;
use rusqlite::{Connection, params, params_from_iter};
use serde_json::json;
use uuid::Uuid;

const FILES: [&str; 2] = ["state.db", "ledger.db"];

/// More than what is copied at once.
const MANY: usize = 2_500;

/// The rows of each table, in the order of their text.
pub(super) type Rows = BTreeMap<String, Vec<String>>;

/// The tables of a file, with the one that has the numbers that were given.
fn tables(file: &Connection) -> Vec<String> {
    let query = "SELECT name FROM sqlite_schema WHERE type = 'table'";
    let mut query = file.prepare(query).unwrap();
    let names = query.query_map([], |row| row.get(0)).unwrap();
    names.map(Result::unwrap).collect()
}

/// Everything in a folder, and the numbers that were given.
pub(super) fn all(folder: &Path) -> Rows {
    let mut all = Rows::new();
    for name in FILES {
        let file = Connection::open(folder.join(name)).unwrap();
        for table in tables(&file) {
            let query = format!("SELECT * FROM {table}");
            let mut query = file.prepare(&query).unwrap();
            let columns = query.column_count();
            let rows = query.query_map([], |row| {
                let values = (0..columns).map(|column| row.get::<_, Value>(column));
                Ok(format!(
                    "{:?}",
                    values.collect::<Result<Vec<_>, _>>().unwrap()
                ))
            });
            let mut rows: Vec<String> = rows.unwrap().map(Result::unwrap).collect();
            rows.sort();
            all.insert(format!("{name} {table}"), rows);
        }
    }
    all
}

/// Adds rows of all kinds to the files that an exporter made.
pub(super) fn fill(folder: &Path, seed: u64) {
    let mut random = Rng::with_seed(seed);
    let mut file = Connection::open(folder.join("state.db")).unwrap();
    let transaction = file.transaction().unwrap();
    fill_state(&transaction, &mut random);
    transaction.commit().unwrap();
    let mut file = Connection::open(folder.join("ledger.db")).unwrap();
    let transaction = file.transaction().unwrap();
    fill_ledger(&transaction, &mut random);
    transaction.commit().unwrap();
}

fn insert(file: &Connection, table: &str, row: &[(&str, Value)]) -> i64 {
    let columns: Vec<&str> = row.iter().map(|(column, _)| *column).collect();
    let numbers: Vec<String> = (1..=row.len()).map(|number| format!("?{number}")).collect();
    let statement = format!(
        "INSERT INTO {table} ({}) VALUES ({})",
        columns.join(", "),
        numbers.join(", ")
    );
    let values = row.iter().map(|(_, value)| value);
    file.execute(&statement, params_from_iter(values)).unwrap();
    file.last_insert_rowid()
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn id(random: &mut Rng) -> Value {
    text(&Uuid::from_u128(random.u128(..)).to_string())
}

fn name(random: &mut Rng) -> Value {
    let names = [
        "Inbox",
        "it's \"quoted\" \\ %s",
        "Büro ☃ 受信箱",
        "",
        "two\nlines\t$1",
    ];
    text(names[random.usize(..names.len())])
}

fn time(random: &mut Rng) -> Value {
    Value::Integer(random.i64(-5..=1_800_000_000_000))
}

fn number(random: &mut Rng) -> Value {
    let numbers = [0, 1, 7, i64::from(i32::MAX) + 1];
    Value::Integer(numbers[random.usize(..numbers.len())])
}

fn maybe(random: &mut Rng, value: impl FnOnce(&mut Rng) -> Value) -> Value {
    if random.bool() {
        value(random)
    } else {
        Value::Null
    }
}

fn key(random: &mut Rng) -> [(&'static str, Value); 2] {
    ["link", "id"].map(|column| (column, Value::Blob(random.u128(..).to_be_bytes().to_vec())))
}

fn status(random: &mut Rng) -> Value {
    let words = ["pending", "processing", "failed", "flagged", "unknown"];
    text(words[random.usize(..words.len())])
}

fn counts(random: &mut Rng) -> Value {
    text(&json!([1, 2, 3, random.u32(..), u64::MAX, 0]).to_string())
}

fn fill_state(file: &Connection, random: &mut Rng) {
    for portal in ["one", "two"] {
        insert(
            file,
            "portal",
            &[("name", text(portal)), ("last_success", time(random))],
        );
        let refutation = [
            ("portal", text(portal)),
            ("address", text("https://portal.example/")),
            ("folder", id(random)),
            ("pages", text("[1,51]")),
        ];
        insert(file, "refutation", &refutation);
        for number in 0..20 {
            let folder = insert(file, "folder", &folder(portal, random));
            let files = if number == 0 { MANY } else { random.usize(..5) };
            for _ in 0..files {
                insert(file, "file", &known_file(folder, random));
            }
            for class in ["page <n> lost", "Page <n> lost", "ü"] {
                insert(file, "slot", &slot(folder, class, random));
            }
        }
    }
    // Numbers need not be in a row.
    file.execute("DELETE FROM folder WHERE number = 7", [])
        .unwrap();
}

const LOOK: &str = r#"{"way":"sorted","consistent":true,"requests":7,"duration":{"secs":1,"nanos":5},"rows_beyond":null,"missing_files":0}"#;

const UNIDENTIFIED: &str =
    r#"[{"Files":7},{"Files":0},{"Files":9},{"Unknown":16},{"Files":2},{"Unknown":0}]"#;

const INDEXING: &str = r#"{"buckets":[1,2,3,4,5,6],"count":7,"sum_millis":8}"#;

fn folder(portal: &str, random: &mut Rng) -> Vec<(&'static str, Value)> {
    let mut row = vec![
        ("portal", text(portal)),
        ("id", id(random)),
        ("name", name(random)),
        ("excluded_since", maybe(random, time)),
        ("version", number(random)),
    ];
    if random.bool() {
        row.extend([
            (
                "left_reason",
                text(if random.bool() { "gone" } else { "unlisted" }),
            ),
            ("left_since", time(random)),
        ]);
    }
    if random.bool() {
        row.extend([
            ("began", time(random)),
            ("counted", time(random)),
            ("first_counted", time(random)),
            ("counts", counts(random)),
            ("look", text(LOOK)),
            ("unidentified", text(UNIDENTIFIED)),
            ("entries", counts(random)),
            ("indexing", text(INDEXING)),
        ]);
        if random.bool() {
            row.extend([
                ("full_read", time(random)),
                ("sizes", counts(random)),
                ("missing_rows", number(random)),
                ("shows_sorting", Value::Integer(random.i64(0..=1))),
            ]);
        }
    }
    row
}

fn known_file(folder: i64, random: &mut Rng) -> Vec<(&'static str, Value)> {
    let mut row = vec![
        ("folder", Value::Integer(folder)),
        ("status", status(random)),
        ("settled", maybe(random, status)),
        ("since", time(random)),
        ("timed_from", maybe(random, time)),
        ("missed_since", maybe(random, time)),
        ("is_done", Value::Integer(random.i64(0..=1))),
        ("class", maybe(random, name)),
    ];
    row.extend(key(random));
    row
}

fn slot(folder: i64, class: &str, random: &mut Rng) -> Vec<(&'static str, Value)> {
    vec![
        ("folder", Value::Integer(folder)),
        ("class", text(class)),
        ("example", name(random)),
        ("first_seen", time(random)),
        ("last_seen", time(random)),
        ("classifier", maybe(random, |_| text("3.0a"))),
        ("failed", number(random)),
        ("flagged", number(random)),
        ("empty_counts", Value::Integer(random.i64(0..9))),
        ("shown", Value::Integer(random.i64(0..=1))),
    ]
}

/// What can be known of an attempt: outcome, status, why, and whether it was judged.
type Known = (
    Option<&'static str>,
    Option<i64>,
    Option<&'static str>,
    bool,
);

const ATTEMPTS: [Known; 8] = [
    (Some("not_sent"), None, None, false),
    (None, None, None, false),
    (Some("accepted"), None, None, false),
    (Some("accepted"), None, None, true),
    (Some("refused"), Some(429), None, false),
    (Some("unknown"), Some(503), Some("status"), true),
    (Some("unknown"), None, Some("no_answer"), false),
    (Some("unknown"), None, Some("interrupted"), true),
];

fn fill_ledger(file: &Connection, random: &mut Rng) {
    file.execute(
        "UPDATE ledger SET moved = 7, clock_set = ?1",
        params![random.i64(0..9)],
    )
    .unwrap();
    for portal in ["https://one.example/", "https://two.example/kb/"] {
        let met = [
            ("address", text(portal)),
            ("met", time(random)),
            ("version", number(random)),
            ("removed", Value::Integer(random.i64(0..9))),
        ];
        insert(file, "portal", &met);
        for attempt in &ATTEMPTS {
            let folder = ledger_folder(file, portal, random);
            self::attempt(file, folder, attempt, random);
        }
        for class in ["timeout", "Timeout", "page <n> lost"] {
            let class = [
                ("portal", text(portal)),
                ("name", text(class)),
                ("recovered", number(random)),
                ("refailed", number(random)),
                ("version", number(random)),
            ];
            insert(file, "class", &class);
        }
        forgiven(file, portal, random);
    }
    // The last numbers were given, and must not be given again.
    for table in ["attempt", "forgiven"] {
        let last = format!("DELETE FROM {table} WHERE id = (SELECT max(id) FROM {table})");
        file.execute(&last, []).unwrap();
    }
}

/// The counters of a folder in the ledger.
const TOTALS: [&str; 10] = [
    "accepted",
    "refused",
    "unknown",
    "requeued",
    "recovered",
    "partial",
    "none",
    "inconclusive",
    "files_recovered",
    "files_refailed",
];

fn ledger_folder(file: &Connection, portal: &str, random: &mut Rng) -> i64 {
    let mut row = vec![
        ("portal", text(portal)),
        ("id", id(random)),
        ("name", name(random)),
        ("unseen_since", maybe(random, time)),
        ("version", number(random)),
    ];
    row.extend(TOTALS.map(|total| (total, number(random))));
    let folder = insert(file, "folder", &row);
    for _ in 0..random.usize(..4) {
        let mut tries = vec![
            ("folder", Value::Integer(folder)),
            ("attempts", Value::Integer(random.i64(1..5))),
        ];
        tries.extend(key(random));
        insert(file, "tries", &tries);
    }
    folder
}

fn attempt(
    file: &Connection,
    folder: i64,
    (outcome, status, why, judged): &Known,
    random: &mut Rng,
) {
    let mut row = vec![
        ("folder", Value::Integer(folder)),
        ("portal", text("main")),
        ("is_trial", Value::Integer(random.i64(0..2))),
        ("intended", time(random)),
        ("files", number(random)),
        ("version", number(random)),
        ("classes", text(r#"[["timeout",3,2,1]]"#)),
    ];
    if let Some(outcome) = outcome {
        row.extend([("outcome", text(outcome)), ("answered", time(random))]);
        match *outcome {
            "accepted" => row.push(("updated", number(random))),
            "not_sent" => {}
            "refused" => row.push(("retry_after", maybe(random, number))),
            _ => row.push(("why", text(why.unwrap()))),
        }
        row.push(("status", status.map_or(Value::Null, Value::Integer)));
    }
    if *judged {
        row.extend([
            ("verdict", text("partial")),
            ("judged", time(random)),
            ("file_states", text("[0,0,3,2,1,0]")),
        ]);
    }
    let attempt = insert(file, "attempt", &row);
    let is_over = *judged || matches!(*outcome, Some("refused" | "not_sent"));
    for state in ["sent", "waiting", "done", "refailed", "flagged", "gone"] {
        if !is_over {
            let mut sent = vec![
                ("attempt", Value::Integer(attempt)),
                ("state", text(state)),
                ("class", text("timeout")),
                ("name", maybe(random, name)),
            ];
            sent.extend(key(random));
            insert(file, "sent", &sent);
        }
    }
}

fn forgiven(file: &Connection, portal: &str, random: &mut Rng) {
    let kinds = [
        ("everything", Value::Null),
        ("folder", id(random)),
        ("class", text("timeout")),
        ("clock", Value::Null),
    ];
    for (kind, target) in kinds {
        let row = [
            ("portal", text(portal)),
            ("at", time(random)),
            ("kind", text(kind)),
            ("target", target),
            ("taken", maybe(random, time)),
        ];
        insert(file, "forgiven", &row);
    }
}
