//! How values are written that are not of this program. An error says what would be right. It never repeats the value, which may be a key
//! or a password in the wrong place.
//!
//! A field of a type of another crate names its form with `#[serde(with = "…")]`. A type of this program has `parse` and `Display`, and
//! [`written_as_text`] for the conversions that serde uses.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;
use std::time::Duration;

use chrono_tz::Tz;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One second in the milliseconds that [`Span`] has.
pub(super) const SECOND: u64 = 1_000;
/// One minute in the milliseconds that [`Span`] has.
pub(super) const MINUTE: u64 = 60 * SECOND;

/// The longest duration of any key: long enough for "never", short enough to be added to any point in time.
const LONGEST: Duration = Duration::from_hours(10 * 366 * 24);

/// Implements the conversion from text for types with `parse`.
macro_rules! read_from_text {
    ($($type:ty),*) => {$(
        impl TryFrom<String> for $type {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                Self::parse(&text)
            }
        }
    )*};
}
pub(super) use read_from_text;

/// Implements the conversions from and to text for types with `parse` and `Display`.
macro_rules! written_as_text {
    ($($type:ty),*) => {$(
        $crate::config::value::read_from_text!($type);

        impl From<$type> for String {
            fn from(value: $type) -> Self {
                value.to_string()
            }
        }
    )*};
}
pub(super) use written_as_text;

/// Reads a text as the value of a field, which may also be an `Option`. The error of `parse` is a sentence.
pub(super) fn parsed<'de, D, T, F>(
    deserializer: D,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<F, D::Error>
where
    D: Deserializer<'de>,
    F: From<T>,
{
    let text = String::deserialize(deserializer)?;
    parse(&text).map(F::from).map_err(D::Error::custom)
}

/// A duration of at least `MIN` milliseconds, such as `90s` or `1h 30m`.
pub(super) struct Span<const MIN: u64>;

impl<const MIN: u64> Span<MIN> {
    const SHORTEST: Duration = Duration::from_millis(MIN);

    fn parse(text: &str) -> Result<Duration, String> {
        let duration = humantime::parse_duration(text).ok();
        if duration.is_some_and(|duration| duration > LONGEST) {
            let days = LONGEST.as_secs() / (24 * 3600);
            return Err(format!("expected a duration of {days} days at most"));
        }
        let examples = match MIN {
            0 => " such as 10s or 1m",
            _ => ", such as 10m or 1h",
        };
        duration
            .filter(|duration| *duration >= Self::SHORTEST)
            .ok_or_else(|| format!("expected {}{examples}{}", Self::expected(), unit(text)))
    }

    fn expected() -> String {
        if MIN == 0 {
            return "a duration".to_owned();
        }
        let shortest = humantime::format_duration(Self::SHORTEST);
        format!("a duration of {shortest} or more")
    }

    /// Reads a field, which may also be an `Option`.
    pub fn deserialize<'de, D, T>(deserializer: D) -> Result<T, D::Error>
    where
        D: Deserializer<'de>,
        T: From<Duration>,
    {
        parsed(deserializer, Self::parse)
    }

    pub fn serialize<S: Serializer>(value: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&short(*value))
    }
}

impl<const MIN: u64> JsonSchema for Span<MIN> {
    fn schema_name() -> Cow<'static, str> {
        format!("Span_{MIN}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "title": Self::expected(), "type": "string", "pattern": r"^\s*[0-9]" })
    }
}

/// What a duration lacks that is a number alone: the end of a sentence.
pub(super) fn unit(text: &str) -> &'static str {
    match text.trim().parse::<f64>() {
        Ok(number) if number != 0.0 => "; a number needs its unit: s, m, h or d",
        _ => "",
    }
}

/// A duration as people write it in a file: in the largest unit that divides it, up to hours.
pub(super) fn short(duration: Duration) -> String {
    match duration.as_secs() {
        _ if duration.subsec_nanos() > 0 => humantime::format_duration(duration).to_string(),
        seconds if seconds % 3600 == 0 => format!("{}h", seconds / 3600),
        seconds if seconds % 60 == 0 => format!("{}m", seconds / 60),
        seconds => format!("{seconds}s"),
    }
}

/// A whole number from `MIN` to `MAX`.
pub(super) struct Whole<T, const MIN: u64, const MAX: u64>(PhantomData<T>);

impl<T: FromStr, const MIN: u64, const MAX: u64> Whole<T, MIN, MAX> {
    fn parse(text: &str) -> Result<T, String> {
        let number = text.parse().ok();
        number
            .filter(|number| (MIN..=MAX).contains(number))
            .and_then(|_| text.parse().ok())
            .ok_or_else(|| format!("expected a whole number from {MIN} to {MAX}"))
    }

    /// Reads a field, which may also be an `Option`.
    pub fn deserialize<'de, D, U>(deserializer: D) -> Result<U, D::Error>
    where
        D: Deserializer<'de>,
        U: From<T>,
    {
        parsed(deserializer, Self::parse)
    }

    pub fn serialize<S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error>
    where
        T: Serialize,
    {
        value.serialize(serializer)
    }
}

impl<T, const MIN: u64, const MAX: u64> JsonSchema for Whole<T, MIN, MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("Whole_{MIN}_{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let title = format!("a whole number from {MIN} to {MAX}");
        json_schema!({ "title": title, "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}

/// The name of a time zone in the IANA database.
#[derive(JsonSchema)]
#[schemars(title = "a time zone such as UTC or Europe/Berlin", inline)]
pub(super) struct TimeZone(#[expect(dead_code, reason = "the schema is that of a text")] String);

impl TimeZone {
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Tz, D::Error> {
        let expected = "expected a time zone such as UTC or Europe/Berlin";
        parsed(deserializer, |text| {
            text.parse::<Tz>().map_err(|_| expected.to_owned())
        })
    }

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes a reference"
    )]
    pub fn serialize<S: Serializer>(zone: &Tz, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(zone.name())
    }
}

/// The value that has this word.
pub(super) fn word<T: Copy, const N: usize>(
    text: &str,
    values: [T; N],
    as_str: fn(T) -> &'static str,
) -> Result<T, String> {
    let mut found = values.into_iter();
    found.find(|value| as_str(*value) == text).ok_or_else(|| {
        let words = values.map(as_str).join(", ");
        let (first, last) = words.rsplit_once(", ").unwrap_or_default();
        format!("expected {first} or {last}")
    })
}

/// A text with a visible character.
#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(title = "a text", extend("minLength" = 1), inline)]
pub(super) struct Word(pub String);

impl Word {
    fn parse(text: &str) -> Result<Self, String> {
        not_blank(text).map(|text| Self(text.to_owned()))
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

written_as_text!(Word);

/// Refuses text without any visible character.
pub(super) fn not_blank(text: &str) -> Result<&str, String> {
    match text.trim() {
        "" => Err("expected a text that is not empty".to_owned()),
        _ => Ok(text),
    }
}

/// Reads a section; one without any key, as when all are commented out, has its defaults.
pub(crate) fn section<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Default + Deserialize<'de>,
    D: Deserializer<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}
