//! The folders of all portals, and the order of the list.

use std::borrow::Cow;
use std::cmp::Reverse;

use crate::clock::Moment;
use crate::health::{FolderHealth, Health, Kind, PortalHealth, Severity};
use crate::http::page::query::{PAGE, Query, Sort};
use crate::model::{Series, Status, Timestamp};
use crate::snapshot::{Counts, FolderView, PortalView};

/// The statuses of files that wait.
pub(super) const WAITING: [Status; 2] = [Status::Pending, Status::Processing];

pub(super) struct Row<'a> {
    pub(super) portal: &'a PortalView,
    pub(super) folder: &'a FolderView,
    pub(super) health: &'a FolderHealth,
    pub(super) name: Cow<'a, str>,
    /// Its counts, unless they are too old.
    pub(super) counts: Option<&'a Counts>,
    /// Since when the longest-waiting file waits.
    pub(super) oldest: Option<Timestamp>,
    /// Its entries into failed and flagged in the last day.
    pub(super) entered: i64,
}

/// What is known of a portal's folders.
#[derive(Default)]
pub(super) struct Coverage {
    pub(super) all: u64,
    /// Those whose last read counted them.
    pub(super) counted: u64,
    /// Those whose counts are shown, and the oldest of these counts.
    pub(super) shown: u64,
    pub(super) oldest: Option<Timestamp>,
}

impl Coverage {
    pub(super) fn of(portal: &PortalHealth) -> Self {
        let mut coverage = Self::default();
        let folders = portal.folders.iter();
        for folder in folders.filter(|folder| !folder.view.state.has_left()) {
            coverage.all += 1;
            coverage.counted += u64::from(folder.is_counted());
            if folder.counts.is_some() {
                coverage.shown += 1;
                let times = coverage
                    .oldest
                    .into_iter()
                    .chain(folder.view.last_success());
                coverage.oldest = times.min();
            }
        }
        coverage
    }
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
pub(super) fn all(health: &Health, now: Moment) -> Vec<Row<'_>> {
    let portals = health.portals.iter();
    let rows = portals.flat_map(|portal| {
        let folders = portal.folders.iter();
        folders.map(move |folder| Row::new(&portal.view, folder, now))
    });
    rows.collect()
}

impl<'a> Row<'a> {
    fn new(portal: &'a PortalView, health: &'a FolderHealth, now: Moment) -> Self {
        let folder = &*health.view;
        let counts = health.counts.as_deref();
        let day = Series::step(now.wall).saturating_sub(Series::DAY);
        let entries = [&folder.day.failed_entries, &folder.day.flagged_entries];
        Self {
            portal,
            folder,
            health,
            name: folder.title(),
            counts,
            oldest: counts.and_then(Counts::waiting_since),
            entered: entries.map(|series| series.grown_since(day)).iter().sum(),
        }
    }

    /// Its known files of some statuses.
    pub(super) fn files(&self, statuses: &[Status]) -> u64 {
        let of = |counts: &Counts| statuses.iter().map(|status| counts.files[*status]).sum();
        self.counts.map_or(0, of)
    }

    fn is_asked_for(&self, query: &Query) -> bool {
        let mut errors = self.counts.into_iter().flat_map(|counts| &counts.errors);
        let name = self.name.to_lowercase();
        (query.portal.is_empty() || self.portal.name.as_str() == query.portal)
            && name.contains(&query.name.trim().to_lowercase())
            && (query.error.is_empty() || errors.any(|row| row.class.as_str() == query.error))
    }

    /// The order by trouble: what is wrong, then what is new, then the longest wait.
    fn trouble(&self) -> impl Ord + use<> {
        let mut kinds = self.health.findings.iter().map(|finding| finding.kind);
        let worst: Option<Kind> = kinds.find(|kind| kind.severity() > Severity::Info);
        let files = self.files(&[Status::Failed, Status::Flagged]);
        let oldest = self.oldest.map(Reverse);
        (worst.map(Reverse), self.entered, oldest, files)
    }
}

impl<'r, 'a> Rows<'r, 'a> {
    /// The page that a query asks for, or the last one if there are fewer.
    pub(super) fn find(rows: &'r [Row<'a>], query: &Query) -> Self {
        let mut rows: Vec<_> = rows.iter().filter(|row| row.is_asked_for(query)).collect();
        rows.sort_by_cached_key(|row| row.name.to_lowercase());
        match query.sort {
            Sort::Name => {}
            Sort::Trouble => rows.sort_by_cached_key(|row| Reverse(row.trouble())),
            Sort::Failed => rows.sort_by_key(|row| Reverse(row.files(&[Status::Failed]))),
            Sort::Flagged => rows.sort_by_key(|row| Reverse(row.files(&[Status::Flagged]))),
            Sort::Waiting => rows.sort_by_key(|row| Reverse(row.files(&WAITING))),
            Sort::Oldest => rows.sort_by_key(|row| (row.oldest.is_none(), row.oldest)),
            Sort::New => rows.sort_by_key(|row| Reverse(row.entered)),
            Sort::Age => rows.sort_by_key(|row| row.folder.last_success()),
        }
        let (total, pages) = (rows.len(), rows.len().div_ceil(PAGE).max(1));
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
