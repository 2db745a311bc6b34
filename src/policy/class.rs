//! Whether a retry helps the files of a class, and when the next one may be tried.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::classify::Class;
use crate::config::ReindexRules;
use crate::ledger::{ActiveMode, ClassResult, LedgerView};
use crate::model::{FolderId, Timestamp, label_values};
use crate::policy::outlook::FreshFailures;

/// Number of files of the newest attempts that decide whether a class responds.
const WINDOW: f64 = 20.0;

/// A class does not respond when its success rate is below this.
const RATE: f64 = 0.2;

/// The quantile of the normal distribution for the bounds on the success rate: 95 % lie within both.
const QUANTILE: f64 = 1.96;

/// A class without any recovered file does not respond after attempts in this number of folders, even with few files.
const FOLDERS: usize = 3;

label_values! {
    /// Whether retries help the files of a class.
    pub enum Response {
        /// They were sent often enough, and rarely recovered.
        Unresponsive = "unresponsive",
        /// Too little is known.
        Unknown = "unknown",
        Responsive = "responsive",
    }
}

impl Response {
    /// Reads it from the newest attempts with a known result, newest first: the folder, and the results of the files.
    pub fn of<'a>(attempts: impl IntoIterator<Item = (FolderId, &'a ClassResult)>) -> Self {
        let (mut recovered, mut judged) = (0.0, 0.0);
        let mut folders = BTreeSet::new();
        for (folder, result) in attempts {
            let files = float(result.recovered + result.refailed);
            let part = ((WINDOW - judged) / files).min(1.0);
            recovered += float(result.recovered) * part;
            judged += files * part;
            folders.insert(folder);
            if judged >= WINDOW {
                break;
            }
        }
        let never = recovered <= 0.0 && folders.len() >= FOLDERS;
        if never || upper_bound(recovered, judged) < RATE {
            Self::Unresponsive
        } else if recovered > 0.0 && recovered >= RATE * judged {
            Self::Responsive
        } else {
            Self::Unknown
        }
    }

    /// Whether a retry helps, for people.
    pub(crate) const fn a_retry(self) -> &'static str {
        match self {
            Self::Unresponsive => "hardly helps",
            Self::Unknown => "may help",
            Self::Responsive => "helps",
        }
    }
}

/// Wilson's upper bound of the success rate; 1 without any trial.
pub(crate) fn upper_bound(successes: f64, trials: f64) -> f64 {
    if trials <= 0.0 {
        return 1.0;
    }
    let rate = successes / trials;
    let square = QUANTILE * QUANTILE;
    let centre = rate + square / (2.0 * trials);
    let spread = (rate * (1.0 - rate) / trials + square / (4.0 * trials * trials)).sqrt();
    (centre + QUANTILE * spread) / (1.0 + square / trials)
}

/// The facts of the ledger about a class in one portal.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassState {
    pub response: Response,
    /// The newest attempt that sent files of it.
    pub last: Option<Timestamp>,
    /// The share of its files that the next attempt is expected to recover, from 0 to 1.
    pub expected: f64,
    /// Number of newest attempts in a row in which none recovered.
    in_vain: u32,
    /// Attempts whose effect is not known yet.
    open: u32,
    /// The newest attempt in which files recovered.
    pub(super) helped: Option<Timestamp>,
    /// The newest attempts in a row in which files recovered, and how many files.
    back: Vec<(Timestamp, u64)>,
}

/// Whether a folder may try files of a class now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClassPace {
    Paused,
    /// One folder at a time tests whether files recover: the one in which an attempt sends the fewest files.
    One,
    /// A few folders test it at the same time; if nothing is known about the class, those with most to gain.
    Few,
    /// Files recover: every folder may try.
    All,
}

/// Number of recovered files that show that the cause has ended.
const SURE: u64 = 4;

/// Number of newest attempts of a class that are read.
const NEWEST: usize = 64;

impl ClassState {
    /// Reads the state from the attempts that were sent.
    pub fn of(ledger: &LedgerView, class: &Class) -> Self {
        let track = ledger.track(ActiveMode::Enforce);
        let newest = track.of_class(class).take(NEWEST);
        let known = newest.filter(|(_, result)| result.had_effect().is_some());
        let known: Vec<_> = known.collect();
        let row = |helped| {
            let row = known.iter();
            row.take_while(move |(_, result)| came_back(result) == helped)
        };
        let in_vain = row(false).count();
        let open = track.unjudged().filter(|attempt| {
            let result = attempt.result(class);
            result.is_some_and(|result| result.had_effect().is_none())
        });
        let folders = known
            .iter()
            .map(|(attempt, result)| (attempt.folder, *result));
        Self {
            response: Response::of(folders),
            last: track.of_class(class).next().map(|(last, _)| last.intended),
            expected: expected(known.iter().map(|(_, result)| *result).take(5)),
            in_vain: u32::try_from(in_vain).unwrap_or(u32::MAX),
            open: u32::try_from(open.count()).unwrap_or(u32::MAX),
            helped: known.get(in_vain).map(|(attempt, _)| attempt.intended),
            back: row(true)
                .map(|(attempt, result)| (attempt.intended, result.recovered))
                .collect(),
        }
    }

    /// How many folders may try now: all while files recover; a few while this is not known; and while more files fail with the cause, or
    /// after an attempt without effect, one at a time, after a pause, or as soon as no more files fail with the cause.
    pub fn pace(
        &self,
        fresh: Option<&FreshFailures>,
        rules: &ReindexRules,
        now: Timestamp,
    ) -> ClassPace {
        let quiet_from = fresh.and_then(|fresh| fresh.quiet_from(rules));
        let goes_on = quiet_from.is_some_and(|at| now < at);
        if goes_on || self.in_vain > 0 {
            let ended =
                quiet_from.is_some_and(|at| now >= at && self.last.is_none_or(|last| last < at));
            let may = self.open == 0 && (ended || self.has_rested(rules, now));
            return if may {
                ClassPace::One
            } else {
                ClassPace::Paused
            };
        }
        if self.comes_back(rules, now) {
            ClassPace::All
        } else if self.open < few(rules) {
            ClassPace::Few
        } else {
            ClassPace::Paused
        }
    }

    /// Whether files recovered recently, and every attempt since had an effect.
    fn comes_back(&self, rules: &ReindexRules, now: Timestamp) -> bool {
        let recent = self
            .back
            .iter()
            .filter(|(at, _)| now.since(*at) < rules.verify_after);
        recent.map(|(_, files)| files).sum::<u64>() >= SURE
    }

    /// Whether the pause after the last attempt is over. It doubles for classes that do not respond.
    fn has_rested(&self, rules: &ReindexRules, now: Timestamp) -> bool {
        let doublings = match self.response {
            Response::Unresponsive => self.in_vain.saturating_sub(1),
            Response::Unknown | Response::Responsive => 0,
        };
        let pause = doubled(rules, doublings);
        self.last.is_none_or(|last| now >= last.after(pause))
    }

    /// How many of a number of files an attempt is expected to recover. In a trial for a class, one file shows as much as many.
    pub(crate) fn gain(&self, files: u64, pace: ClassPace) -> f64 {
        let shows_first = pace == ClassPace::One || (pace == ClassPace::Few && self.last.is_some());
        self.expected * float(if shows_first { files.min(1) } else { files })
    }
}

/// The cooldown after this number of consecutive attempts without effect.
pub(super) fn doubled(rules: &ReindexRules, in_vain: u32) -> Duration {
    let times = 1_u32.checked_shl(in_vain).unwrap_or(u32::MAX);
    rules.cooldown.saturating_mul(times).min(rules.max_cooldown)
}

/// How many folders may try an unknown class at the same time.
fn few(rules: &ReindexRules) -> u32 {
    rules.breaker.no_effect.get().saturating_sub(1).max(1)
}

/// A smaller share of files also recovers by chance while the cause lasts.
const HALF: f64 = 0.5;

/// Whether most of the files with a known result recovered.
pub(super) fn came_back(result: &ClassResult) -> bool {
    float(result.recovered) >= HALF * float(result.recovered + result.refailed)
}

/// Laplace's estimate of the success rate.
fn expected<'a>(results: impl Iterator<Item = &'a ClassResult>) -> f64 {
    let (recovered, judged) = results.fold((0, 0), |(recovered, judged), result| {
        let all = result.recovered + result.refailed;
        (recovered + result.recovered, judged + all)
    });
    float(recovered + 1) / float(judged + 2)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of files are far below 2^52"
)]
const fn float(number: u64) -> f64 {
    number as f64
}
