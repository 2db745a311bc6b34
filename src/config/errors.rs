//! How reasons are grouped into classes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::classify::{self, Class, Classifier, MaskName, Pattern};
use crate::config::value::{Text, Whole};

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
    masks: Vec<Mask>,
    /// Rules of the operator, applied in order, before all masks
    rules: Vec<Rule>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Mask {
    /// The name of a mask, such as `tenant`: `<tenant>` replaces its matches
    #[serde(with = "Text::<MaskName>")]
    #[schemars(title = "a name", example = &"tenant")]
    name: MaskName,
    /// The text to replace
    #[serde(rename = "match", with = "Text::<Pattern>")]
    #[schemars(title = "a regular expression", example = &"tenant-[a-z]+")]
    pattern: Pattern,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Rule {
    /// The reasons that have the class
    #[serde(rename = "match", with = "Text::<Pattern>")]
    #[schemars(title = "a regular expression", example = &"(?i)timed? ?out")]
    pattern: Pattern,
    /// The class of the reasons that match
    #[serde(with = "Text::<Class>")]
    #[schemars(title = "a class", example = &"timeout")]
    class: Class,
}

impl Errors {
    /// What finds the class of a reason.
    pub fn classifier(&self) -> Classifier {
        let rules = self.rules.iter().cloned();
        let rules = rules.map(|Rule { pattern, class }| classify::Rule { pattern, class });
        let masks = self.masks.iter().cloned();
        let masks = masks.map(|Mask { name, pattern }| classify::Mask { name, pattern });
        Classifier::new(rules.collect(), masks.collect())
    }
}

impl Default for Errors {
    fn default() -> Self {
        Self {
            max_classes: 50,
            max_classes_per_folder: 20,
            masks: Vec::new(),
            rules: Vec::new(),
        }
    }
}
