//! One event as one line: which keys it has, and how both formats write it.

use std::io::{self, Write};

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Serialize, Serializer as _};
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};
use tracing::Metadata;

use super::Format;
use super::fields::Fields;
use crate::text::is_unsafe;

/// The keys that every line has; a field of such a name gets a prefix.
const OWN_KEYS: [&str; 4] = ["time", "level", "target", "msg"];

/// A line before it is written: keys and values in order, no key twice.
pub(super) struct Line(Vec<(String, Value)>);

impl Line {
    pub(super) fn new(time: DateTime<Utc>, metadata: &Metadata<'_>, event: Fields) -> Self {
        let time = time.to_rfc3339_opts(SecondsFormat::Millis, true);
        let level = metadata.level().as_str().to_ascii_lowercase();
        let values = [time, level, metadata.target().to_owned(), event.message];
        let own = OWN_KEYS.map(str::to_owned).into_iter();
        let mut line = Self(own.zip(values.map(Value::from)).collect());
        line.add(&event.named);
        line
    }

    /// Adds fields; a key that is there already stays as it is, so an event's fields and inner spans are to be added first.
    pub(super) fn add(&mut self, fields: &[(&'static str, Value)]) {
        for (name, value) in fields {
            let key = key(name);
            if self.0.iter().all(|present| present.0 != key) {
                self.0.push((key, value.clone()));
            }
        }
    }

    pub(super) fn write(&self, format: Format, out: &mut Vec<u8>) -> io::Result<()> {
        match format {
            Format::Logfmt => self.write_logfmt(out)?,
            Format::Json => write_json(out, |json| {
                json.collect_map(self.0.iter().map(|(key, value)| (key, value)))
            })?,
        }
        out.write_all(b"\n")
    }

    fn write_logfmt(&self, out: &mut Vec<u8>) -> io::Result<()> {
        for (number, (key, value)) in self.0.iter().enumerate() {
            let space = if number == 0 { "" } else { " " };
            write!(out, "{space}{key}=")?;
            match value {
                Value::String(text) if is_bare(text) => out.write_all(text.as_bytes())?,
                value => write_json(out, |json| value.serialize(json))?,
            }
        }
        Ok(())
    }
}

fn key(name: &str) -> String {
    let name = name.strip_prefix("r#").unwrap_or(name);
    let prefix = if OWN_KEYS.contains(&name) {
        "field_"
    } else {
        ""
    };
    let is_usual = |letter: char| letter.is_ascii_alphanumeric() || "_.-".contains(letter);
    format!("{prefix}{name}").replace(|letter| !is_usual(letter), "_")
}

/// Whether logfmt needs no quotes around it.
fn is_bare(text: &str) -> bool {
    let needs_quotes =
        |letter: char| letter.is_whitespace() || is_unsafe(letter) || "\"=\\".contains(letter);
    !text.is_empty() && !text.contains(needs_quotes)
}

fn write_json<'a>(
    out: &'a mut Vec<u8>,
    write: impl FnOnce(&mut Serializer<&'a mut Vec<u8>, Harmless>) -> serde_json::Result<()>,
) -> io::Result<()> {
    write(&mut Serializer::with_formatter(out, Harmless)).map_err(io::Error::from)
}

/// JSON on one line in which everything unsafe is escaped, which JSON itself asks for control characters below U+0020 only.
struct Harmless;

impl Formatter for Harmless {
    fn write_string_fragment<W>(&mut self, out: &mut W, fragment: &str) -> io::Result<()>
    where
        W: ?Sized + Write,
    {
        let mut rest = fragment;
        while let Some((at, character)) = rest.char_indices().find(|found| is_unsafe(found.1)) {
            out.write_all(&rest.as_bytes()[..at])?;
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
            rest = &rest[at + character.len_utf8()..];
        }
        out.write_all(rest.as_bytes())
    }
}
