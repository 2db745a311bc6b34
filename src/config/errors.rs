//! How reasons are grouped into classes (docs/configuration.md, `errors`).

use std::collections::HashSet;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::classify::{
    Classifier, Mask, MaskName, MaskPattern, Pattern, Rule, RuleClass, RuleError,
};
use crate::config::scalar;

/// The most masks: each costs time for every reason.
const MAX_MASKS: usize = 50;

/// How reasons are grouped into classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Errors {
    /// Classes of one portal; what does not fit is the class `other`.
    pub max_classes: usize,
    /// Classes of one folder.
    pub max_classes_per_folder: usize,
    /// Rules of the operator, tried first and in their order.
    pub rules: Vec<Rule>,
    /// Masks of the operator, tried before the built-in ones and in their order.
    pub masks: Vec<Mask>,
}

impl Errors {
    /// What finds the class of a reason.
    #[must_use]
    pub fn classifier(&self) -> Classifier {
        Classifier::new(self.rules.clone(), self.masks.clone())
    }

    /// What is right and does something that was hardly meant: rules that name more classes than there are labels.
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

/// The section as it is written.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ErrorsKeys {
    #[serde(deserialize_with = "scalar::optional_whole::<1, 10_000, _, _>")]
    max_classes: Option<usize>,
    #[serde(deserialize_with = "scalar::optional_whole::<1, 10_000, _, _>")]
    max_classes_per_folder: Option<usize>,
    rules: Vec<RuleKeys>,
    #[serde(deserialize_with = "masks")]
    masks: Vec<MaskKeys>,
}

/// A rule as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleKeys {
    #[serde(rename = "match", deserialize_with = "word")]
    pattern: Pattern,
    #[serde(deserialize_with = "word")]
    class: RuleClass,
}

/// A mask as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MaskKeys {
    #[serde(deserialize_with = "word")]
    name: MaskName,
    #[serde(rename = "match", deserialize_with = "word")]
    pattern: MaskPattern,
}

fn masks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<MaskKeys>, D::Error> {
    let masks = Vec::deserialize(deserializer)?;
    if masks.len() > MAX_MASKS {
        return Err(D::Error::custom(format!(
            "at most {MAX_MASKS} masks are possible"
        )));
    }
    Ok(masks)
}

fn word<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err = RuleError>,
{
    scalar::parse(deserializer, |text| match text.trim() {
        "" => Err("a text is expected that is not empty".to_owned()),
        _ => text
            .parse()
            .map_err(|error: RuleError| scalar::not(text, error)),
    })
}

impl ErrorsKeys {
    /// The section with its defaults.
    pub(super) fn check(self) -> Errors {
        let default = Errors::default();
        let mask = |MaskKeys { name, pattern }| Mask { name, pattern };
        let rule = |RuleKeys { pattern, class }| Rule { pattern, class };
        Errors {
            max_classes: self.max_classes.unwrap_or(default.max_classes),
            max_classes_per_folder: self
                .max_classes_per_folder
                .unwrap_or(default.max_classes_per_folder),
            rules: self.rules.into_iter().map(rule).collect(),
            masks: self.masks.into_iter().map(mask).collect(),
        }
    }
}
