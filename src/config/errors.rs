//! How reasons are grouped into classes.

use std::borrow::Cow;
use std::fmt::Display;
use std::marker::PhantomData;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::classify::{Class, Classifier, Mask, MaskName, Pattern, Rule, RuleError};
use crate::config::value::{Whole, not_blank, parsed};

/// Maximum number of masks: each costs time for every reason.
const MAX_MASKS: usize = 50;

/// How reasons are grouped into classes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Errors {
    /// Maximum number of error classes per portal; files of all others are counted as `other`
    #[serde(with = "Whole::<usize, 1, 10_000>")]
    pub max_classes: usize,
    /// Maximum number of error classes per folder
    #[serde(with = "Whole::<usize, 1, 10_000>")]
    pub max_classes_per_folder: usize,
    /// Masks of the operator, applied in order, before the built-in ones
    #[serde(deserialize_with = "masks")]
    #[schemars(with = "Vec<MaskKeys>", length(max = MAX_MASKS))]
    pub masks: Vec<Mask>,
    /// Rules of the operator, applied in order, before all masks
    #[schemars(with = "Vec<RuleKeys>")]
    pub rules: Vec<Rule>,
}

impl Errors {
    /// What finds the class of a reason.
    pub fn classifier(&self) -> Classifier {
        Classifier::new(self.rules.clone(), self.masks.clone())
    }
}

impl Default for Errors {
    fn default() -> Self {
        Self {
            max_classes: 50,
            max_classes_per_folder: 20,
            rules: Vec::new(),
            masks: Vec::new(),
        }
    }
}

/// A mask as it is written.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, remote = "Mask")]
struct MaskKeys {
    /// The name of a mask, such as `tenant`: `<tenant>` replaces its matches
    #[serde(with = "Parsed::<MaskName>")]
    #[schemars(title = "a name", example = &"tenant")]
    name: MaskName,
    /// The text to replace
    #[serde(rename = "match", with = "Parsed::<Pattern>")]
    #[schemars(title = "a regular expression", example = &"tenant-[a-z]+")]
    pattern: Pattern,
}

impl Serialize for Mask {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        MaskKeys::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Mask {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        MaskKeys::deserialize(deserializer)
    }
}

/// A rule as it is written.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, remote = "Rule")]
struct RuleKeys {
    /// The reasons that have the class
    #[serde(rename = "match", with = "Parsed::<Pattern>")]
    #[schemars(title = "a regular expression", example = &"(?i)timed? ?out")]
    pattern: Pattern,
    /// The class of the reasons that match
    #[serde(with = "Parsed::<Class>")]
    #[schemars(title = "a class", example = &"timeout")]
    class: Class,
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RuleKeys::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RuleKeys::deserialize(deserializer)
    }
}

fn masks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Mask>, D::Error> {
    let masks = Vec::deserialize(deserializer)?;
    if masks.len() > MAX_MASKS {
        return Err(D::Error::custom(format!(
            "at most {MAX_MASKS} masks are possible"
        )));
    }
    Ok(masks)
}

/// The text of a type of the classifier.
struct Parsed<T>(PhantomData<T>);

impl<T: FromStr<Err = RuleError> + Display> Parsed<T> {
    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        parsed(deserializer, |text| {
            let read = not_blank(text)?.parse::<T>();
            read.map_err(|error| format!("expected {error}"))
        })
    }

    fn serialize<S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }
}

impl<T> JsonSchema for Parsed<T> {
    fn schema_name() -> Cow<'static, str> {
        "Parsed".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": 1 })
    }
}
