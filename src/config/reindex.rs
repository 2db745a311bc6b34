//! When failed files are sent to be processed again (docs/configuration.md, `reindex`).

mod keys;
mod unknown;

use std::num::{NonZeroU32, NonZeroU64};
use std::path::PathBuf;
use std::time::Duration;

use crate::config::folders::FolderPattern;
use crate::config::schedule::Window;
use crate::model::FolderId;

pub(super) use keys::ReindexKeys;
pub use unknown::UnknownClass;

/// When failed files are sent to be processed again: rules for all folders, and for some.
#[derive(Debug, Clone, Default)]
pub struct Reindex {
    /// The rules of every folder without an override.
    pub rules: ReindexRules,
    /// Rules for folders that a pattern fits, in the order of the file.
    pub overrides: Vec<ReindexOverride>,
}

/// Rules for the folders that a pattern fits: those of all folders, with what the override changes.
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

    /// The mode that does most, of all rules.
    #[must_use]
    pub fn strongest_mode(&self) -> Mode {
        let modes = self.all_rules().map(|rules| rules.mode);
        modes.fold(Mode::Off, Mode::max)
    }

    /// The rules of a folder: the first override that fits, or those of all folders.
    #[must_use]
    pub fn for_folder(&self, id: FolderId, name: &str) -> &ReindexRules {
        self.overrides
            .iter()
            .find(|other| other.folders.matches(id, name))
            .map_or(&self.rules, |other| &other.rules)
    }
}

/// What must hold before failed files are sent to be processed again.
#[derive(Debug, Clone, PartialEq)]
pub struct ReindexRules {
    /// Whether anything is sent at all.
    pub mode: Mode,
    /// Failed files that make it worth an attempt.
    pub min_failed: NonZeroU64,
    /// Above this share of failed files, with 20 or more, the folder is in trouble of its own: hold.
    pub max_failed_ratio: Ratio,
    /// How long a file must have been seen failed.
    pub min_age: Duration,
    /// Pause of a folder after an attempt; doubles after each one without effect.
    pub cooldown: Duration,
    /// Longest pause; not shorter than `cooldown`.
    pub max_cooldown: Duration,
    /// Attempts per file; a file past it is exhausted.
    pub max_attempts: NonZeroU32,
    /// Exhausted and never-class files that one attempt may take along.
    pub max_ride_along: u64,
    /// What one portal may be asked for.
    pub budget: Budget,
    /// Pending and processing files allowed in the folder.
    pub max_backlog: u64,
    /// When attempts are allowed, in the time zone of `collect`; always when there is none.
    pub windows: Vec<Window>,
    /// When not empty, only files of these classes count towards `min_failed`.
    pub retry_classes: Vec<String>,
    /// Files of these classes never count.
    pub never_classes: Vec<String>,
    /// By then an attempt is judged.
    pub verify_after: Duration,
    /// When attempts stop for want of effect.
    pub breaker: Breaker,
    /// While this file exists, or cannot be read, nothing is sent.
    pub kill_switch_file: Option<PathBuf>,
}

impl Default for ReindexRules {
    fn default() -> Self {
        Self {
            mode: Mode::Off,
            min_failed: NonZeroU64::MIN,
            max_failed_ratio: Ratio(0.5),
            min_age: Duration::from_mins(10),
            cooldown: Duration::from_hours(1),
            max_cooldown: Duration::from_hours(24),
            max_attempts: const { NonZeroU32::new(3).expect("3 is not 0") },
            max_ride_along: 100,
            budget: Budget::default(),
            max_backlog: 100,
            windows: Vec::new(),
            retry_classes: Vec::new(),
            never_classes: Vec::new(),
            verify_after: Duration::from_hours(2),
            breaker: Breaker::default(),
            kill_switch_file: None,
        }
    }
}

/// Whether anything is sent. The order is from nothing to everything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// Nothing is decided.
    #[default]
    Off,
    /// Decisions are taken and shown, nothing is sent.
    DryRun,
    /// Decisions are carried out.
    Enforce,
}

impl Mode {
    /// The word of the configuration, which is also the value of the label `mode`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::DryRun => "dry_run",
            Self::Enforce => "enforce",
        }
    }
}

/// A share, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Ratio(f64);

impl Ratio {
    /// Takes a number from 0 to 1.
    #[must_use]
    pub fn new(share: f64) -> Option<Self> {
        (0.0..=1.0).contains(&share).then_some(Self(share))
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

/// What one portal may be asked for in a sliding window of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Attempts.
    pub actions: u64,
    /// Files that were sent.
    pub files: u64,
    /// The length of the window.
    pub per: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            actions: 100,
            files: 5000,
            per: Duration::from_hours(24),
        }
    }
}

/// When attempts stop for want of effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Breaker {
    /// Attempts in a row without effect that open it.
    pub no_effect: NonZeroU32,
    /// How long it stays open.
    pub open_for: Duration,
}

impl Default for Breaker {
    fn default() -> Self {
        Self {
            no_effect: const { NonZeroU32::new(3).expect("3 is not 0") },
            open_for: Duration::from_hours(6),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::config::document::Document;
    use uuid::Uuid;

    fn reindex(yaml: &str) -> Reindex {
        let portals = "portals: [{name: a, base_url: https://p, api_key_env: K}]";
        let text = format!("{portals}\nreindex: {yaml}\n");
        let checked = Document::parse(&text).and_then(Document::check);
        let config: Config = checked.unwrap_or_else(|fault| panic!("{}", fault.of("kb.yml")));
        config.reindex
    }

    #[test]
    fn the_first_override_that_fits_wins_and_keeps_what_it_does_not_change() {
        let reindex = reindex(
            r#"{min_failed: 7, budget: {actions: 2, files: 3}, windows: ["* * 1 * * *"], folders: [
                 {match: "In*", cooldown: 2h, budget: {files: 9}, windows: []},
                 {match: "*box", cooldown: 3h}]}"#,
        );
        let rules = |name| reindex.for_folder(Uuid::nil().into(), name);
        let inbox = rules("Inbox");
        assert_eq!(inbox.cooldown, Duration::from_hours(2));
        assert_eq!(inbox.min_failed.get(), 7);
        assert_eq!((inbox.budget.actions, inbox.budget.files), (2, 9));
        assert!(inbox.windows.is_empty());
        assert_eq!(rules("Outbox").cooldown, Duration::from_hours(3));
        assert_eq!(rules("Outbox").windows.len(), 1);
        assert_eq!(rules("Other"), &reindex.rules);
    }

    #[test]
    fn off_may_be_written_as_other_tools_write_it() {
        for off in ["off", "false", "\"off\""] {
            assert_eq!(reindex(&format!("{{mode: {off}}}")).rules.mode, Mode::Off);
        }
    }

    #[test]
    fn a_ratio_lies_between_0_and_1() {
        assert_eq!(Ratio::new(0.25).map(Ratio::get), Some(0.25));
        for share in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(Ratio::new(share), None);
        }
    }
}
