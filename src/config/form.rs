//! How the values of keys are written: read from the text in the file, and described for the schema. An error says what would be right. It
//! never repeats the value, which may be a key or a password in the wrong place.
//!
//! A field names its form with `#[serde(with = "…")]`. Serde reads the field with it, and schemars describes the field with it.

use std::marker::PhantomData;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::Value as Json;

/// One second in the milliseconds that [`DurationFrom`] has.
pub(super) const SECOND: u64 = 1_000;
/// One minute in the milliseconds that [`DurationFrom`] has.
pub(super) const MINUTE: u64 = 60 * SECOND;

/// The longest duration of any key: long enough for "never", short enough to be added to any point in time.
const LONGEST: Duration = Duration::from_hours(10 * 366 * 24);

/// A form of a value that is written as a single scalar, which `#[serde(with = "…")]` names. [`scalar`] implements it.
pub(super) trait Form {
    type Value;

    /// Reads the value; the error is a sentence that says what would be right.
    fn read(text: &str) -> Result<Self::Value, String>;

    /// The value in JSON, if it can be a default.
    fn json(_value: &Self::Value) -> Json {
        Json::Null
    }

    /// Reads the value of a field, which may also be an `Option`.
    fn deserialize<'de, D, T>(deserializer: D) -> Result<T, D::Error>
    where
        D: Deserializer<'de>,
        T: From<Self::Value>,
    {
        let text = String::deserialize(deserializer)?;
        Self::read(&text).map(T::from).map_err(D::Error::custom)
    }

    /// Writes the default of a field, which may also be an `Option`, for the schema; an error if it has none.
    fn serialize<'v, T, S>(field: &'v T, serializer: S) -> Result<S::Ok, S::Error>
    where
        Option<&'v Self::Value>: From<&'v T>,
        Self::Value: 'v,
        S: Serializer,
    {
        match Option::from(field).map(Self::json) {
            None | Some(Json::Null) => Err(S::Error::custom("there is no default")),
            Some(json) => json.serialize(serializer),
        }
    }
}

/// Implements [`Form`], and describes it in the schema, where `title` completes "the value is …".
macro_rules! scalar {
    (
        $form:ty as $value:ty $(where [$($generics:tt)*])?,
        read: $read:expr,
        $(json: $json:expr,)?
        schema: $schema:tt
    ) => {
        impl$(<$($generics)*>)? $crate::config::form::Form for $form {
            type Value = $value;

            fn read(text: &str) -> Result<$value, String> {
                let read: fn(&str) -> Result<$value, String> = $read;
                read(text)
            }

            $(fn json(value: &$value) -> serde_json::Value {
                let json: fn(&$value) -> _ = $json;
                serde_json::Value::from(json(value))
            })?
        }

        impl$(<$($generics)*>)? schemars::JsonSchema for $form {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($form).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!($schema)
            }
        }
    };
}
pub(super) use scalar;

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

/// Refuses text without any visible character.
pub(super) fn not_blank(text: &str) -> Result<&str, String> {
    match text.trim() {
        "" => Err("expected a text that is not empty".to_owned()),
        _ => Ok(text),
    }
}

/// A list of values that have a form.
pub(super) struct List<F>(PhantomData<F>);

struct Element<F: Form>(F::Value);

impl<'de, F: Form> Deserialize<'de> for Element<F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        F::deserialize(deserializer).map(Self)
    }
}

impl<F: Form> List<F> {
    pub fn deserialize<'de, D>(deserializer: D) -> Result<Vec<F::Value>, D::Error>
    where
        D: Deserializer<'de>,
    {
        let elements = Vec::<Element<F>>::deserialize(deserializer)?;
        Ok(elements.into_iter().map(|element| element.0).collect())
    }

    pub fn serialize<S: Serializer>(values: &[F::Value], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(F::json))
    }
}

impl<F: JsonSchema> JsonSchema for List<F> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
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
}

scalar! {
    DurationFrom<MIN> as Duration where [const MIN: u64],
    read: Self::parse,
    json: |duration| short(*duration),
    schema: { "title": Self::expected(), "type": "string", "pattern": r"^\s*[0-9]" }
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
}

scalar! {
    Whole<T, MIN, MAX> as T where [T: FromStr + ToString, const MIN: u64, const MAX: u64],
    read: Self::parse,
    json: |number| number.to_string().parse::<u64>().ok(),
    schema: {
        "title": format!("a whole number from {MIN} to {MAX}"),
        "type": "integer",
        "minimum": MIN,
        "maximum": MAX,
    }
}

/// The path of a file that the program reads. It is never shown.
pub(super) struct FilePath;

impl FilePath {
    /// A value that is not the path of a file on this machine is refused early: it may be a secret.
    pub fn parse(text: &str) -> Result<PathBuf, String> {
        as_written(text)?;
        let path = ShownPath::parse(text).ok();
        path.filter(|path| text.contains('/') || path.exists())
            .ok_or_else(|| {
                "expected the path of a file: with a /, or of one that exists".to_owned()
            })
    }
}

scalar! {
    FilePath as PathBuf,
    read: FilePath::parse,
    schema: { "title": "a path", "type": "string", "minLength": 1, "writeOnly": true }
}

/// A path that is shown: of the state folder, where people look for its files, and of the kill switch, which they create. Neither is
/// expected to hold a secret, as the file of a key or of a database's address is; an address is refused.
pub(super) struct ShownPath;

impl ShownPath {
    pub fn parse(text: &str) -> Result<PathBuf, String> {
        as_written(text)?;
        if text.is_empty() || text.contains('\0') || text.contains("://") {
            return Err("expected a path, such as /var/lib/kb-exporter".to_owned());
        }
        Ok(PathBuf::from(text))
    }
}

/// Refuses the path of a file that only a shell would find.
fn as_written(path: &str) -> Result<(), String> {
    if path.starts_with(['~', '$']) {
        return Err("~ and variables are not replaced here: write the whole path".to_owned());
    }
    Ok(())
}

scalar! {
    ShownPath as PathBuf,
    read: ShownPath::parse,
    json: |path| path.display().to_string(),
    schema: { "title": "a path", "type": "string", "minLength": 1 }
}

/// Text that is not empty.
pub(super) struct Word;

scalar! {
    Word as String,
    read: |text| not_blank(text).map(str::to_owned),
    schema: { "title": "a text", "type": "string", "minLength": 1 }
}

/// Reads a section; one without any key, as when all are commented out, has its defaults.
pub(crate) fn section<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Default + Deserialize<'de>,
    D: Deserializer<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}
