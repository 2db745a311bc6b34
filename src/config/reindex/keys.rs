//! The keys of `reindex` as they are written: once for all folders, and once more for each override.

use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde::de::Deserializer;
use serde_saphyr::{Location, Spanned};

use super::{Breaker, Budget, Mode, Ratio, Reindex, ReindexOverride, ReindexRules};
use crate::config::error::Fault;
use crate::config::folders::FolderPattern;
use crate::config::scalar::{self, Lasting, SECOND};
use crate::config::schedule::Window;
use crate::config::yaml;

/// Where the section stands in the file.
const SECTION: &str = "reindex";

/// What `reindex` or one of its overrides says; what it leaves out is as in the rules that it changes.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(in crate::config) struct ReindexKeys {
    #[serde(rename = "match")]
    pattern: Option<Spanned<FolderPattern>>,
    pub(in crate::config) mode: Option<Spanned<Mode>>,
    #[serde(deserialize_with = "scalar::optional_whole::<1, 1_000_000_000, _, _>")]
    min_failed: Option<NonZeroU64>,
    max_failed_ratio: Option<Ratio>,
    min_age: Option<Lasting<0>>,
    cooldown: Option<Spanned<Lasting<SECOND>>>,
    max_cooldown: Option<Spanned<Lasting<SECOND>>>,
    #[serde(deserialize_with = "scalar::optional_whole::<1, 1_000, _, _>")]
    max_attempts: Option<NonZeroU32>,
    #[serde(deserialize_with = "scalar::optional_whole::<0, 1_000_000_000, _, _>")]
    max_ride_along: Option<u64>,
    #[serde(deserialize_with = "scalar::section")]
    budget: BudgetKeys,
    #[serde(deserialize_with = "scalar::optional_whole::<0, 1_000_000_000, _, _>")]
    max_backlog: Option<u64>,
    windows: Option<Vec<Window>>,
    #[serde(deserialize_with = "scalar::optional_words")]
    retry_classes: Option<Vec<String>>,
    #[serde(deserialize_with = "scalar::optional_words")]
    never_classes: Option<Vec<String>>,
    verify_after: Option<Lasting<SECOND>>,
    #[serde(deserialize_with = "scalar::section")]
    breaker: BreakerKeys,
    #[serde(deserialize_with = "scalar::optional_path")]
    kill_switch_file: Option<PathBuf>,
    pub(in crate::config) folders: Option<Spanned<Vec<Spanned<ReindexKeys>>>>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct BudgetKeys {
    #[serde(deserialize_with = "scalar::optional_whole::<0, 1_000_000_000, _, _>")]
    actions: Option<u64>,
    #[serde(deserialize_with = "scalar::optional_whole::<0, 1_000_000_000, _, _>")]
    files: Option<u64>,
    per: Option<Lasting<SECOND>>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct BreakerKeys {
    #[serde(deserialize_with = "scalar::optional_whole::<1, 1_000, _, _>")]
    no_effect: Option<NonZeroU32>,
    open_for: Option<Lasting<SECOND>>,
}

impl ReindexKeys {
    /// The section, with its overrides.
    pub(in crate::config) fn check(mut self) -> Result<Reindex, Fault> {
        if let Some(pattern) = &self.pattern {
            return Err(yaml::unknown_key(SECTION, "match").at(pattern.referenced));
        }
        let folders = self.folders.take().map_or_else(Vec::new, |list| list.value);
        let rules = self.change(&ReindexRules::default(), SECTION)?;
        let overrides = folders
            .into_iter()
            .enumerate()
            .map(|(index, keys)| {
                let path = format!("{SECTION}.folders[{index}]");
                keys.value.check_override(&rules, &path, keys.referenced)
            })
            .collect::<Result<_, _>>()?;
        Ok(Reindex { rules, overrides })
    }

    fn check_override(
        mut self,
        rules: &ReindexRules,
        path: &str,
        start: Location,
    ) -> Result<ReindexOverride, Fault> {
        if let Some(nested) = &self.folders {
            return Err(yaml::unknown_key(path, "folders").at(nested.referenced));
        }
        let Some(pattern) = self.pattern.take() else {
            return Err(yaml::missing(&yaml::child(path, "match")).at(start));
        };
        Ok(ReindexOverride {
            folders: pattern.value,
            rules: self.change(rules, path)?,
        })
    }

    fn change(self, rules: &ReindexRules, path: &str) -> Result<ReindexRules, Fault> {
        let (cooldown, max_cooldown) = self.cooldowns(rules, path)?;
        Ok(ReindexRules {
            mode: self.mode.map_or(rules.mode, |mode| mode.value),
            min_failed: self.min_failed.unwrap_or(rules.min_failed),
            max_failed_ratio: self.max_failed_ratio.unwrap_or(rules.max_failed_ratio),
            min_age: self.min_age.map_or(rules.min_age, |age| age.0),
            cooldown,
            max_cooldown,
            max_attempts: self.max_attempts.unwrap_or(rules.max_attempts),
            max_ride_along: self.max_ride_along.unwrap_or(rules.max_ride_along),
            budget: self.budget.change(rules.budget),
            max_backlog: self.max_backlog.unwrap_or(rules.max_backlog),
            windows: self.windows.unwrap_or_else(|| rules.windows.clone()),
            retry_classes: self
                .retry_classes
                .unwrap_or_else(|| rules.retry_classes.clone()),
            never_classes: self
                .never_classes
                .unwrap_or_else(|| rules.never_classes.clone()),
            verify_after: self
                .verify_after
                .map_or(rules.verify_after, |after| after.0),
            breaker: self.breaker.change(rules.breaker),
            kill_switch_file: self
                .kill_switch_file
                .or_else(|| rules.kill_switch_file.clone()),
        })
    }

    fn cooldowns(&self, rules: &ReindexRules, path: &str) -> Result<(Duration, Duration), Fault> {
        let cooldown = self
            .cooldown
            .as_ref()
            .map_or(rules.cooldown, |cooldown| cooldown.value.0);
        let longest = self
            .max_cooldown
            .as_ref()
            .map_or(rules.max_cooldown, |longest| longest.value.0);
        if cooldown <= longest {
            return Ok((cooldown, longest));
        }
        let message = format!(
            "the cooldown ({}) is longer than max_cooldown ({})",
            humantime::format_duration(cooldown),
            humantime::format_duration(longest),
        );
        let (key, written) = match &self.cooldown {
            Some(_) => ("cooldown", &self.cooldown),
            None => ("max_cooldown", &self.max_cooldown),
        };
        let place = written
            .as_ref()
            .map_or(Location::UNKNOWN, |written| written.referenced);
        Err(Fault::about(yaml::child(path, key), message).at(place))
    }
}

impl BudgetKeys {
    fn change(self, budget: Budget) -> Budget {
        Budget {
            actions: self.actions.unwrap_or(budget.actions),
            files: self.files.unwrap_or(budget.files),
            per: self.per.map_or(budget.per, |per| per.0),
        }
    }
}

impl BreakerKeys {
    fn change(self, breaker: Breaker) -> Breaker {
        Breaker {
            no_effect: self.no_effect.unwrap_or(breaker.no_effect),
            open_for: self
                .open_for
                .map_or(breaker.open_for, |open_for| open_for.0),
        }
    }
}

impl<'de> Deserialize<'de> for Mode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        scalar::parse(deserializer, |text| match text {
            "off" | "false" => Ok(Self::Off),
            "dry_run" => Ok(Self::DryRun),
            "enforce" => Ok(Self::Enforce),
            _ => Err(scalar::not(text, "off, dry_run or enforce")),
        })
    }
}

impl<'de> Deserialize<'de> for Ratio {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        scalar::parse(deserializer, |text| {
            text.parse()
                .ok()
                .and_then(Self::new)
                .ok_or_else(|| scalar::not(text, "a number from 0 to 1, such as 0.5"))
        })
    }
}
