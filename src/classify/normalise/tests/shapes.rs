//! Twelve shapes of messages with random parts: what differs from file to file makes no class.

use std::collections::HashMap;

use fastrand::Rng;

use super::normalise;

const TEXTS: usize = 100_000;
const SHAPES: usize = 12;

const LATIN: [&str; 6] = ["report", "Annual Plan", "invoice", "O'Brien", "été", "scan"];
const CYRILLIC: [&str; 5] = ["отчёт", "Договор поставки", "Приказ", "смета", "Ёлка"];
const CHINESE: [&str; 5] = ["报告", "合同 副本", "年度计划", "发票", "会议记录"];
const EXTENSIONS: [&str; 6] = ["pdf", "docx", "XLSX", "mp3", "tar.gz", "txt"];
const UNITS: [&str; 8] = ["ms", "s", "KiB", "MB", "с", "МБ", "秒", "%"];
const QUOTES: [(&str, &str); 8] = [
    ("'", "'"),
    ("\"", "\""),
    ("`", "`"),
    ("«", "»"),
    ("„", "“"),
    ("“", "”"),
    ("「", "」"),
    ("《", "》"),
];

fn any<'a>(rng: &mut Rng, of: &[&'a str]) -> &'a str {
    rng.choice(of).copied().unwrap_or_default()
}

fn name(rng: &mut Rng) -> String {
    let names: &[&str] = match rng.u8(..3) {
        0 => &LATIN,
        1 => &CYRILLIC,
        _ => &CHINESE,
    };
    let number = if rng.bool() {
        format!(" {}", rng.u16(..))
    } else {
        String::new()
    };
    format!("{}{number}.{}", any(rng, names), any(rng, &EXTENSIONS))
}

fn quoted(rng: &mut Rng) -> String {
    let (open, close) = QUOTES[rng.usize(..QUOTES.len())];
    format!("{open}{}{close}", name(rng))
}

fn file(rng: &mut Rng) -> String {
    name(rng).replace(' ', "_")
}

fn path(rng: &mut Rng) -> String {
    let (first, second, file) = (file(rng), rng.u32(..), file(rng));
    match rng.u8(..4) {
        0 => format!("/var/lib/{first}/{second}/{file}"),
        1 => format!("C:\\kb\\{first}\\{file}"),
        2 => format!("\\\\fs{second}\\share\\{file}"),
        _ => format!("kb/{second}/{file}"),
    }
}

fn id(rng: &mut Rng) -> String {
    match rng.u8(..3) {
        0 => uuid::Uuid::from_u128(rng.u128(..)).to_string(),
        1 => format!("req_{:016x}", rng.u64(..)),
        _ => format!("{:040x}", rng.u128(..)),
    }
}

fn moment(rng: &mut Rng) -> String {
    let (year, month, day) = (rng.u16(2020..2030), rng.u8(1..13), rng.u8(1..29));
    let (hour, minute, second) = (rng.u8(..24), rng.u8(..60), rng.u8(..60));
    match rng.u8(..6) {
        0 => format!(
            "{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z",
            rng.u16(..1000)
        ),
        1 => format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"),
        2 => format!("{day:02}.{month:02}.{year} {hour:02}:{minute:02}"),
        3 => format!("Mon, {day:02} Mar {year} {hour:02}:{minute:02}:{second:02} +0300"),
        4 => format!("{day} января {year} года"),
        _ => format!("{year}年{month}月{day}日 {hour}时{minute}分"),
    }
}

fn host(rng: &mut Rng) -> String {
    match rng.u8(..4) {
        0 => format!(
            "10.{}.{}.{}:{}",
            rng.u8(..),
            rng.u8(..),
            rng.u8(..),
            rng.u16(1..)
        ),
        1 => format!("db-{}.prod.internal:{}", rng.u8(..), rng.u16(1..)),
        2 => format!("node{}.kb.svc.cluster.local", rng.u8(..)),
        _ => format!("fe80::{:x}:{:x}", rng.u16(0x1000..0x9fff), rng.u16(..)),
    }
}

fn amount(rng: &mut Rng) -> String {
    let number = match rng.u8(..4) {
        0 => rng.u32(..).to_string(),
        1 => format!("{}.{}", rng.u16(..), rng.u16(..)),
        2 => format!("{},{:03}", rng.u16(1..999), rng.u16(..999)),
        _ => format!("-{}", rng.u16(..)),
    };
    let space = if rng.bool() { " " } else { "" };
    format!("{number}{space}{}", any(rng, &UNITS))
}

fn code(rng: &mut Rng) -> String {
    match rng.u8(..3) {
        0 => format!("E{:04}", rng.u16(..9999)),
        1 => format!("ERR-{}", rng.u8(..)),
        _ => format!("kb{}x", rng.u16(..)),
    }
}

fn pages(rng: &mut Rng) -> String {
    let count = rng.usize(1..9);
    let pages: Vec<_> = (0..count).map(|_| rng.u16(1..900).to_string()).collect();
    pages.join(", ")
}

fn message(shape: usize, rng: &mut Rng) -> String {
    match shape {
        0 => format!("cannot open {}: no such file", quoted(rng)),
        1 => format!("OCR timed out after {} on {}", amount(rng), path(rng)),
        2 => format!("object {} was gone at {}", id(rng), moment(rng)),
        3 => format!(
            "connection to {} refused ({} retries)",
            host(rng),
            rng.u8(..)
        ),
        4 => format!("error {} while reading {}", code(rng), file(rng)),
        5 => format!("pages {} hold no text", pages(rng)),
        6 => format!(
            "не удалось прочитать файл {} за {}",
            quoted(rng),
            amount(rng)
        ),
        7 => format!("无法打开第{}页：{}", rng.u16(..), quoted(rng)),
        8 => format!(
            "GET http://{}/kb/{} returned {}",
            host(rng),
            id(rng),
            rng.u16(400..600)
        ),
        9 => format!(
            "lease of {} ended at {} ({})",
            id(rng),
            moment(rng),
            path(rng)
        ),
        10 => format!(
            "Traceback (most recent call last):\n  File \"{}\", line {}\nkb.BadFile: {} is {} long",
            path(rng),
            rng.u16(..),
            quoted(rng),
            amount(rng)
        ),
        _ => format!(
            "{} {} writes to ops{}@kb.example",
            moment(rng),
            code(rng),
            rng.u8(..)
        ),
    }
}

#[test]
fn twelve_shapes_are_twelve_classes() {
    let mut rng = Rng::with_seed(12);
    let mut classes = HashMap::<String, String>::new();
    for number in 0..TEXTS {
        let reason = message(number % SHAPES, &mut rng);
        classes.entry(normalise(&reason)).or_insert(reason);
    }
    assert_eq!(classes.len(), SHAPES, "{classes:#?}");
}
