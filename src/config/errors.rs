//! How reasons are grouped into classes.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::classify::{
    Classifier, Mask, MaskName, MaskPattern, Pattern, Rule, RuleClass, RuleError,
};
use crate::config::form::{self, Form as _, Whole, scalar};

/// Maximum number of masks: each costs time for every reason.
const MAX_MASKS: usize = 50;

/// How reasons are grouped into classes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
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

    /// Settings that are valid but probably wrong.
    pub fn warnings(&self) -> Vec<String> {
        let classes: HashSet<_> = self.rules.iter().map(|rule| rule.class.as_str()).collect();
        let classes = classes.len();
        let (portal, folder) = (self.max_classes, self.max_classes_per_folder);
        let mut found = Vec::new();
        for (key, limit, whole) in [
            ("max_classes", portal, "a portal"),
            ("max_classes_per_folder", folder, "a folder"),
        ] {
            if classes > limit {
                found.push(format!(
                    "errors.rules name {classes} classes, more than errors.{key} ({limit}): {whole} that has files in {limit} or more of \
                     them shows all of these and no other class"
                ));
            }
        }
        if portal < folder {
            found.push(format!(
                "errors.max_classes ({portal}) is less than errors.max_classes_per_folder ({folder}), which no folder reaches"
            ));
        }
        for (index, own) in self.rules.iter().enumerate() {
            let mut before = self.rules[..index].iter();
            let covers = |other: &Rule| other.pattern == own.pattern || other.pattern.matches_all();
            if let Some(first) = before.position(covers) {
                found.push(format!(
                    "errors.rules[{index}] is never used: errors.rules[{first}] matches all of its reasons, and the first match applies"
                ));
            }
        }
        for (index, own) in self.masks.iter().enumerate() {
            let mut before = self.masks[..index].iter();
            if let Some(first) = before.position(|other| other.pattern == own.pattern) {
                found.push(format!(
                    "errors.masks[{index}] is never used: errors.masks[{first}] replaces all of its matches"
                ));
            }
        }
        found
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
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, remote = "Mask")]
struct MaskKeys {
    /// The name of a mask, such as `tenant`: `<tenant>` replaces its matches
    #[serde(with = "MaskName")]
    #[schemars(example = &"tenant")]
    name: MaskName,
    /// The text to replace
    #[serde(rename = "match", with = "MaskPattern")]
    #[schemars(example = &"tenant-[a-z]+")]
    pattern: MaskPattern,
}

impl<'de> Deserialize<'de> for Mask {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        MaskKeys::deserialize(deserializer)
    }
}

/// A rule as it is written.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, remote = "Rule")]
struct RuleKeys {
    /// The reasons that have the class
    #[serde(rename = "match", with = "Pattern")]
    #[schemars(example = &"(?i)timed? ?out")]
    pattern: Pattern,
    /// The class of the reasons that match
    #[serde(with = "RuleClass")]
    #[schemars(example = &"timeout")]
    class: RuleClass,
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

macro_rules! parsed {
    ($($type:ty: $title:literal),*) => {$(
        scalar! {
            $type as $type,
            read: |text| {
                let parsed = form::not_blank(text)?.parse();
                parsed.map_err(|error: RuleError| format!("expected {error}"))
            },
            schema: { "title": $title, "type": "string", "minLength": 1 }
        }
    )*};
}

parsed!(
    Pattern: "a regular expression",
    RuleClass: "a class",
    MaskName: "a name",
    MaskPattern: "a regular expression"
);
