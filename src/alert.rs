//! What the shipped alert rules say of one folder, by the same thresholds: for the status page, which has no Prometheus. Pure.
//!
//! It knows the folder's last day and not its last week. So a spike that the rules excuse by the usual share of a week is shown.

mod threshold;

use std::sync::LazyLock;
use std::time::Duration;

use crate::clock::Moment;
use crate::history::{Day, waiting};
use crate::model::{ByStatus, Series, Status, Timestamp, label_values};
use crate::snapshot::{Counts, FolderView};

pub use threshold::{SHIPPED, Threshold};

label_values! {
    /// The rules that the page knows, from what needs an answer first.
    pub enum Rule {
        PortalUnreadable = "KbPortalUnreadable",
        ExporterProblem = "KbExporterProblem",
        FailedSpike = "KbFailedSpike",
        FlaggedSpike = "KbFlaggedSpike",
        FolderUnreadable = "KbFolderUnreadable",
        CollectionStale = "KbCollectionStale",
        QueueStuck = "KbQueueStuck",
        FileStuck = "KbFileStuck",
        FlaggedWaiting = "KbFlaggedWaiting",
        /// The folder was deleted, or is no longer in the list.
        FolderLeft = "KbFolderUnreadable",
    }
}

impl Rule {
    /// Whether it tells of something new, and not of what has been so for long.
    pub const fn is_new(self) -> bool {
        matches!(self, Self::FailedSpike | Self::FlaggedSpike) || self.is_uncounted()
    }

    /// Whether it tells of a folder that should be counted and is not.
    pub const fn is_uncounted(self) -> bool {
        matches!(self, Self::FolderUnreadable | Self::CollectionStale)
    }
}

/// What a rule says of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alert {
    pub rule: Rule,
    /// How many files it is about.
    pub files: u64,
    pub since: Option<Timestamp>,
}

impl Alert {
    /// The alerts about a folder by its counts.
    pub fn of(folder: &FolderView, counts: &Counts, now: Moment) -> Vec<Self> {
        let (day, files) = (&*folder.day, &counts.files);
        let window = counts.interval.unwrap_or_default();
        let spike = |status, entries: &Series, since: Timestamp, limits: [f64; 2]| {
            let is_spike = files[status] > 0 && is_spike(entries, limits, window, now.wall);
            is_spike.then(|| spike(entries, since.max(day.began), now.wall))
        };
        let flagged = files[Status::Flagged];
        let failed_spike = spike(
            Status::Failed,
            &day.failed_entries,
            day.failed_since,
            [Limit::FailedSpikeFiles.value(), Limit::SpikeFactor.value()],
        );
        let flagged_spike = spike(
            Status::Flagged,
            &day.flagged_entries,
            day.flagged_since,
            [Limit::FlaggedSpikeFiles.value(), 0.0],
        );
        let stuck = stuck_since(day, files, window, now.wall);
        let waits =
            |since: &Timestamp, limit: Limit| now.wall.since(*since).as_secs_f64() > limit.value();
        let file_stuck = counts
            .waiting_since()
            .filter(|since| waits(since, Limit::Stuck));
        let flagged_since =
            counts.oldest[Status::Flagged].filter(|since| waits(since, Limit::FlaggedWait));
        let alerts = [
            failed_spike.map(|(files, since)| (Rule::FailedSpike, files, Some(since))),
            flagged_spike.map(|(files, since)| (Rule::FlaggedSpike, files, Some(since))),
            stuck.map(|since| (Rule::QueueStuck, waiting(files), Some(since))),
            file_stuck.map(|since| (Rule::FileStuck, 1, Some(since))),
            flagged_since.map(|since| (Rule::FlaggedWaiting, flagged, Some(since))),
        ];
        let alerts = alerts.into_iter().flatten();
        let alerts = alerts.map(|(rule, files, since)| Self { rule, files, since });
        alerts.collect()
    }
}

label_values! {
    /// The thresholds by which the page judges, by their names in the shipped rules.
    pub enum Limit {
        FailedSpikeFiles = "failed_spike_files",
        SpikeFactor = "spike_factor",
        FlaggedSpikeFiles = "flagged_spike_files",
        FlaggedWait = "flagged_wait_seconds",
        Stuck = "stuck_seconds",
    }
}

impl Limit {
    /// A rule whose threshold the file does not name is never shown; a test sees to it that there is none.
    fn value(self) -> f64 {
        static SHIPPED: LazyLock<[f64; Limit::ALL.len()]> = LazyLock::new(|| {
            let shipped = |limit: Limit| threshold::shipped(limit.as_str());
            Limit::ALL.map(|limit| shipped(limit).unwrap_or(f64::INFINITY))
        });
        SHIPPED[self as usize]
    }
}

/// A quarter of an hour, in which entries are a spike.
const QUARTER: u32 = 3;

/// How long files must wait while none finishes, and how often the folder must be counted at least.
const STUCK: Duration = Duration::from_hours(1);

#[expect(clippy::cast_precision_loss, reason = "compared with a threshold")]
const fn number(files: u64) -> f64 {
    files as f64
}

/// Whether the entries of the last quarter of an hour, or between two counts where that is longer, are as many as the limit, and so many
/// times what the rest of the day leads one to expect.
fn is_spike(
    entries: &Series,
    [minimum, factor]: [f64; 2],
    interval: Duration,
    now: Timestamp,
) -> bool {
    let last = Series::step(now);
    let steps = (interval.as_secs() / Series::STEP.as_secs()).try_into();
    let steps = steps.unwrap_or(u32::MAX).clamp(QUARTER, Series::DAY / 2);
    let begin = last.saturating_sub(steps);
    let entered = entries.grown_since(begin).unsigned_abs();
    if number(entered) < minimum {
        return false;
    }
    // The quarters of an hour before, and the largest of each hour.
    let first = last
        .saturating_sub(Series::DAY)
        .max(entries.first().unwrap_or(last));
    let grown = |from: u32, to: u32| number(entries.at(to).saturating_sub(entries.at(from)));
    let known = f64::from(begin.saturating_sub(first).max(1));
    let usual = grown(first, begin) / known * f64::from(steps);
    let hours = (1..24).map(|hour| begin.saturating_sub(hour * 12));
    let mut bursts: Vec<_> = hours
        .map(|hour| {
            let quarters = (0..12).map(|step| grown(hour + step - QUARTER, hour + step));
            quarters.fold(0.0, f64::max)
        })
        .collect();
    bursts.sort_unstable_by(f64::total_cmp);
    let burst = bursts.get(bursts.len() * 3 / 4).copied().unwrap_or(0.0);
    number(entered) >= factor * usual.max(burst)
}

/// The entries without a pause, which began at a time, as far as they are of the last day; and since when.
fn spike(entries: &Series, since: Timestamp, now: Timestamp) -> (u64, Timestamp) {
    let since = since.max(now.before(Duration::from_hours(24)));
    let before = Series::step(since).saturating_sub(1);
    (entries.grown_since(before).unsigned_abs(), since)
}

/// Since when no waiting file of the folder moved, if that is too long.
fn stuck_since(
    day: &Day,
    files: &ByStatus<u64>,
    interval: Duration,
    now: Timestamp,
) -> Option<Timestamp> {
    let is_known = day.moved != Timestamp::default() && interval <= STUCK;
    let is_stuck = waiting(files) > 0 && is_known && now.since(day.moved) >= STUCK;
    is_stuck.then_some(day.moved)
}

#[cfg(test)]
mod tests;
