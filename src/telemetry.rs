//! The log: one line on standard error for each event, whatever the event holds (docs/operations.md, Logs).
//!
//! Lines are logfmt or JSON with the same keys: `time`, `level`, `target`, `msg`, then the event's fields and those of the spans
//! around it. They are our own, because the usual formats let control and direction characters through.

mod fields;
mod layer;
mod lines;
mod panics;

use clap::ValueEnum;
use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};

pub use panics::log_panics;

/// How much is logged (docs/configuration.md, `--log.level`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Level {
    /// What somebody must act on.
    Error,
    /// What does not work as it should, and is coped with.
    Warn,
    /// What a person who runs this wants to know.
    #[default]
    Info,
    /// What helps to find a fault.
    Debug,
    /// Everything, and what libraries say at `debug`.
    Trace,
}

/// How a line is written (docs/configuration.md, `--log.format`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// `key=value`, with values quoted as JSON strings where they must be.
    #[default]
    Logfmt,
    /// One object.
    Json,
}

/// Starts to log to standard error. Fails when a log was started before.
pub fn init(level: Level, format: Format) -> Result<(), TryInitError> {
    subscriber(level, format, std::io::stderr).try_init()
}

fn subscriber<W>(level: Level, format: Format, writer: W) -> impl Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let lines = layer::Lines::new(format, writer);
    tracing_subscriber::registry().with(lines.with_filter(filter(level)))
}

/// This crate's events at the level; those of libraries, which log each step, only when something is wrong.
fn filter(level: Level) -> Targets {
    let (own, libraries) = match level {
        Level::Error => (LevelFilter::ERROR, LevelFilter::ERROR),
        Level::Warn => (LevelFilter::WARN, LevelFilter::WARN),
        Level::Info => (LevelFilter::INFO, LevelFilter::WARN),
        Level::Debug => (LevelFilter::DEBUG, LevelFilter::WARN),
        Level::Trace => (LevelFilter::TRACE, LevelFilter::DEBUG),
    };
    Targets::new()
        .with_default(libraries)
        .with_target(env!("CARGO_CRATE_NAME"), own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::sync::{Arc, Mutex};

    use proptest::prelude::*;
    use serde_json::Value;

    use crate::text::is_unsafe;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// What is written while `work` is done.
    pub(super) fn logged(level: Level, format: Format, work: impl FnOnce()) -> String {
        let written = Written::default();
        let writer = written.clone();
        let subscriber = subscriber(level, format, move || writer.clone());
        tracing::subscriber::with_default(subscriber, work);
        String::from_utf8(written.0.lock().unwrap().clone()).unwrap()
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
    fn a_line_of_logfmt_shows_the_event_and_its_spans() {
        let lines = logged(Level::Info, Format::Logfmt, || {
            let _outer = tracing::info_span!("portal", portal = "main", folder = "none").entered();
            let inner =
                tracing::info_span!("folder", folder = "In box", files = tracing::field::Empty);
            inner.record("files", 7);
            let _inner = inner.entered();
            tracing::warn!(target: "kb_exporter::x", status = 503, level = true, "no answer");
        });
        let (time, rest) = lines.split_once(' ').unwrap();
        let time = time.strip_prefix("time=").unwrap();
        assert_eq!(time.len(), "2026-01-01T00:00:00.000Z".len());
        assert!(chrono::DateTime::parse_from_rfc3339(time).is_ok() && time.ends_with('Z'));
        assert_eq!(
            rest,
            "level=warn target=kb_exporter::x msg=\"no answer\" status=503 field_level=true folder=\"In box\" files=7 portal=main\n"
        );
    }

    #[test]
    fn a_line_of_json_has_the_same_keys_and_typed_values() {
        let lines = logged(Level::Info, Format::Json, || {
            let _span = tracing::info_span!("portal", portal = "main").entered();
            tracing::info!(target: "kb_exporter::x", up = true, ratio = 0.5, none = f64::NAN, "read");
        });
        let (time, rest) = lines.split_once(',').unwrap();
        assert!(time.starts_with("{\"time\":\"2"));
        assert_eq!(
            rest,
            "\"level\":\"info\",\"target\":\"kb_exporter::x\",\"msg\":\"read\",\"up\":true,\"ratio\":0.5,\"none\":\"NaN\",\"portal\":\"main\"}\n"
        );
    }

    #[test]
    fn an_error_is_shown_with_its_causes() {
        let cause = io::Error::other("no such file");
        let error = anyhow::Error::new(cause).context("cannot read the key");
        let error: &(dyn std::error::Error + 'static) = error.as_ref();
        let line = logged(Level::Info, Format::Logfmt, || {
            tracing::error!(error, "failed");
        });
        assert!(
            line.ends_with("error=\"cannot read the key: no such file\"\n"),
            "{line}"
        );
    }

    #[test]
    fn libraries_are_quieter_than_this_crate() {
        use tracing::Level as At;
        for (level, own, libraries) in [
            (Level::Error, At::ERROR, At::ERROR),
            (Level::Warn, At::WARN, At::WARN),
            (Level::Info, At::INFO, At::WARN),
            (Level::Debug, At::DEBUG, At::WARN),
            (Level::Trace, At::TRACE, At::DEBUG),
        ] {
            for at in [At::ERROR, At::WARN, At::INFO, At::DEBUG, At::TRACE] {
                let filter = filter(level);
                assert_eq!(
                    filter.would_enable("kb_exporter::collect", &at),
                    at <= own,
                    "{level:?} {at}"
                );
                assert_eq!(
                    filter.would_enable("hyper::proto", &at),
                    at <= libraries,
                    "{level:?} {at}"
                );
            }
        }
    }

    #[test]
    fn a_closed_standard_error_harms_nothing() {
        struct Closed;
        impl io::Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
        }
        let subscriber = subscriber(Level::Info, Format::Logfmt, || Closed);
        tracing::subscriber::with_default(subscriber, || tracing::error!("nobody reads this"));
    }

    /// Texts with more of what breaks lines than chance would bring.
    fn hostile() -> impl Strategy<Value = String> {
        let nasty = prop::sample::select(vec![
            '\n',
            '\r',
            '"',
            '\\',
            '=',
            ' ',
            '\u{1b}',
            '\u{202e}',
            '\u{2028}',
            '\u{7f}',
            '\u{85}',
            '\u{e0041}',
        ]);
        let character = prop_oneof![nasty, any::<char>()];
        prop::collection::vec(character, 0..40).prop_map(String::from_iter)
    }

    proptest! {
        #[test]
        fn one_event_is_one_line_that_reads_back(message in hostile(), value in hostile()) {
            for format in [Format::Logfmt, Format::Json] {
                let written = logged(Level::Info, format, || {
                    let _span = tracing::info_span!("span", inherited = %value).entered();
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
                for (key, expected) in [("msg", &message), ("shown", &value), ("given", &value), ("inherited", &value)] {
                    let found = pairs.iter().find(|pair| pair.0 == key);
                    prop_assert_eq!(found.map(|pair| &pair.1), Some(expected), "{}", key);
                }
            }
        }
    }

    #[test]
    fn values_are_cut() {
        let long = "é".repeat(1_000_000);
        let line = logged(Level::Info, Format::Logfmt, || {
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
}
