//! Lines as they are written, and events that would break them.

use super::*;
use std::io;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use serde_json::Value;

use crate::text::is_unsafe;

#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is written while `work` is done.
pub(super) fn logged(level: LevelFilter, format: Format, work: impl FnOnce()) -> String {
    let written = Written::default();
    let writer = written.clone();
    let subscriber = subscriber(level, format, move || writer.clone());
    tracing::subscriber::with_default(subscriber, work);
    written.text()
}

/// Reads logfmt: bare words, and values in quotes that are JSON strings.
fn parse_logfmt(line: &str) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let (key, after) = rest.split_once('=').expect("a key");
        assert!(
            !key.is_empty() && !key.contains([' ', '"']),
            "{key:?} in {line:?}"
        );
        let value;
        (value, rest) = if after.starts_with('"') {
            let mut values = serde_json::Deserializer::from_str(after).into_iter::<String>();
            let value = values.next().unwrap().unwrap();
            (value, &after[values.byte_offset()..])
        } else {
            let end = after.find(' ').unwrap_or(after.len());
            assert!(!after[..end].contains(['"', '=']), "{line:?}");
            (after[..end].to_owned(), &after[end..])
        };
        pairs.push((key.to_owned(), value));
        rest = rest.strip_prefix(' ').unwrap_or(rest);
    }
    pairs
}

#[test]
fn a_line_of_logfmt_has_the_message_before_the_fields() {
    let lines = logged(LevelFilter::INFO, Format::Logfmt, || {
        tracing::warn!(target: "kb_exporter::x", status = 503, folder = "In\u{a0}box", "no answer");
    });
    let (time, rest) = lines.split_once(' ').unwrap();
    let time = time.strip_prefix("time=").unwrap();
    assert_eq!(time.len(), "2026-01-01T00:00:00.000Z".len());
    assert!(chrono::DateTime::parse_from_rfc3339(time).is_ok() && time.ends_with('Z'));
    assert_eq!(
        rest,
        "level=warn target=kb_exporter::x msg=\"no answer\" status=503 folder=\"In\u{a0}box\"\n"
    );
}

#[test]
fn a_line_of_json_has_the_same_keys_and_typed_values() {
    let lines = logged(LevelFilter::INFO, Format::Json, || {
        tracing::info!(target: "kb_exporter::x", up = true, ratio = 0.5, "read");
    });
    let (time, rest) = lines.split_once(',').unwrap();
    assert!(time.starts_with("{\"time\":\"2"));
    assert_eq!(
        rest,
        "\"level\":\"info\",\"target\":\"kb_exporter::x\",\"msg\":\"read\",\"up\":true,\"ratio\":0.5}\n"
    );
}

/// Texts with many characters that could break a line.
fn hostile() -> impl Strategy<Value = String> {
    const NASTY: &str = "\n\r\"\\= \u{1b}\u{202e}\u{2028}\u{7f}\u{85}\u{e0041}";
    let nasty = prop::sample::select(NASTY.chars().collect::<Vec<_>>());
    let character = prop_oneof![nasty, any::<char>()];
    prop::collection::vec(character, 0..40).prop_map(String::from_iter)
}

proptest! {
    #[test]
    fn one_event_is_one_line_that_reads_back(message in hostile(), value in hostile()) {
        for format in [Format::Logfmt, Format::Json] {
            let written = logged(LevelFilter::INFO, format, || {
                tracing::info!(shown = %value, given = value.as_str(), "{message}");
            });
            let line = written.strip_suffix('\n').expect("a line");
            prop_assert!(!line.chars().any(is_unsafe), "{:?}", line);
            let pairs = match format {
                Format::Logfmt => parse_logfmt(line),
                Format::Json => {
                    let object: serde_json::Map<String, Value> = serde_json::from_str(line).unwrap();
                    object.into_iter().map(|(key, value)| (key, value.as_str().unwrap().to_owned())).collect()
                }
            };
            for (key, expected) in [("msg", &message), ("shown", &value), ("given", &value)] {
                let found = pairs.iter().find(|pair| pair.0 == key);
                prop_assert_eq!(found.map(|pair| &pair.1), Some(expected), "{}", key);
            }
        }
    }
}

#[test]
fn values_are_cut() {
    let long = "é".repeat(1_000_000);
    let line = logged(LevelFilter::INFO, Format::Logfmt, || {
        tracing::info!(given = long.as_str(), "{long}");
    });
    let mut values = parse_logfmt(line.trim_end());
    values.retain(|(key, _)| key == "msg" || key == "given");
    assert_eq!(values.len(), 2);
    for (key, value) in values {
        assert_eq!(value.chars().count(), 2_000, "{key}");
        assert!(value.ends_with('…'), "{key}");
    }
}
