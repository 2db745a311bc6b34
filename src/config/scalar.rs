//! Reading single values: text, numbers, durations. Each is read from the text that stands in the file, so that an error can
//! say it back.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use serde::de::{Deserialize, Deserializer, Error as _};

use crate::config::redact::redact;
use crate::text;

/// How much of a value an error repeats, in characters.
const QUOTED_CHARACTERS: usize = 60;

/// One second in the milliseconds that [`Lasting`] takes.
pub(super) const SECOND: u64 = 1_000;
/// One minute in the milliseconds that [`Lasting`] takes.
pub(super) const MINUTE: u64 = 60 * SECOND;

/// The longest duration of any key: long enough for "never", short enough to be added to any point in time.
const LONGEST: Duration = Duration::from_hours(10 * 366 * 24);

/// Reads a scalar's text and turns it into a value, or into a sentence that says what would be right.
pub(super) fn parse<'de, D, T>(
    deserializer: D,
    read: impl FnOnce(&str) -> Result<T, String>,
) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
{
    let text = String::deserialize(deserializer)?;
    read(&text).map_err(D::Error::custom)
}

/// A sentence that says a value back and what it should have been.
pub(super) fn not(text: &str, expected: impl Display) -> String {
    format!("{} is not {expected}", quoted(text))
}

/// The same where there are two ways to be right: `expected` is `… nor …`.
pub(super) fn neither(text: &str, expected: impl Display) -> String {
    format!("{} is neither {expected}", quoted(text))
}

fn quoted(text: &str) -> String {
    // What is cut may no longer look like the key that it was.
    format!("\"{}\"", text::cut(&redact(text), QUOTED_CHARACTERS))
}

/// A duration of at least `MIN` milliseconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lasting<const MIN: u64>(pub(super) Duration);

impl<'de, const MIN: u64> Deserialize<'de> for Lasting<MIN> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let shortest = Duration::from_millis(MIN);
        parse(deserializer, |text| {
            humantime::parse_duration(text)
                .ok()
                .filter(|duration| (shortest..=LONGEST).contains(duration))
                .map(Self)
                .ok_or_else(|| not(text, duration_from(shortest)))
        })
    }
}

/// Reads a [`Lasting`] into a plain duration.
pub(super) fn duration<'de, const MIN: u64, D>(deserializer: D) -> Result<Duration, D::Error>
where
    D: Deserializer<'de>,
{
    Lasting::<MIN>::deserialize(deserializer).map(|lasting| lasting.0)
}

fn duration_from(shortest: Duration) -> String {
    if shortest.is_zero() {
        return "a duration such as 10s or 1m".to_owned();
    }
    let shortest = humantime::format_duration(shortest);
    format!("a duration of {shortest} or more, such as 10m or 1h")
}

/// A whole number from `MIN` to `MAX`.
pub(super) fn whole<'de, const MIN: u64, const MAX: u64, T, D>(
    deserializer: D,
) -> Result<T, D::Error>
where
    T: FromStr,
    D: Deserializer<'de>,
{
    parse(deserializer, |text| {
        text.parse::<u64>()
            .ok()
            .filter(|number| (MIN..=MAX).contains(number))
            .and_then(|_| text.parse().ok())
            .ok_or_else(|| not(text, format_args!("a whole number from {MIN} to {MAX}")))
    })
}

/// [`whole`], for a key without a default of its own.
pub(super) fn optional_whole<'de, const MIN: u64, const MAX: u64, T, D>(
    deserializer: D,
) -> Result<Option<T>, D::Error>
where
    T: FromStr,
    D: Deserializer<'de>,
{
    whole::<MIN, MAX, T, D>(deserializer).map(Some)
}

/// The path of a file or folder; not empty.
#[derive(Debug)]
pub(super) struct FilePath(pub(super) PathBuf);

impl<'de> Deserialize<'de> for FilePath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        parse(deserializer, file_path).map(Self)
    }
}

/// Reads a [`FilePath`] into a plain path, for a key without a default.
pub(super) fn optional_path<'de, D>(deserializer: D) -> Result<Option<PathBuf>, D::Error>
where
    D: Deserializer<'de>,
{
    FilePath::deserialize(deserializer).map(|path| Some(path.0))
}

/// Takes any path but an empty one.
pub(super) fn file_path(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() || text.contains('\0') {
        return Err("a path is expected, such as /run/secrets/kb-key".to_owned());
    }
    Ok(PathBuf::from(text))
}

/// Text that is not empty.
#[derive(Debug)]
struct Word(String);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        parse(deserializer, |text| match text.trim() {
            "" => Err("a text is expected that is not empty".to_owned()),
            _ => Ok(Self(text.to_owned())),
        })
    }
}

/// Reads a list of texts, none of them empty, for a key without a default of its own.
pub(super) fn optional_words<'de, D>(deserializer: D) -> Result<Option<Vec<String>>, D::Error>
where
    D: Deserializer<'de>,
{
    let words = Vec::<Word>::deserialize(deserializer)?;
    Ok(Some(words.into_iter().map(|word| word.0).collect()))
}

/// Reads true or false.
pub(super) fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    parse(deserializer, |text| {
        match text.to_ascii_lowercase().as_str() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(neither(text, "true nor false")),
        }
    })
}

/// Reads a section; one without any key, as when all are commented out, has its defaults.
pub(super) fn section<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Default + Deserialize<'de>,
    D: Deserializer<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}
