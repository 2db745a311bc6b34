//! How reasons are grouped into classes.

use std::collections::HashSet;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::classify::{
    Classifier, Mask, MaskName, MaskPattern, Pattern, Rule, RuleClass, RuleError,
};
use crate::config::form::{self, Form as _, Scalar, Whole, describe};

/// The most masks: each costs time for every reason.
const MAX_MASKS: usize = 50;

/// How reasons are grouped into classes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Errors {
    /// Error classes per portal; what does not fit is the class `other`
    #[serde(with = "Whole::<usize, 1, 10_000>")]
    pub max_classes: usize,
    /// Error classes per folder
    #[serde(with = "Whole::<usize, 1, 10_000>")]
    pub max_classes_per_folder: usize,
    /// Masks of the operator, tried before the built-in ones and in their order
    #[serde(deserialize_with = "masks")]
    #[schemars(with = "Vec<MaskKeys>", length(max = MAX_MASKS))]
    pub masks: Vec<Mask>,
    /// Rules of the operator, tried first and in their order
    #[serde(deserialize_with = "list::<RuleKeys, _, _>")]
    #[schemars(with = "Vec<RuleKeys>")]
    pub rules: Vec<Rule>,
}

impl Errors {
    /// What finds the class of a reason.
    #[must_use]
    pub fn classifier(&self) -> Classifier {
        Classifier::new(self.rules.clone(), self.masks.clone())
    }

    /// Settings that are valid and probably not meant: rules that name more classes than there are labels.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let classes: HashSet<_> = self.rules.iter().map(|rule| rule.class.class()).collect();
        let limits = [
            ("max_classes", self.max_classes, "a portal"),
            (
                "max_classes_per_folder",
                self.max_classes_per_folder,
                "a folder",
            ),
        ];
        let exceeded = limits.iter().filter(|(_, limit, _)| classes.len() > *limit);
        let warning = |(key, limit, whole): &(&str, usize, &str)| {
            format!(
                "errors.rules name {} classes, more than errors.{key} ({limit}): {whole} that has files in {limit} or more of them \
                 shows all of these and no other class",
                classes.len()
            )
        };
        exceeded.map(warning).collect()
    }
}

impl Default for Errors {
    fn default() -> Self {
        Self {
            max_classes: 50,
            max_classes_per_folder: 10,
            rules: Vec::new(),
            masks: Vec::new(),
        }
    }
}

/// A mask as it is written.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MaskKeys {
    /// What a mask writes into classes, as `<tenant>`; masks are tried before the built-in ones, in order
    #[serde(with = "MaskName")]
    #[schemars(example = &"tenant")]
    name: MaskName,
    /// A regular expression for what is masked
    #[serde(rename = "match", with = "MaskPattern")]
    #[schemars(example = &"tenant-[a-z]+")]
    pattern: MaskPattern,
}

impl From<MaskKeys> for Mask {
    fn from(MaskKeys { name, pattern }: MaskKeys) -> Self {
        Self { name, pattern }
    }
}

/// A rule as it is written.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RuleKeys {
    /// A regular expression on the reason; rules are tried first, in order
    #[serde(rename = "match", with = "Pattern")]
    #[schemars(example = &"(?i)timed? ?out")]
    pattern: Pattern,
    /// The class of the reasons that match; while files have it, it has a label
    #[serde(with = "RuleClass")]
    #[schemars(example = &"timeout")]
    class: RuleClass,
}

impl From<RuleKeys> for Rule {
    fn from(RuleKeys { pattern, class }: RuleKeys) -> Self {
        Self { pattern, class }
    }
}

fn list<'de, K, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    K: Deserialize<'de> + Into<T>,
    D: Deserializer<'de>,
{
    let written = Vec::<K>::deserialize(deserializer)?;
    Ok(written.into_iter().map(K::into).collect())
}

fn masks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Mask>, D::Error> {
    let masks = list::<MaskKeys, _, _>(deserializer)?;
    if masks.len() > MAX_MASKS {
        return Err(D::Error::custom(format!(
            "at most {MAX_MASKS} masks are possible"
        )));
    }
    Ok(masks)
}

macro_rules! parsed {
    ($($type:ty: $title:literal),*) => {$(
        impl Scalar for $type {
            type Value = Self;

            fn read(text: &str) -> Result<Self, String> {
                read(text)
            }
        }

        describe!($type, { "title": $title, "type": "string", "minLength": 1 });
    )*};
}

parsed!(
    Pattern: "a regular expression",
    RuleClass: "a class",
    MaskName: "a name",
    MaskPattern: "a regular expression"
);

fn read<T: FromStr<Err = RuleError>>(text: &str) -> Result<T, String> {
    if text.trim().is_empty() {
        return Err("a text is expected that is not empty".to_owned());
    }
    text.parse().map_err(|error| form::not(text, error))
}
