//! The folders of all portals, and the order of the list.

use std::borrow::Cow;
use std::cmp::Reverse;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::clock::Moment;
use crate::health::{FolderHealth, Health, Kind, Severity};
use crate::http::page::query::Query;
use crate::model::{FolderId, Series, Status, Timestamp};
use crate::snapshot::{Counts, PortalView};

/// The statuses of files that wait.
pub(super) const WAITING: [Status; 2] = [Status::Pending, Status::Processing];

pub(super) struct Row<'a> {
    pub(super) portal: &'a PortalView,
    pub(super) health: &'a FolderHealth,
    pub(super) name: Cow<'a, str>,
    /// Since when the longest-waiting file waits.
    pub(super) oldest: Option<Timestamp>,
    /// Its entries into failed and flagged in the last day.
    pub(super) entered: u64,
}

/// Every folder.
pub(super) fn all(health: &Health, now: Moment) -> Vec<Row<'_>> {
    let portals = health.portals.iter();
    let folders = portals.flat_map(|portal| portal.folders.iter().map(move |one| (portal, one)));
    let day = Series::step(now.wall).saturating_sub(Series::DAY);
    let rows = folders.map(|(portal, health)| {
        let folder = &*health.view;
        let entries = [&folder.day.failed_entries, &folder.day.flagged_entries];
        let entered = entries.map(|series| series.grown_since(day));
        Row {
            portal: &portal.view,
            health,
            name: folder.title(),
            oldest: health.counts.as_deref().and_then(Counts::waiting_since),
            entered: entered.iter().sum::<i64>().try_into().unwrap_or(0),
        }
    });
    rows.collect()
}

/// The folder of a portal.
pub(super) fn of<'r, 'a>(rows: &'r [Row<'a>], portal: &str, id: FolderId) -> Option<&'r Row<'a>> {
    let mut rows = rows.iter();
    rows.find(|row| row.health.view.id == id && row.portal.name.as_str() == portal)
}

impl Row<'_> {
    /// The link to its page.
    pub(super) fn link(&self) -> String {
        let portal = utf8_percent_encode(self.portal.name.as_str(), NON_ALPHANUMERIC);
        format!("folders/{portal}/{}", self.health.view.id)
    }

    /// Its known files of some statuses.
    pub(super) fn files(&self, statuses: &[Status]) -> Option<u64> {
        let counts = self.health.counts.as_ref()?;
        Some(statuses.iter().map(|status| counts.files[*status]).sum())
    }

    fn is_asked_for(&self, query: &Query) -> bool {
        let counts = self.health.counts.iter();
        let mut errors = counts.flat_map(|counts| &counts.errors);
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

/// The folders that a query asks for, those with trouble first.
pub(super) fn find<'r, 'a>(rows: &'r [Row<'a>], query: &Query) -> Vec<&'r Row<'a>> {
    let mut rows: Vec<_> = rows.iter().filter(|row| row.is_asked_for(query)).collect();
    rows.sort_by_cached_key(|row| (Reverse(row.trouble()), row.name.to_lowercase()));
    rows
}
