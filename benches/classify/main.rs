//! What it costs to classify a reason that was not seen before.
//!
//! ```text
//! cargo bench --bench classify
//! ```
//!
//! The first table is of reasons as document pipelines give them, each filled up to 100 characters: the median of several
//! rounds, with the least and the most. The goal: less than 10 µs. A reason that was seen before costs a look-up, which is the last row.
//!
//! The second is of texts that are written to cost time. Time is linear in the length of a text when the figures of a row do not
//! grow from left to right.

use std::env;
use std::hint::black_box;
use std::io::{self, Write};
use std::time::Instant;

use anyhow::Result;
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};
use kb_exporter::classify::{Class, Classifier};

/// How often everything is measured.
const ROUNDS: usize = 15;

/// Characters that are read in each round.
const CHARACTERS: u32 = 400_000;

/// Length of a typical reason, in characters.
const TYPICAL_LENGTH: u32 = 100;

/// Lengths of the hostile texts, in characters.
const LENGTHS: [u32; 3] = [100, 1_000, 4_000];

const TYPICAL: [(&str, &str); 7] = [
    (
        "words",
        "PDF is password-protected: cannot decrypt without a password; ask the owner of the file to remove it",
    ),
    (
        "numbers and a path",
        "OCR timed out after 30s on page 5 of /var/lib/portal/tmp/7f3c.pdf (limit 90 s), giving up for now ok",
    ),
    (
        "an id and a time",
        "lease of 0e8d9ba5-6a5a-4d53-b2a1-3a3f6d9a1b22 ended at 2026-03-01T10:20:30.456Z after 3 retries, see log",
    ),
    (
        "quotations",
        "UnicodeDecodeError: 'utf-8' codec can't decode byte 0x8f in position 1234: invalid start byte of 'a.txt'",
    ),
    (
        "hosts",
        "HTTPConnectionPool(host='embed', port=8080): GET http://embed:8080/v1 from 10.0.0.7:51234 was refused 3x",
    ),
    (
        "Russian",
        "Превышено время ожидания (30 с) при обработке страницы 12 файла «Договор №5.docx» на узле 10.0.0.7:5432",
    ),
    (
        "Chinese",
        "无法打开第12页：文件《合同2026.docx》已损坏，等待30秒后重试仍然失败，请联系管理员检查存储服务是否正常",
    ),
];

const HOSTILE: [(&str, &str); 14] = [
    ("quotes", "\""),
    ("unclosed quotes", "a'b \u{2018}"),
    ("escaped quotes", "\\\""),
    ("slashes", "/"),
    ("paths", "/a"),
    ("digits", "1"),
    ("dots", "."),
    ("letters and digits", "a1"),
    ("groups with colons", "1:"),
    ("broken addresses", "1a:1g:"),
    ("mailboxes", "1@1."),
    ("dates", "1 May-"),
    ("Chinese and digits", "页1"),
    ("one long word", "w"),
];

fn main() -> Result<()> {
    // Cargo says `--bench` when it benches, and not when it only tries whether everything runs.
    if !env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let mut output = io::stdout().lock();
    writeln!(output, "{}", typical())?;
    writeln!(output, "{}", hostile())?;
    Ok(())
}

fn typical() -> Table {
    let mut table = table(["ns a reason of 100 characters", "median", "least–most"]);
    for (name, text) in TYPICAL {
        let costs = measure(
            &of_length(&format!("{text} "), TYPICAL_LENGTH),
            TYPICAL_LENGTH,
        );
        table.add_row(row(name, &costs));
    }
    let known = of_length(TYPICAL[0].1, TYPICAL_LENGTH);
    let classifier = Classifier::default();
    let costs = measure_with(&known, TYPICAL_LENGTH, |text| {
        classifier.classify(Some(text))
    });
    table.add_row(row("seen before", &costs));
    table
}

fn row(name: &str, costs: &[f64; ROUNDS]) -> [String; 3] {
    let range = format!("{}–{}", rounded(costs[0]), rounded(costs[ROUNDS - 1]));
    [name.to_owned(), rounded(costs[ROUNDS / 2]), range]
}

fn hostile() -> Table {
    let mut table = table(["ns a character of", "100", "1,000", "4,000"]);
    for (name, piece) in HOSTILE {
        let costs = LENGTHS.map(|length| {
            let costs = measure(&of_length(piece, length), length);
            format!("{:.1}", costs[ROUNDS / 2] / f64::from(length))
        });
        table.add_row([name.to_owned()].into_iter().chain(costs));
    }
    table
}

/// Nanoseconds that it takes to classify a text, the least first.
fn measure(text: &str, characters: u32) -> [f64; ROUNDS] {
    let classifier = Classifier::default();
    measure_with(text, characters, |text| classifier.explain(text).0)
}

fn measure_with(text: &str, characters: u32, classify: impl Fn(&str) -> Class) -> [f64; ROUNDS] {
    let times = CHARACTERS / characters;
    let mut costs = [0.0; ROUNDS];
    for cost in &mut costs {
        let start = Instant::now();
        for _ in 0..times {
            black_box(classify(black_box(text)));
        }
        *cost = 1e9 * start.elapsed().as_secs_f64() / f64::from(times);
    }
    costs.sort_by(f64::total_cmp);
    costs
}

fn of_length(text: &str, characters: u32) -> String {
    (0..characters)
        .zip(text.chars().cycle())
        .map(|(_, character)| character)
        .collect()
}

fn rounded(nanoseconds: f64) -> String {
    format!("{nanoseconds:.0}")
}

fn table<const COLUMNS: usize>(header: [&str; COLUMNS]) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_header(header);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
