//! One line for each event: which keys it has, and how both formats write it. Fields are cut when they are recorded.

use std::fmt::Debug;
use std::io::{self, Write};
use std::sync::atomic::Ordering;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Serialize, Serializer as _};
use serde_json::Value;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

use super::Format;
use crate::clock::Moment;
use crate::text::{cut, harmless_json, is_unsafe};

/// The longest value, in characters; a longer one is cut.
const MAX_VALUE: usize = 2_000;

/// Back to the beginning of the line, and erase it (ECMA-48, 8.3.41).
const ERASE_LINE: &[u8] = b"\r\x1b[K";

/// The key of an event's text.
const MESSAGE: &str = "msg";

/// Keys and values, no key twice. Values are texts, numbers and truth values only.
#[derive(Debug, Default)]
struct Fields(Vec<(&'static str, Value)>);

impl Fields {
    /// Those of every line, and those of an event.
    fn of(event: &Event<'_>) -> Self {
        let metadata = event.metadata();
        let time = DateTime::<Utc>::from(Moment::now().wall);
        let time = time.to_rfc3339_opts(SecondsFormat::Millis, true);
        let level = metadata.level().as_str().to_ascii_lowercase();
        let mut fields = Self(vec![
            ("time", time.into()),
            ("level", level.into()),
            ("target", metadata.target().into()),
        ]);
        event.record(&mut fields);
        // The message comes first, wherever the event has it.
        fields.0[3..].sort_by_key(|(key, _)| *key != MESSAGE);
        fields
    }

    /// Adds a field. What is there already stays as it is.
    fn add(&mut self, key: &'static str, value: Value) {
        if self.0.iter().all(|own| own.0 != key) {
            self.0.push((key, value));
        }
    }

    fn write(&self, format: Format, out: &mut Vec<u8>) -> io::Result<()> {
        match format {
            Format::Logfmt => self.write_logfmt(out)?,
            Format::Json => {
                let fields = self.0.iter().map(|(key, value)| (key, value));
                harmless_json(&mut *out).collect_map(fields)?;
            }
        }
        out.write_all(b"\n")
    }

    fn write_logfmt(&self, out: &mut Vec<u8>) -> io::Result<()> {
        for (number, (key, value)) in self.0.iter().enumerate() {
            let space = if number == 0 { "" } else { " " };
            write!(out, "{space}{key}=")?;
            match value {
                Value::String(text) if is_bare(text) => out.write_all(text.as_bytes())?,
                value => value.serialize(&mut harmless_json(&mut *out))?,
            }
        }
        Ok(())
    }
}

impl Visit for Fields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(key(field), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(key(field), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(key(field), value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(key(field), value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(key(field), cut(value, MAX_VALUE).into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}

/// The text of an event is its message.
fn key(field: &Field) -> &'static str {
    match field.name() {
        "message" => MESSAGE,
        name => name.trim_start_matches("r#"),
    }
}

/// Writes each event as a line.
pub(super) struct Lines<W> {
    pub(super) format: Format,
    pub(super) writer: W,
}

impl<S, W> Layer<S> for Lines<W>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
    W: for<'w> MakeWriter<'w> + 'static,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut line = Fields::of(event);
        for span in context.event_scope(event).into_iter().flatten() {
            let extensions = span.extensions();
            let outer = extensions.get::<Fields>();
            for (key, value) in outer.into_iter().flat_map(|fields| &fields.0) {
                line.add(key, value.clone());
            }
        }
        let mut out = Vec::with_capacity(256);
        if super::CLEARS_LINE.load(Ordering::Relaxed) {
            out.extend(ERASE_LINE);
        }
        if line.write(self.format, &mut out).is_ok() {
            // In one piece, so that lines do not mix. An error of the log itself cannot be reported.
            let mut writer = self.writer.make_writer_for(event.metadata());
            let _ = writer.write_all(&out);
        }
    }
}

/// Whether logfmt needs no quotes around it.
fn is_bare(text: &str) -> bool {
    let needs_quotes =
        |letter: char| letter.is_whitespace() || is_unsafe(letter) || "\"=\\".contains(letter);
    !text.is_empty() && !text.contains(needs_quotes)
}
