//! How reasons are grouped into classes (contract, `errors`).

use serde::Deserialize;
use serde_saphyr::Spanned;

use crate::config::scalar;

/// How reasons are grouped into classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Errors {
    /// Classes of one portal; what does not fit is the class `other`.
    pub max_classes: usize,
    /// Classes of one folder.
    pub max_classes_per_folder: usize,
    /// Rules of the operator, tried first and in order.
    pub rules: Vec<Rule>,
}

impl Default for Errors {
    fn default() -> Self {
        Self {
            max_classes: 50,
            max_classes_per_folder: 10,
            rules: Vec::new(),
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
    pub(super) rules: Option<Spanned<Vec<Rule>>>,
}

impl ErrorsKeys {
    /// The section with its defaults.
    pub(super) fn check(self) -> Errors {
        let default = Errors::default();
        Errors {
            max_classes: self.max_classes.unwrap_or(default.max_classes),
            max_classes_per_folder: self
                .max_classes_per_folder
                .unwrap_or(default.max_classes_per_folder),
            rules: self.rules.map_or(default.rules, |rules| rules.value),
        }
    }
}

/// Gives a class to every reason that a pattern fits.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The regular expression.
    #[serde(rename = "match", deserialize_with = "scalar::word")]
    pub pattern: String,
    /// The class.
    #[serde(deserialize_with = "scalar::word")]
    pub class: String,
}
