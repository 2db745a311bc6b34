//! The folders of all portals as the list shows them: filtered, in order, one page of them.

use std::cmp::Reverse;
use std::time::Duration;

use crate::clock::Moment;
use crate::health::{FolderHealth, Health, Status as Wellness};
use crate::http::page::query::{NOT_COUNTED, PAGE, Query, Sort};
use crate::model::Status;
use crate::snapshot::{Counts, FolderView, PortalView, Snapshot};

pub(super) struct Row<'a> {
    pub(super) portal: &'a PortalView,
    pub(super) folder: &'a FolderView,
    pub(super) health: &'a FolderHealth,
    /// Its counts, unless they are too old.
    pub(super) counts: Option<&'a Counts>,
    /// How long the longest-waiting file waits.
    pub(super) waiting: Option<Duration>,
}

/// One page of the folders that match.
pub(super) struct Rows<'a> {
    pub(super) shown: Vec<Row<'a>>,
    /// All folders that match, on all pages.
    pub(super) total: usize,
    /// The page, from 1.
    pub(super) page: usize,
    pub(super) pages: usize,
}

impl<'a> Row<'a> {
    pub(super) fn new(
        portal: &'a PortalView,
        folder: &'a FolderView,
        health: &'a FolderHealth,
        now: Moment,
    ) -> Self {
        let counts = portal.fresh_counts(folder, now);
        let oldest = counts.map(|counts| {
            let waiting = [Status::Pending, Status::Processing];
            waiting
                .into_iter()
                .filter_map(|status| counts.oldest[status])
                .min()
        });
        Self {
            portal,
            folder,
            health,
            counts,
            waiting: oldest.flatten().map(|oldest| now.wall.since(oldest)),
        }
    }

    /// Its known files of a status.
    pub(super) fn files(&self, status: Status) -> u64 {
        self.counts.map_or(0, |counts| counts.files[status])
    }

    fn is_asked_for(&self, query: &Query) -> bool {
        let name = self.folder.name.label().to_lowercase();
        let of_portal = query.portal.is_empty() || self.portal.name.as_str() == query.portal;
        of_portal && name.contains(&query.name.trim().to_lowercase()) && self.has(&query.status)
    }

    /// Whether it has files of a status; any other word matches every folder.
    fn has(&self, status: &str) -> bool {
        if status == NOT_COUNTED {
            return self.counts.is_none() || self.health.reason.is_some();
        }
        let status = Status::ALL
            .into_iter()
            .find(|known| known.as_str() == status);
        status.is_none_or(|status| self.files(status) > 0)
    }

    /// The order by trouble: cannot be counted, then failed and flagged files, then the longest wait.
    fn trouble(&self) -> (bool, u64, Option<Duration>) {
        let files = self.files(Status::Failed) + self.files(Status::Flagged);
        (self.health.status != Wellness::Pass, files, self.waiting)
    }
}

impl<'a> Rows<'a> {
    /// The page that a query asks for, or the last one if there are fewer.
    pub(super) fn find(
        snapshot: &'a Snapshot,
        health: &'a Health,
        query: &Query,
        now: Moment,
    ) -> Self {
        let portals = snapshot.portals.iter().zip(&health.portals);
        let mut rows: Vec<_> = portals
            .flat_map(|(portal, health)| {
                let folders = portal.folders.values().zip(&health.folders);
                folders.map(move |(folder, health)| Row::new(portal, folder, health, now))
            })
            .filter(|row| row.is_asked_for(query))
            .collect();
        rows.sort_by_cached_key(|row| row.folder.name.label().to_lowercase());
        match query.sort {
            Sort::Name => {}
            Sort::Trouble => rows.sort_by_key(|row| Reverse(row.trouble())),
            Sort::Failed => rows.sort_by_key(|row| Reverse(row.files(Status::Failed))),
            Sort::Flagged => rows.sort_by_key(|row| Reverse(row.files(Status::Flagged))),
            Sort::Waiting => rows.sort_by_key(|row| Reverse(row.waiting)),
            Sort::Age => {
                rows.sort_by_key(|row| Reverse(row.health.age_seconds.unwrap_or(u64::MAX)));
            }
        }
        let total = rows.len();
        let pages = total.div_ceil(PAGE).max(1);
        let page = query.page.clamp(1, pages);
        Self {
            shown: rows
                .into_iter()
                .skip((page - 1) * PAGE)
                .take(PAGE)
                .collect(),
            total,
            page,
            pages,
        }
    }
}
