//! How the values of keys are written: read from the text in the file, so that an error can repeat it, and described for the
//! schema.
//!
//! A field names its form with `#[serde(with = "…")]`. Serde reads the field with it, and schemars describes the field with it.

use std::borrow::Cow;
use std::fmt::Display;
use std::marker::PhantomData;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::Value as Json;

use crate::config::redact::redact;
use crate::text;

/// How much of a value an error repeats, in characters.
const QUOTED_CHARACTERS: usize = 60;

/// One second in the milliseconds that [`DurationFrom`] has.
pub(super) const SECOND: u64 = 1_000;
/// One minute in the milliseconds that [`DurationFrom`] has.
pub(super) const MINUTE: u64 = 60 * SECOND;

/// The longest duration of any key: long enough for "never", short enough to be added to any point in time.
const LONGEST: Duration = Duration::from_hours(10 * 366 * 24);

/// A value that is written as a single scalar.
pub(super) trait Scalar {
    type Value;

    /// Reads the value; the error is a sentence that says what would be right.
    fn read(text: &str) -> Result<Self::Value, String>;

    /// The value in JSON, where it can be a default.
    fn json(_value: &Self::Value) -> Json {
        Json::Null
    }
}

/// A form that `#[serde(with = "…")]` names: any [`Scalar`], or a [`List`] of them.
pub(super) trait Form {
    type Value;

    fn read_from<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self::Value, D::Error>;
    fn to_json(value: &Self::Value) -> Json;

    /// Reads the value of a field, which may also be an `Option`.
    fn deserialize<'de, D, T>(deserializer: D) -> Result<T, D::Error>
    where
        D: Deserializer<'de>,
        T: From<Self::Value>,
    {
        Self::read_from(deserializer).map(T::from)
    }

    /// Writes the default of a field for the schema; an error where it has none.
    fn serialize<T, S>(field: &T, serializer: S) -> Result<S::Ok, S::Error>
    where
        T: Field<Self::Value>,
        S: Serializer,
    {
        match field.value().map(Self::to_json) {
            None | Some(Json::Null) => Err(S::Error::custom("there is no default")),
            Some(json) => json.serialize(serializer),
        }
    }
}

/// A field that holds a value, or may hold one.
pub(super) trait Field<V> {
    fn value(&self) -> Option<&V>;
}

impl<V> Field<V> for V {
    fn value(&self) -> Option<&V> {
        Some(self)
    }
}

impl<V> Field<V> for Option<V> {
    fn value(&self) -> Option<&V> {
        self.as_ref()
    }
}

impl<F: Scalar> Form for F {
    type Value = F::Value;

    fn read_from<'de, D: Deserializer<'de>>(deserializer: D) -> Result<F::Value, D::Error> {
        let text = String::deserialize(deserializer)?;
        F::read(&text).map_err(D::Error::custom)
    }

    fn to_json(value: &F::Value) -> Json {
        F::json(value)
    }
}

/// Describes a form in the schema. `title` completes "the value is …".
macro_rules! describe {
    ($form:ty, $schema:tt) => {
        impl schemars::JsonSchema for $form {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($form).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!($schema)
            }
        }
    };
}
pub(super) use describe;

/// A sentence that repeats a value and says what it should have been.
pub(super) fn not(text: &str, expected: impl Display) -> String {
    format!("{} is not {expected}", quoted(text))
}

/// The same where there are two ways to be right: `expected` is `… nor …`.
pub(super) fn neither(text: &str, expected: impl Display) -> String {
    format!("{} is neither {expected}", quoted(text))
}

fn quoted(text: &str) -> String {
    // Redacted first: after the cut, a key might no longer look like one.
    format!("\"{}\"", text::cut(&redact(text), QUOTED_CHARACTERS))
}

/// A list of values that have a form.
pub(super) struct List<F>(PhantomData<F>);

struct Element<F: Scalar>(F::Value);

impl<'de, F: Scalar> Deserialize<'de> for Element<F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        F::read_from(deserializer).map(Self)
    }
}

impl<F: Scalar> Form for List<F> {
    type Value = Vec<F::Value>;

    fn read_from<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self::Value, D::Error> {
        let elements = Vec::<Element<F>>::deserialize(deserializer)?;
        Ok(elements.into_iter().map(|element| element.0).collect())
    }

    fn to_json(values: &Self::Value) -> Json {
        values.iter().map(F::json).collect()
    }
}

impl<F: JsonSchema> JsonSchema for List<F> {
    fn schema_name() -> Cow<'static, str> {
        format!("List_{}", F::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<F>::json_schema(generator)
    }
}

/// A duration of at least `MIN` milliseconds.
pub(super) struct DurationFrom<const MIN: u64>;

impl<const MIN: u64> DurationFrom<MIN> {
    const SHORTEST: Duration = Duration::from_millis(MIN);

    fn expected() -> String {
        if Self::SHORTEST.is_zero() {
            return "a duration".to_owned();
        }
        let shortest = humantime::format_duration(Self::SHORTEST);
        format!("a duration of {shortest} or more")
    }
}

impl<const MIN: u64> Scalar for DurationFrom<MIN> {
    type Value = Duration;

    fn read(text: &str) -> Result<Duration, String> {
        humantime::parse_duration(text)
            .ok()
            .filter(|duration| (Self::SHORTEST..=LONGEST).contains(duration))
            .ok_or_else(|| {
                let examples = if MIN == 0 {
                    " such as 10s or 1m"
                } else {
                    ", such as 10m or 1h"
                };
                not(text, format_args!("{}{examples}", Self::expected()))
            })
    }

    fn json(duration: &Duration) -> Json {
        short(*duration).into()
    }
}

/// A duration as people write it in a file: in the largest unit that divides it, up to hours.
pub(super) fn short(duration: Duration) -> String {
    match duration.as_secs() {
        seconds if seconds % 3600 == 0 => format!("{}h", seconds / 3600),
        seconds if seconds % 60 == 0 => format!("{}m", seconds / 60),
        seconds => format!("{seconds}s"),
    }
}

impl<const MIN: u64> JsonSchema for DurationFrom<MIN> {
    fn schema_name() -> Cow<'static, str> {
        format!("DurationFrom{MIN}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "title": Self::expected(), "type": "string", "pattern": r"^\s*[0-9]" })
    }
}

/// A whole number from `MIN` to `MAX`.
pub(super) struct Whole<T, const MIN: u64, const MAX: u64>(PhantomData<T>);

impl<T, const MIN: u64, const MAX: u64> Scalar for Whole<T, MIN, MAX>
where
    T: FromStr + ToString,
{
    type Value = T;

    fn read(text: &str) -> Result<T, String> {
        text.parse::<u64>()
            .ok()
            .filter(|number| (MIN..=MAX).contains(number))
            .and_then(|_| text.parse().ok())
            .ok_or_else(|| not(text, format_args!("a whole number from {MIN} to {MAX}")))
    }

    fn json(number: &T) -> Json {
        number
            .to_string()
            .parse::<u64>()
            .map_or(Json::Null, Json::from)
    }
}

impl<T, const MIN: u64, const MAX: u64> JsonSchema for Whole<T, MIN, MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("WholeFrom{MIN}To{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let title = format!("a whole number from {MIN} to {MAX}");
        json_schema!({ "title": title, "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}

/// The path of a file or folder; not empty.
pub(super) struct FilePath;

impl Scalar for FilePath {
    type Value = PathBuf;

    fn read(text: &str) -> Result<PathBuf, String> {
        if text.is_empty() || text.contains('\0') {
            return Err("a path is expected, such as /run/secrets/kb-key".to_owned());
        }
        Ok(PathBuf::from(text))
    }

    fn json(path: &PathBuf) -> Json {
        path.display().to_string().into()
    }
}

describe!(FilePath, { "title": "a path", "type": "string", "minLength": 1 });

/// Text that is not empty.
pub(super) struct Word;

impl Scalar for Word {
    type Value = String;

    fn read(text: &str) -> Result<String, String> {
        match text.trim() {
            "" => Err("a text is expected that is not empty".to_owned()),
            _ => Ok(text.to_owned()),
        }
    }
}

describe!(Word, { "title": "a text", "type": "string", "minLength": 1 });

/// True or false.
pub(super) struct Flag;

impl Scalar for Flag {
    type Value = bool;

    fn read(text: &str) -> Result<bool, String> {
        let lower = text.to_ascii_lowercase();
        lower.parse().map_err(|_| neither(text, "true nor false"))
    }

    fn json(flag: &bool) -> Json {
        (*flag).into()
    }
}

describe!(Flag, { "type": "boolean" });

/// Reads a section; one without any key, as when all are commented out, has its defaults.
pub(super) fn section<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Default + Deserialize<'de>,
    D: Deserializer<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}
