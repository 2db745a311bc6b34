//! What the shipped alert rules say of one folder, by the same thresholds: for the status page, which has no Prometheus. Pure.
//!
//! It knows the folder's last day and not its last week. So a spike that the rules excuse by the usual share of a week is shown.

mod threshold;

use std::sync::LazyLock;
use std::time::Duration;

use crate::clock::Moment;
use crate::history::{Day, waiting};
use crate::model::{ByStatus, Series, Status, Timestamp, label_values};
use crate::portal::Trouble;
use crate::snapshot::{Counts, FolderView};

pub use threshold::{SHIPPED, Threshold};

label_values! {
    /// The rules that the page knows, from what needs an answer first.
    pub enum Rule {
        AddressRefused = "KbAddressRefused",
        KeyRejected = "KbKeyRejected",
        PortalDown = "KbPortalDown",
        ConfigReloadFailed = "KbConfigReloadFailed",
        FailedSpike = "KbFailedSpike",
        FlaggedSpike = "KbFlaggedSpike",
        FolderUnavailable = "KbFolderUnavailable",
        CollectionStale = "KbCollectionStale",
        BacklogStuck = "KbBacklogStuck",
        FileStuck = "KbFileStuck",
        ErrorClassSurge = "KbErrorClassSurge",
        FailedRatioHigh = "KbFailedRatioHigh",
        FlaggedWaiting = "KbFlaggedWaiting",
        FolderLost = "KbFolderLost",
    }
}

impl Rule {
    /// The rule that tells of what is wrong with a whole portal.
    pub const fn of(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Unauthorized | Trouble::KeyUnreadable => Self::KeyRejected,
            Trouble::AddressRefused => Self::AddressRefused,
            Trouble::Unreachable
            | Trouble::RateLimited
            | Trouble::ServerError
            | Trouble::InvalidResponse => Self::PortalDown,
        }
    }

    /// Whether it tells of something new, and not of what has been so for long.
    pub const fn is_new(self) -> bool {
        matches!(
            self,
            Self::FailedSpike | Self::FlaggedSpike | Self::ErrorClassSurge
        ) || self.is_uncounted()
    }

    /// Whether it tells of a folder that should be counted and is not.
    pub const fn is_uncounted(self) -> bool {
        matches!(self, Self::FolderUnavailable | Self::CollectionStale)
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
        let spike = |status, entries: &Series, since: Timestamp, limits: [Limit; 2]| {
            let limits = limits.map(Limit::value);
            let is_spike = files[status] > 0 && is_spike(entries, limits, window, now.wall);
            is_spike.then(|| spike(entries, since.max(day.began), now.wall))
        };
        let [failed, flagged] = [Status::Failed, Status::Flagged].map(|status| files[status]);
        let failed_spike = spike(
            Status::Failed,
            &day.failed_entries,
            day.failed_since,
            [Limit::FailedSpikeFiles, Limit::SpikeFactor],
        );
        let flagged_spike = spike(
            Status::Flagged,
            &day.flagged_entries,
            day.flagged_since,
            [Limit::FlaggedSpikeFiles, Limit::FlaggedSpikeFactor],
        );
        let stuck = stuck_since(day, files, window, now.wall);
        let file_stuck = file_stuck_since(day, counts, now.wall);
        let flagged_since = counts.oldest[Status::Flagged]
            .filter(|since| now.wall.since(*since).as_secs_f64() > Limit::FlaggedWait.value());
        let is_high = is_ratio_high(day, files, now.wall);
        let alerts = [
            failed_spike.map(|(files, since)| (Rule::FailedSpike, files, Some(since))),
            flagged_spike.map(|(files, since)| (Rule::FlaggedSpike, files, Some(since))),
            stuck.map(|since| (Rule::BacklogStuck, waiting(files), Some(since))),
            file_stuck.map(|since| (Rule::FileStuck, 1, Some(since))),
            surge(day, counts, now.wall).map(|files| (Rule::ErrorClassSurge, files, None)),
            is_high.then_some((Rule::FailedRatioHigh, failed, None)),
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
        FlaggedSpikeFactor = "flagged_spike_factor",
        FailedRatio = "failed_ratio",
        FailedRatioFiles = "failed_ratio_files",
        FlaggedWait = "flagged_wait_seconds",
        Stuck = "stuck_seconds",
        SurgeFiles = "surge_files",
        SurgeFactor = "surge_factor",
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

/// How long a backlog must stand still, and the folder be counted at least every half of that.
const STUCK: Duration = Duration::from_hours(1);
const LONG_STUCK: Duration = Duration::from_hours(6);

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

/// Since when no waiting file of the folder moved, if that is too long for how often it is counted.
fn stuck_since(
    day: &Day,
    files: &ByStatus<u64>,
    interval: Duration,
    now: Timestamp,
) -> Option<Timestamp> {
    let limit = if interval * 2 <= STUCK {
        STUCK
    } else {
        LONG_STUCK
    };
    let is_known = day.moved != Timestamp::default();
    let is_stuck = waiting(files) > 0 && is_known && now.since(day.moved) >= limit;
    is_stuck.then_some(day.moved)
}

/// Since when a file waits although others moved within the day, if that is too long.
fn file_stuck_since(day: &Day, counts: &Counts, now: Timestamp) -> Option<Timestamp> {
    let moves = day.moved > day.began && now.since(day.moved) < Duration::from_hours(24);
    let since = counts.waiting_since().filter(|_| moves)?;
    (now.since(since).as_secs_f64() > Limit::Stuck.value()).then_some(since)
}

fn is_ratio_high(day: &Day, files: &ByStatus<u64>, now: Timestamp) -> bool {
    let before = Series::step(now.before(Duration::from_mins(30)));
    let was_known = day.failed.first().is_some_and(|first| first <= before);
    let failed = number(files[Status::Failed].min(day.failed.at(before)));
    was_known
        && failed >= Limit::FailedRatioFiles.value()
        && failed > Limit::FailedRatio.value() * number(files.total())
}

/// By how many files the class grew that surges, if one does.
fn surge(day: &Day, counts: &Counts, now: Timestamp) -> Option<u64> {
    let before = Series::step(now.before(Duration::from_hours(6)));
    let grown =
        |[failed, flagged]: [&Series; 2]| failed.grown_since(before) + flagged.grown_since(before);
    let is_large = |growth: i64| number(growth.max(0).unsigned_abs()) >= Limit::SurgeFiles.value();
    let is_surge = is_large(grown([&day.failed, &day.flagged]))
        && is_large(grown([&day.failed_entries, &day.flagged_entries]));
    let classes = counts.errors.iter().filter_map(|row| {
        let growth = row.growth?.six_hours;
        let was = row.files.saturating_sub_signed(growth);
        let surges = number(row.files) >= Limit::SurgeFactor.value() * number(was);
        (surges && is_large(growth)).then_some(growth.unsigned_abs())
    });
    classes.max().filter(|_| is_surge)
}

#[cfg(test)]
mod tests;
