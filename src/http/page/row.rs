//! The folders of all portals: how each is read, what the alerts say of it, and the order of the list.

use std::cmp::Reverse;
use std::time::Duration;

use crate::alert::Alert;
use crate::clock::Moment;
use crate::health::{FolderHealth, Health};
use crate::http::page::query::{NOT_COUNTED, PAGE, Query, Sort};
use crate::model::{Series, Status, Timestamp};
use crate::snapshot::{Counts, FolderView, PortalView, Snapshot};

/// Whether a folder can be read, whatever its files are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    Counted,
    /// Since when it was not counted, if it ever was.
    NotCounted(Option<Timestamp>),
    /// It was not read yet.
    Unknown,
}

pub(super) struct Row<'a> {
    pub(super) portal: &'a PortalView,
    pub(super) folder: &'a FolderView,
    pub(super) health: &'a FolderHealth,
    pub(super) reading: Reading,
    /// Its counts, unless they are too old.
    pub(super) counts: Option<&'a Counts>,
    /// Since when the longest-waiting file waits.
    pub(super) oldest: Option<Timestamp>,
    pub(super) alerts: Vec<Alert>,
    /// Its entries into failed and flagged in the last day.
    pub(super) entered: i64,
}

/// One page of the folders that match.
pub(super) struct Rows<'r, 'a> {
    pub(super) shown: Vec<&'r Row<'a>>,
    /// All folders that match, on all pages.
    pub(super) total: usize,
    /// The page, from 1.
    pub(super) page: usize,
    pub(super) pages: usize,
}

/// Every folder.
pub(super) fn all<'a>(snapshot: &'a Snapshot, health: &'a Health, now: Moment) -> Vec<Row<'a>> {
    let portals = snapshot.portals.iter().zip(&health.portals);
    let rows = portals.flat_map(|(portal, health)| {
        let folders = portal.folders.values().zip(&health.folders);
        folders.map(move |(folder, health)| Row::new(portal, folder, health, now))
    });
    rows.collect()
}

impl<'a> Row<'a> {
    fn new(
        portal: &'a PortalView,
        folder: &'a FolderView,
        health: &'a FolderHealth,
        now: Moment,
    ) -> Self {
        let counts = portal.fresh_counts(folder, now);
        let reading = if health.reason.is_some() || health.stale {
            Reading::NotCounted(folder.last_success)
        } else if counts.is_some() {
            Reading::Counted
        } else {
            Reading::Unknown
        };
        let oldest = counts.and_then(|counts| {
            let waiting = [Status::Pending, Status::Processing];
            let oldest = waiting.into_iter().map(|status| counts.oldest[status]);
            oldest.flatten().min()
        });
        let day = Series::step(now.wall).saturating_sub(Series::DAY);
        let entries = [&folder.day.failed_entries, &folder.day.flagged_entries];
        Self {
            portal,
            folder,
            health,
            reading,
            counts,
            oldest,
            alerts: counts.map_or_else(Vec::new, |counts| Alert::of(folder, counts, now)),
            entered: entries.iter().map(|series| series.grown_since(day)).sum(),
        }
    }

    pub(super) fn name(&self) -> &str {
        self.folder.name.label()
    }

    /// Its known files of a status.
    pub(super) fn files(&self, status: Status) -> u64 {
        self.counts.map_or(0, |counts| counts.files[status])
    }

    pub(super) fn waiting(&self) -> u64 {
        self.files(Status::Pending) + self.files(Status::Processing)
    }

    /// Whether it exists and should be counted, and is not; not where its whole portal cannot be read.
    pub(super) fn is_fault(&self) -> bool {
        matches!(self.reading, Reading::NotCounted(_))
            && !self.folder.state.has_left()
            && self.portal.list.trouble().is_none()
    }

    fn is_asked_for(&self, query: &Query) -> bool {
        let name = self.name().to_lowercase();
        let of_portal = query.portal.is_empty() || self.portal.name.as_str() == query.portal;
        of_portal
            && name.contains(&query.name.trim().to_lowercase())
            && self.has(&query.status)
            && (query.error.is_empty() || self.has_error(&query.error))
    }

    /// Whether it has files of a status; any other word matches every folder.
    fn has(&self, status: &str) -> bool {
        if status == NOT_COUNTED {
            return self.reading != Reading::Counted;
        }
        let mut statuses = Status::ALL.into_iter();
        let status = statuses.find(|known| known.as_str() == status);
        status.is_none_or(|status| self.files(status) > 0)
    }

    fn has_error(&self, class: &str) -> bool {
        let mut errors = self.counts.into_iter().flat_map(|counts| &counts.errors);
        errors.any(|row| row.class.as_str() == class)
    }

    /// The order by trouble: what the alerts say, with what is not counted among it, then what is new, then the longest wait.
    fn trouble(&self) -> impl Ord + use<> {
        let first = self.alerts.first().map(|alert| match alert {
            Alert::FailedSpike(_) => 7,
            Alert::FlaggedSpike(_) => 6,
            Alert::BacklogStuck { .. } => 4,
            Alert::ErrorClassSurge => 3,
            Alert::FailedRatioHigh => 2,
            Alert::FlaggedWaiting { .. } => 1,
        });
        let fault = self.is_fault().then_some(5);
        let files = self.files(Status::Failed) + self.files(Status::Flagged);
        (
            first.max(fault),
            self.entered,
            self.oldest.map(Reverse),
            files,
        )
    }
}

impl<'r, 'a> Rows<'r, 'a> {
    /// The page that a query asks for, or the last one if there are fewer.
    pub(super) fn find(rows: &'r [Row<'a>], query: &Query) -> Self {
        let mut rows: Vec<_> = rows.iter().filter(|row| row.is_asked_for(query)).collect();
        rows.sort_by_cached_key(|row| row.name().to_lowercase());
        match query.sort {
            Sort::Name => {}
            Sort::Trouble => rows.sort_by_cached_key(|row| Reverse(row.trouble())),
            Sort::Failed => rows.sort_by_key(|row| Reverse(row.files(Status::Failed))),
            Sort::Flagged => rows.sort_by_key(|row| Reverse(row.files(Status::Flagged))),
            Sort::Waiting => rows.sort_by_key(|row| Reverse(row.waiting())),
            Sort::Oldest => rows.sort_by_key(|row| (row.oldest.is_none(), row.oldest)),
            Sort::New => rows.sort_by_key(|row| Reverse(row.entered)),
            Sort::Age => rows.sort_by_key(|row| row.folder.last_success),
        }
        let total = rows.len();
        let pages = total.div_ceil(PAGE).max(1);
        let page = query.page.clamp(1, pages);
        let shown = rows.into_iter().skip((page - 1) * PAGE).take(PAGE);
        Self {
            shown: shown.collect(),
            total,
            page,
            pages,
        }
    }
}

/// How long a step of the pictures is, in steps of a series: half an hour.
pub(super) const HALF_HOUR: u32 = 6;

/// The ends of the half hours of the last day, the latest first to begin.
pub(super) fn half_hours(now: Timestamp) -> impl DoubleEndedIterator<Item = u32> + Clone {
    let last = Series::step(now);
    let end = last - last % HALF_HOUR + HALF_HOUR - 1;
    (0..Series::DAY / HALF_HOUR)
        .rev()
        .map(move |ago| end.saturating_sub(ago * HALF_HOUR))
}

/// Entries in each half hour of the last day.
pub(super) fn entries(series: &Series, now: Timestamp) -> impl Iterator<Item = u64> {
    half_hours(now).map(|end| {
        series
            .at(end)
            .saturating_sub(series.at(end.saturating_sub(HALF_HOUR)))
    })
}

/// How long a picture is, in bars.
pub(super) const BARS: usize = (Series::DAY / HALF_HOUR) as usize;

/// A duration in whole minutes.
pub(super) const fn minutes(time: Duration) -> u64 {
    time.as_secs() / 60
}
