//! When failed files are sent to be processed again.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Deserializer, Serialize};

use crate::config::folders::FolderPattern;
use crate::config::path::ShownPath;
use crate::config::schedule::Window;
use crate::config::value::{SECOND, Span, Whole};
use crate::model::{FolderId, label_values};

/// The largest count that a key can have.
const MOST: u64 = 1_000_000_000;

/// The shortest time for which attempts are remembered.
const REMEMBERED: Duration = Duration::from_hours(90 * 24);

/// Maximum number of folders of a mode that a sentence names.
const NAMED: usize = 5;

/// When failed files are sent to be processed again: rules for all folders, and for some.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("additionalProperties" = false))]
pub struct Reindex {
    /// The rules of every folder without an override.
    #[serde(flatten)]
    pub rules: ReindexRules,
    #[serde(rename = "folders")]
    #[schemars(with = "Option<Vec<ReindexOverride>>")]
    pub overrides: Vec<ReindexOverride>,
}

/// Rules for the folders that match a pattern: the rules of all folders, with the changes of the override.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(transform = without_defaults, extend("additionalProperties" = false))]
pub struct ReindexOverride {
    /// Folders with their own rules, by name or id; any other key of `reindex` except `folders` can be set here; the first match applies
    #[serde(rename = "match")]
    #[schemars(example = &"Inbox*")]
    pub folders: FolderPattern,
    /// Their rules, complete.
    #[serde(flatten)]
    pub rules: ReindexRules,
}

impl Reindex {
    /// All rules: those of every folder, and those of each override.
    pub fn all_rules(&self) -> impl Iterator<Item = &ReindexRules> {
        let overrides = self.overrides.iter().map(|other| &other.rules);
        std::iter::once(&self.rules).chain(overrides)
    }

    /// How long attempts are remembered: as long as any limit looks back, and at least 90 days.
    pub fn looks_back(&self) -> Duration {
        let limits = self.all_rules();
        let limits = limits.map(|rules| rules.budget.per.max(rules.cooldown).max(rules.min_age));
        limits.fold(REMEMBERED, Duration::max)
    }

    /// The mode of all rules that allows most.
    pub fn strongest_mode(&self) -> Mode {
        let modes = self.all_rules().map(|rules| rules.mode);
        modes.fold(Mode::Off, Mode::max)
    }

    /// Which of these folders have which mode, in one line.
    pub fn in_folders<'a>(&self, folders: impl Iterator<Item = (FolderId, &'a str)>) -> String {
        let mut names = BTreeMap::<Mode, Vec<&str>>::new();
        for (id, name) in folders {
            let mode = self.for_folder(id, name).mode;
            names.entry(mode).or_default().push(name);
        }
        let all: usize = names.values().map(Vec::len).sum();
        names.remove(&Mode::Off);
        let sentences = names.iter_mut().rev().map(|(mode, names)| {
            names.sort_unstable();
            let first = names[..names.len().min(NAMED)].join(", ");
            let others = if names.len() > NAMED { ", …" } else { "" };
            let (mode, number) = (mode.as_str(), names.len());
            format!("{mode} in {number} of {all} folders ({first}{others})")
        });
        let sentences: Vec<_> = sentences.collect();
        if sentences.is_empty() {
            return format!("off in {all} folders");
        }
        sentences.join(", ")
    }

    /// The rules of a folder: those of the first override that matches, or those of all folders.
    pub fn for_folder(&self, id: FolderId, name: &str) -> &ReindexRules {
        self.overrides
            .iter()
            .find(|other| other.folders.matches(id, name))
            .map_or(&self.rules, |other| &other.rules)
    }
}

/// What must hold before failed files are sent to be processed again.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(default)]
pub struct ReindexRules {
    /// Whether failed files are reindexed; `false` means `off`
    pub mode: Mode,
    /// How long a file must have been failed
    #[serde(with = "Span::<0>")]
    pub min_age: Duration,
    /// Time between two attempts in a folder, and the first pause of an error class after a retry that did not help
    #[serde(with = "Span::<SECOND>")]
    pub cooldown: Duration,
    /// Maximum number of attempts per file; then the file is exhausted
    #[serde(with = "Whole::<NonZeroU32, 1, 1_000>")]
    pub max_attempts: NonZeroU32,
    /// What may be sent to one portal
    #[schemars(with = "Option<Budget>")]
    pub budget: Budget,
    /// Maximum number of pending and processing files in the folder, or a tenth of its files if that is more
    #[serde(with = "Whole::<u64, 0, MOST>")]
    pub max_backlog: u64,
    /// The minutes in which attempts are allowed, in `collect.timezone`; always when empty
    pub windows: Vec<Window>,
    /// Files of these classes are never eligible
    pub never_classes: Vec<String>,
    /// While this file exists, or cannot be checked, no attempt is made
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<ShownPath>", example = &"/etc/kb-exporter/stop-reindex")]
    pub kill_switch_file: Option<PathBuf>,
}

impl Default for ReindexRules {
    fn default() -> Self {
        Self {
            mode: Mode::Off,
            min_age: Duration::from_mins(10),
            cooldown: Duration::from_hours(1),
            max_attempts: const { NonZeroU32::new(3).expect("3 is not 0") },
            budget: Budget::default(),
            max_backlog: 100,
            windows: Vec::new(),
            never_classes: Vec::new(),
            kill_switch_file: None,
        }
    }
}

/// What may be sent to one portal in a sliding window of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("additionalProperties" = false))]
pub struct Budget {
    /// Files sent per portal in the time `per`; a folder with more files may have a whole window alone
    #[serde(with = "Whole::<u64, 0, MOST>")]
    pub files: u64,
    /// The sliding window of the budget
    #[serde(with = "Span::<SECOND>")]
    pub per: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            files: 5000,
            per: Duration::from_hours(24),
        }
    }
}

/// Declares the keys of rules as they are written, each of which may be left out, beside other keys.
macro_rules! rule_keys {
    ($name:ident { $($own:tt)* }) => {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct $name {
            $($own)*
            mode: Option<Mode>,
            #[serde(default, with = "Span::<0>")]
            min_age: Option<Duration>,
            #[serde(default, with = "Span::<SECOND>")]
            cooldown: Option<Duration>,
            #[serde(default, with = "Whole::<NonZeroU32, 1, 1_000>")]
            max_attempts: Option<NonZeroU32>,
            budget: Option<BudgetKeys>,
            #[serde(default, with = "Whole::<u64, 0, MOST>")]
            max_backlog: Option<u64>,
            windows: Option<Vec<Window>>,
            never_classes: Option<Vec<String>>,
            kill_switch_file: Option<ShownPath>,
        }

        impl $name {
            /// The rules, with those of `others` for what was left out.
            fn rules(self, others: &ReindexRules) -> ReindexRules {
                let others = others.clone();
                ReindexRules {
                    mode: self.mode.unwrap_or(others.mode),
                    min_age: self.min_age.unwrap_or(others.min_age),
                    cooldown: self.cooldown.unwrap_or(others.cooldown),
                    max_attempts: self.max_attempts.unwrap_or(others.max_attempts),
                    budget: self.budget.unwrap_or_default().budget(others.budget),
                    max_backlog: self.max_backlog.unwrap_or(others.max_backlog),
                    windows: self.windows.unwrap_or(others.windows),
                    never_classes: self.never_classes.unwrap_or(others.never_classes),
                    kill_switch_file: self.kill_switch_file.map(|path| path.0).or(others.kill_switch_file),
                }
            }
        }
    };
}

rule_keys!(ReindexKeys {
    folders: Option<Vec<OverrideKeys>>,
});

rule_keys!(OverrideKeys {
    r#match: FolderPattern,
});

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct BudgetKeys {
    #[serde(with = "Whole::<u64, 0, MOST>")]
    files: Option<u64>,
    #[serde(with = "Span::<SECOND>")]
    per: Option<Duration>,
}

impl BudgetKeys {
    fn budget(self, others: Budget) -> Budget {
        Budget {
            files: self.files.unwrap_or(others.files),
            per: self.per.unwrap_or(others.per),
        }
    }
}

impl<'de> Deserialize<'de> for Reindex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut keys = ReindexKeys::deserialize(deserializer)?;
        let folders = keys.folders.take().unwrap_or_default();
        let rules = keys.rules(&ReindexRules::default());
        let overrides = folders.into_iter().map(|other| ReindexOverride {
            folders: other.r#match.clone(),
            rules: other.rules(&rules),
        });
        Ok(Self {
            overrides: overrides.collect(),
            rules,
        })
    }
}

fn without_defaults(schema: &mut Schema) {
    schema.remove("default");
    transform_subschemas(&mut without_defaults, schema);
}

label_values! {
    /// Whether anything is sent. The order is from nothing to everything.
    #[derive(Default, Deserialize, Serialize, JsonSchema, clap::ValueEnum)]
    #[serde(rename_all = "snake_case")]
    #[value(rename_all = "snake_case")]
    #[schemars(try_from = "String", into = "String", inline, extend("type" = ["string", "boolean"], "enum" = ["off", "dry_run", "enforce", false]))]
    pub enum Mode {
        /// Nothing is decided.
        #[default]
        #[serde(alias = "false")]
        Off = "off",
        /// Decisions are made and shown, but nothing is sent.
        DryRun = "dry_run",
        /// Decisions are carried out.
        Enforce = "enforce",
    }
}

#[cfg(test)]
mod tests;
