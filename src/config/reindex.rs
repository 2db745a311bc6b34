//! When failed files are sent to be processed again.

mod changes;
mod unknown;

use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;
use std::time::Duration;

use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value as Json;

use crate::config::error::Fault;
use crate::config::folders::FolderPattern;
use crate::config::form::{
    self, DurationFrom, Form as _, List, SECOND, ShownPath, Whole, Word, scalar,
};
use crate::config::keys::child;
use crate::config::schedule::Window;
use crate::model::{FolderId, label_values};

use changes::{Changeable, changeable};

/// The largest count that a key can have.
const MOST: u64 = 1_000_000_000;

/// When failed files are sent to be processed again: rules for all folders, and for some.
#[derive(Debug, Clone, Default)]
pub struct Reindex {
    /// The rules of every folder without an override.
    pub rules: ReindexRules,
    /// Rules for folders that match a pattern, in the order of the file.
    pub overrides: Vec<ReindexOverride>,
}

/// Rules for the folders that match a pattern: the rules of all folders, with the changes of the override.
#[derive(Debug, Clone)]
pub struct ReindexOverride {
    /// Which folders.
    pub folders: FolderPattern,
    /// Their rules, complete.
    pub rules: ReindexRules,
}

impl Reindex {
    /// All rules: those of every folder, and those of each override.
    pub fn all_rules(&self) -> impl Iterator<Item = &ReindexRules> {
        let overrides = self.overrides.iter().map(|other| &other.rules);
        std::iter::once(&self.rules).chain(overrides)
    }

    /// The mode of all rules that allows most.
    pub fn strongest_mode(&self) -> Mode {
        let modes = self.all_rules().map(|rules| rules.mode);
        modes.fold(Mode::Off, Mode::max)
    }

    /// The rules of a folder: those of the first override that matches, or those of all folders.
    pub fn for_folder(&self, id: FolderId, name: &str) -> &ReindexRules {
        self.overrides
            .iter()
            .find(|other| other.folders.matches(id, name))
            .map_or(&self.rules, |other| &other.rules)
    }
}

changeable! {
    /// What must hold before failed files are sent to be processed again.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ReindexRules, changed by ReindexKeys {
        /// Folders with their own rules, by name or id; any other key of `reindex` except `folders` can be set here; the first match applies
        #[serde(rename = "match", with = "FolderPattern")]
        #[schemars(example = &"Inbox*")]
        pattern: Option<FolderPattern>,
        #[schemars(skip)]
        folders: Option<Vec<ReindexKeys>>,
    } {
        /// Whether failed files are reindexed: `off` (or `false`), `dry_run` or `enforce`
        #[serde(with = "Mode")]
        pub mode: Mode = Mode::Off,
        /// Minimum number of failed files for an attempt
        #[serde(with = "Whole::<NonZeroU64, 1, MOST>")]
        pub min_failed: NonZeroU64 = NonZeroU64::MIN,
        /// Above this share of failed files (20 or more), and if an attempt did not help, no attempt is made
        #[serde(with = "Ratio")]
        pub max_failed_ratio: Ratio = Ratio(0.5),
        /// How long a file must have been failed
        #[serde(with = "DurationFrom::<0>")]
        pub min_age: Duration = Duration::from_mins(10),
        /// Time between two attempts in a folder; doubles after each attempt without effect
        #[serde(with = "DurationFrom::<SECOND>")]
        pub cooldown: Duration = Duration::from_hours(1),
        /// Longest cooldown; not shorter than `cooldown`
        #[serde(with = "DurationFrom::<SECOND>")]
        pub max_cooldown: Duration = Duration::from_hours(24),
        /// Maximum number of attempts per file; then the file is exhausted
        #[serde(with = "Whole::<NonZeroU32, 1, 1_000>")]
        pub max_attempts: NonZeroU32 = const { NonZeroU32::new(3).expect("3 is not 0") },
        /// Maximum number of exhausted and never-class files that one attempt also requeues
        #[serde(with = "Whole::<u64, 0, MOST>")]
        pub max_ride_along: u64 = 100,
        /// What may be sent to one portal
        #[serde(deserialize_with = "form::section")]
        #[schemars(with = "Option<Budget>")]
        pub budget: Budget = Budget::default(),
        /// Maximum number of pending and processing files in the folder
        #[serde(with = "Whole::<u64, 0, MOST>")]
        pub max_backlog: u64 = 100,
        /// The minutes in which attempts are allowed, in `collect.timezone`; always when empty
        #[serde(with = "List::<Window>")]
        pub windows: Vec<Window> = Vec::new(),
        /// When not empty, only these classes count towards `min_failed`
        #[serde(with = "List::<Word>")]
        pub retry_classes: Vec<String> = Vec::new(),
        /// These classes never count
        #[serde(with = "List::<Word>")]
        pub never_classes: Vec<String> = Vec::new(),
        /// How long after an attempt its outcome is judged at the latest
        #[serde(with = "DurationFrom::<SECOND>")]
        pub verify_after: Duration = Duration::from_hours(2),
        /// When attempts stop because they have no effect
        #[serde(deserialize_with = "form::section")]
        #[schemars(with = "Option<Breaker>")]
        pub breaker: Breaker = Breaker::default(),
        /// While this file exists, or cannot be checked, no attempt is made
        #[serde(with = "ShownPath")]
        #[schemars(example = &"/etc/kb-exporter/stop-reindex")]
        pub kill_switch_file: Option<PathBuf> = None,
    }
}

changeable! {
    /// What may be sent to one portal in a sliding window of time.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Budget, changed by BudgetKeys {} {
        /// Attempts per portal in the time `per`
        #[serde(with = "Whole::<u64, 0, MOST>")]
        pub actions: u64 = 100,
        /// Files sent per portal in the time `per`
        #[serde(with = "Whole::<u64, 0, MOST>")]
        pub files: u64 = 5000,
        /// The sliding window of the budget
        #[serde(with = "DurationFrom::<SECOND>")]
        pub per: Duration = Duration::from_hours(24),
    }
}

changeable! {
    /// When attempts stop because they have no effect.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Breaker, changed by BreakerKeys {} {
        /// Attempts in a row without effect that stop all attempts
        #[serde(with = "Whole::<NonZeroU32, 1, 1_000>")]
        pub no_effect: NonZeroU32 = const { NonZeroU32::new(3).expect("3 is not 0") },
        /// How long the breaker stops them
        #[serde(with = "DurationFrom::<SECOND>")]
        pub open_for: Duration = Duration::from_hours(6),
    }
}

impl ReindexKeys {
    /// The section, with its overrides.
    pub(super) fn check(mut self) -> Result<Reindex, Fault> {
        if self.pattern.is_some() {
            let message = "only the entries of reindex.folders have the key match";
            return Err(Fault::about("reindex.match", message));
        }
        let folders = self.folders.take().unwrap_or_default();
        let rules = self.apply(&ReindexRules::default(), "reindex")?;
        let overrides = folders.into_iter().enumerate().map(|(index, keys)| {
            let path = format!("reindex.folders[{index}]");
            keys.check_override(&rules, &path)
        });
        Ok(Reindex {
            overrides: overrides.collect::<Result<_, _>>()?,
            rules,
        })
    }

    fn check_override(
        mut self,
        rules: &ReindexRules,
        path: &str,
    ) -> Result<ReindexOverride, Fault> {
        let fault = |key, message: &str| Fault::about(child(path, key), message);
        if self.folders.is_some() {
            return Err(fault("folders", "only reindex itself has the key folders"));
        }
        let pattern = self.pattern.take();
        Ok(ReindexOverride {
            folders: pattern.ok_or_else(|| fault("match", "is missing; it could be Inbox*"))?,
            rules: self.apply(rules, path)?,
        })
    }

    /// The rules with the keys that are written at `path` changed.
    fn apply(self, rules: &ReindexRules, path: &str) -> Result<ReindexRules, Fault> {
        let key = match self.cooldown {
            Some(_) => "cooldown",
            None => "max_cooldown",
        };
        let rules = rules.changed(self);
        if rules.cooldown <= rules.max_cooldown {
            return Ok(rules);
        }
        let message = format!(
            "the cooldown ({}) is longer than max_cooldown ({})",
            humantime::format_duration(rules.cooldown),
            humantime::format_duration(rules.max_cooldown),
        );
        Err(Fault::about(child(path, key), message))
    }
}

/// The section in the schema: the rules with their defaults, and overrides in which no key has a default.
pub(super) fn schema(generator: &mut SchemaGenerator) -> Schema {
    let mut section = ReindexRules::json_schema(generator);
    let mut changes = ReindexKeys::json_schema(generator);
    remove_defaults(&mut changes);
    changes.insert("required".into(), ["match"].into());
    let folders = json_schema!({ "type": ["array", "null"], "items": changes });
    if let Some(Json::Object(properties)) = section.get_mut("properties") {
        properties.insert("folders".into(), folders.to_value());
    }
    section
}

fn remove_defaults(schema: &mut Schema) {
    schema.remove("default");
    transform_subschemas(&mut remove_defaults, schema);
}

label_values! {
    /// Whether anything is sent. The order is from nothing to everything.
    #[derive(Default)]
    pub enum Mode {
        /// Nothing is decided.
        #[default]
        Off = "off",
        /// Decisions are made and shown, but nothing is sent.
        DryRun = "dry_run",
        /// Decisions are carried out.
        Enforce = "enforce",
    }
}

impl Mode {
    /// Reads a mode; the error is a sentence. Some parsers of YAML turn `off` into `false`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = if text == "false" { "off" } else { text };
        form::word(text, Self::ALL, Self::as_str)
    }
}

scalar! {
    Mode as Mode,
    read: Mode::parse,
    json: |mode| mode.as_str(),
    schema: { "enum": ["off", "dry_run", "enforce", false] }
}

/// A share, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Ratio(f64);

impl Ratio {
    pub fn new(share: f64) -> Option<Self> {
        (0.0..=1.0).contains(&share).then_some(Self(share))
    }

    pub fn get(self) -> f64 {
        self.0
    }
}

scalar! {
    Ratio as Ratio,
    read: |text| {
        let ratio = text.parse().ok().and_then(Ratio::new);
        ratio.ok_or_else(|| "expected a number from 0 to 1, such as 0.5".to_owned())
    },
    json: |ratio| ratio.get(),
    schema: { "title": "a number from 0 to 1", "type": "number", "minimum": 0, "maximum": 1 }
}

#[cfg(test)]
mod tests;
