//! One line for each event: which keys it has, and how both formats write it.

use std::io::{self, Write};

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;
use serde_json::{Map, Value};
use tracing::{Event, Subscriber};
use tracing_serde::fields::AsMap as _;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Context, Layer};

use super::Format;
use crate::clock::Moment;
use crate::text::{cut, harmless_json, is_unsafe};

/// The longest value, in characters; a longer one is cut.
const MAX_VALUE: usize = 2_000;

/// The key that tracing has for the text of an event.
const TEXT: &str = "message";

/// Writes each event as a line. Spans are not shown: an event has all that it is about.
pub(super) struct Lines<W> {
    pub(super) format: Format,
    pub(super) writer: W,
}

impl<S, W> Layer<S> for Lines<W>
where
    S: Subscriber,
    W: for<'w> MakeWriter<'w> + 'static,
{
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut line = Vec::with_capacity(256);
        if write(event, self.format, &mut line).is_ok() {
            // In one piece, so that lines do not mix. An error of the log itself cannot be reported.
            let mut writer = self.writer.make_writer_for(event.metadata());
            let _ = writer.write_all(&line);
        }
    }
}

fn write(event: &Event<'_>, format: Format, line: &mut Vec<u8>) -> io::Result<()> {
    let fields = fields(event)?;
    match format {
        Format::Logfmt => write_logfmt(&fields, line)?,
        Format::Json => fields.serialize(&mut harmless_json(&mut *line))?,
    }
    line.write_all(b"\n")
}

/// The keys and values of a line, in their order. Values are texts, numbers and truth values only.
fn fields(event: &Event<'_>) -> serde_json::Result<Map<String, Value>> {
    let metadata = event.metadata();
    let time = DateTime::<Utc>::from(Moment::now().wall);
    let own = serde_json::to_value(event.field_map())?;
    let time = time.to_rfc3339_opts(SecondsFormat::Millis, true);
    let level = metadata.level().as_str().to_ascii_lowercase();
    let mut fields = Map::new();
    fields.insert("time".to_owned(), time.into());
    fields.insert("level".to_owned(), level.into());
    fields.insert("target".to_owned(), metadata.target().into());
    fields.insert("msg".to_owned(), short(&own[TEXT]));
    for (key, value) in own.as_object().into_iter().flatten() {
        if key != TEXT {
            fields.entry(key).or_insert_with(|| short(value));
        }
    }
    Ok(fields)
}

fn short(value: &Value) -> Value {
    match value {
        Value::String(text) => cut(text, MAX_VALUE).into(),
        value => value.clone(),
    }
}

fn write_logfmt(fields: &Map<String, Value>, line: &mut Vec<u8>) -> io::Result<()> {
    for (number, (key, value)) in fields.iter().enumerate() {
        let space = if number == 0 { "" } else { " " };
        write!(line, "{space}{key}=")?;
        match value {
            Value::String(text) if is_bare(text) => line.write_all(text.as_bytes())?,
            value => value.serialize(&mut harmless_json(&mut *line))?,
        }
    }
    Ok(())
}

/// Whether logfmt needs no quotes around it.
fn is_bare(text: &str) -> bool {
    let needs_quotes =
        |letter: char| letter.is_whitespace() || is_unsafe(letter) || "\"=\\".contains(letter);
    !text.is_empty() && !text.contains(needs_quotes)
}
