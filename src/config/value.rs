//! How values are written that are not of this program. An error says what would be right. It never repeats the value, which may be a key
//! or a password in the wrong place.
//!
//! A field of a type of another crate names its form with `#[serde(with = "…")]`. A type of this program has `parse`, and
//! [`read_from_text`] for the conversion that serde uses.

use std::borrow::Cow;
use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::str::FromStr;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One second in the milliseconds that [`Span`] has.
pub(super) const SECOND: u64 = 1_000;
/// One minute in the milliseconds that [`Span`] has.
pub(super) const MINUTE: u64 = 60 * SECOND;

/// The longest duration of any key: long enough for "never", short enough to be added to any point in time.
const LONGEST: Duration = Duration::from_hours(10 * 366 * 24);

/// Implements the conversion from text for types with `parse`, whose error is a sentence.
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

/// Reads a text as the value of a field, which may also be an `Option`. The error of `parse` is a sentence.
fn parsed<'de, D, T, F>(
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
    fn parse(text: &str) -> Result<Duration, String> {
        let duration = humantime::parse_duration(text).ok();
        let range = Duration::from_millis(MIN)..=LONGEST;
        let duration = duration.filter(|duration| range.contains(duration));
        duration.ok_or_else(|| {
            let expected = Self::expected();
            format!(
                "expected {expected}, such as 10m, and at most ten years{}",
                unit(text)
            )
        })
    }

    fn expected() -> String {
        match MIN {
            0 => "a duration".to_owned(),
            _ => format!(
                "a duration of {} or more",
                short(Duration::from_millis(MIN))
            ),
        }
    }

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

impl<T: FromStr + Serialize, const MIN: u64, const MAX: u64> Whole<T, MIN, MAX> {
    pub fn deserialize<'de, D, U>(deserializer: D) -> Result<U, D::Error>
    where
        D: Deserializer<'de>,
        U: From<T>,
    {
        parsed(deserializer, |text| {
            let number = text.parse().ok();
            let number = number.filter(|number| (MIN..=MAX).contains(number));
            let number = number.and_then(|_| text.parse().ok());
            number.ok_or_else(|| format!("expected a whole number from {MIN} to {MAX}"))
        })
    }

    pub fn serialize<S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
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

/// A text that a type of another module reads. Its error is what is expected.
pub(super) struct Text<T>(PhantomData<T>);

impl<T: FromStr<Err: Display> + Display> Text<T> {
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        parsed(deserializer, |text| match text.trim() {
            "" => Err("expected a text that is not empty".to_owned()),
            _ => text.parse().map_err(|error| format!("expected {error}")),
        })
    }

    pub fn serialize<S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }
}

impl<T> JsonSchema for Text<T> {
    fn schema_name() -> Cow<'static, str> {
        "Text".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": 1 })
    }
}

/// A value that is never shown, since it may be a secret that was written in the wrong place.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct NotShown<T>(pub T);

impl<T> fmt::Debug for NotShown<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[not shown]")
    }
}

impl<T> Serialize for NotShown<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{self:?}"))
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
