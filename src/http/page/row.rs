//! The folders of all portals, and the order of the list.

use std::borrow::Cow;
use std::cmp::Reverse;

use crate::clock::Moment;
use crate::health::{FolderHealth, Health, Kind, PortalHealth, Severity};
use crate::http::page::query::{PAGE, Query, Sort};
use crate::model::{Series, Status, Timestamp};
use crate::snapshot::{Counts, FolderView, PortalView};

pub(super) struct Row<'a> {
    pub(super) portal: &'a PortalView,
    pub(super) folder: &'a FolderView,
    name: Cow<'a, str>,
    pub(super) health: &'a FolderHealth,
    /// Its counts, unless they are too old.
    pub(super) counts: Option<&'a Counts>,
    /// Since when the longest-waiting file waits.
    pub(super) oldest: Option<Timestamp>,
    /// Its entries into failed and flagged in the last day.
    pub(super) entered: i64,
}

/// What is known of a portal's folders.
pub(super) struct Coverage {
    pub(super) all: usize,
    /// Those whose last read counted them.
    pub(super) counted: usize,
    /// Those whose counts are shown, and the oldest of these counts.
    pub(super) shown: usize,
    pub(super) oldest: Option<Timestamp>,
}

impl Coverage {
    pub(super) fn of(portal: &PortalView, rows: &[Row<'_>]) -> Self {
        let is_own =
            |row: &&Row<'_>| row.portal.name == portal.name && !row.folder.state.has_left();
        let own: Vec<_> = rows.iter().filter(is_own).collect();
        let shown = own.iter().filter(|row| row.counts.is_some());
        let is_counted = |row: &&&Row<'_>| row.health.is_counted();
        Self {
            all: own.len(),
            counted: own.iter().filter(is_counted).count(),
            shown: shown.clone().count(),
            oldest: shown.filter_map(|row| row.folder.last_success).min(),
        }
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
        folders.map(move |folder| Row::new(portal, folder, now))
    });
    rows.collect()
}

impl<'a> Row<'a> {
    fn new(portal: &'a PortalHealth, health: &'a FolderHealth, now: Moment) -> Self {
        let (portal, folder) = (&*portal.view, &*health.view);
        let counts = health.counts.as_deref();
        let day = Series::step(now.wall).saturating_sub(Series::DAY);
        let entries = [&folder.day.failed_entries, &folder.day.flagged_entries];
        Self {
            portal,
            folder,
            name: folder.title(),
            health,
            counts,
            oldest: counts.and_then(Counts::waiting_since),
            entered: entries.iter().map(|series| series.grown_since(day)).sum(),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Its known files of a status.
    pub(super) fn files(&self, status: Status) -> u64 {
        self.counts.map_or(0, |counts| counts.files[status])
    }

    pub(super) fn waiting(&self) -> u64 {
        self.files(Status::Pending) + self.files(Status::Processing)
    }

    fn is_asked_for(&self, query: &Query) -> bool {
        let name = self.name().to_lowercase();
        let of_portal = query.portal.is_empty() || self.portal.name.as_str() == query.portal;
        of_portal
            && name.contains(&query.name.trim().to_lowercase())
            && (query.error.is_empty() || self.has_error(&query.error))
    }

    fn has_error(&self, class: &str) -> bool {
        let mut errors = self.counts.into_iter().flat_map(|counts| &counts.errors);
        errors.any(|row| row.class.as_str() == class)
    }

    /// The order by trouble: what is wrong, then what is new, then the longest wait.
    fn trouble(&self) -> impl Ord + use<> {
        let mut kinds = self.health.findings.iter().map(|finding| finding.kind);
        let worst: Option<Kind> = kinds.find(|kind| kind.severity() > Severity::Info);
        let files = self.files(Status::Failed) + self.files(Status::Flagged);
        (
            worst.map(Reverse),
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
