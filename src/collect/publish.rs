//! What a collector shows, and what it keeps.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tracing::error;

use crate::collect::Collector;
use crate::collect::folder::Folder;
use crate::config::Strategy;
use crate::model::{FolderId, Moment, Timestamp};
use crate::snapshot::PortalView;
use crate::state::StateError;

/// Counts are kept for this many intervals at least (docs/metrics.md, Stale counts).
const STALE_INTERVALS: u32 = 3;

/// And for as many cycles (docs/metrics.md, Stale counts).
const STALE_ATTEMPTS: u32 = 2;

/// Snapshots are at least this far apart: each costs time for every folder of the portal, and thousands may be read in a second.
const PUBLISH_GAP: Duration = Duration::from_millis(50);

/// The gap is at least so many times what a snapshot takes to make.
const PUBLISH_SHARE: u32 = 10;

impl Collector {
    /// Shows what is known, at once or after what is left of the gap.
    pub(super) fn publish_soon(&mut self) {
        self.unpublished = true;
        if Instant::now() >= self.publish_at {
            self.publish(Moment::now());
        }
    }

    /// Shows what is known now.
    pub(super) fn publish(&mut self, now: Moment) {
        let began = Instant::now();
        self.folders.values_mut().for_each(Folder::show_scan);
        let shown = self
            .folders
            .values()
            .filter(|folder| folder.shown(now.wall));
        let folders: BTreeMap<_, _> = shown
            .map(|folder| (folder.view.id, Arc::clone(&folder.view)))
            .collect();
        let stale_after = self.stale_after();
        self.state_error = self.refused();
        self.dependencies.publisher.publish(PortalView {
            name: self.settings.portal.clone(),
            list: self.list.clone(),
            folders,
            classes: Arc::new(self.class_slots.classes()),
            errors: Arc::clone(&self.settings.errors),
            reindex: Arc::clone(&self.settings.reindex),
            collections: self.collections.clone(),
            stale_after,
            state_error: self.state_error.clone(),
            sorting: self.sorting.state(),
            unsorted: self.unsorted(),
            panics: self.panics,
        });
        self.unpublished = false;
        self.publish_at = Instant::now() + PUBLISH_GAP.max(began.elapsed() * PUBLISH_SHARE);
    }

    /// Counts that are older are withdrawn: not those of a folder that rests, and has its turn when the rest is over.
    pub(super) fn stale_after(&self) -> Duration {
        let interval = self.collections.interval().unwrap_or_default();
        let cycle = self.cycles.held(std::time::Instant::now());
        let turns = (interval * STALE_INTERVALS).max(cycle * STALE_ATTEMPTS);
        let oldest = self.longest_rest().saturating_add(turns);
        self.settings.stale_after.max(oldest)
    }

    /// How long a quiet folder may rest between two reads, where that is longer than an interval.
    fn longest_rest(&self) -> Duration {
        let quiet_every = self.settings.quiet_every;
        let rests = self.collections.gap.is_some_and(|gap| gap < quiet_every);
        if rests { quiet_every } else { Duration::ZERO }
    }

    /// Why every page is read though the configuration asks for less.
    fn unsorted(&self) -> Option<String> {
        let refutation = self.sorting.refutation();
        let refutation = refutation.filter(|_| self.settings.strategy != Strategy::Full);
        refutation.map(|refutation| {
            format!("the portal does not sort by status, so every page is read: {refutation}")
        })
    }

    /// Assigns the portal's class slots at the end of a collection; not before every folder that is being read was counted once.
    pub(super) async fn choose_classes(&mut self) {
        let mut folders = self.folders.values();
        if folders.any(|folder| folder.reading && folder.times_counted == 0) {
            return;
        }
        let mut changed = Vec::new();
        for (id, errors) in self.class_slots.settle() {
            if let Some(folder) = self.folders.get_mut(&id) {
                folder.show_errors(errors);
                changed.push(id);
            }
        }
        self.save_all(&changed).await;
    }

    /// Keeps what is known of a folder on disk.
    pub(super) async fn save(&mut self, id: FolderId) {
        self.save_all(&[id]).await;
    }

    /// Keeps what is known of folders on disk, all in one transaction.
    pub(super) async fn save_all(&mut self, ids: &[FolderId]) {
        let folders = ids.iter().filter_map(|id| self.folders.get(id));
        let changes: Vec<_> = folders
            .map(|folder| folder.change(&self.settings.portal, &self.class_slots))
            .collect();
        if changes.is_empty() {
            return;
        }
        let result = self.dependencies.store.write(changes).await;
        self.say_refused(&result);
        for id in ids {
            if let Some(folder) = self.folders.get_mut(id) {
                folder.written(&result);
            }
        }
    }

    /// Keeps on disk when every folder was counted.
    pub(super) async fn save_success(&mut self, at: Timestamp) {
        let portal = self.settings.portal.as_str().to_owned();
        let result = self
            .dependencies
            .store
            .write_success(portal, at.as_millis())
            .await;
        self.say_refused(&result);
        self.success_refused = result.err();
    }

    /// Says that the disk refuses, when that is new.
    pub(super) fn say_refused(&mut self, result: &Result<(), StateError>) {
        if let (Err(failed), None) = (result, &self.state_error) {
            error!(portal = %self.settings.portal, error = %failed, "state cannot be kept: counters of entries stand still");
            self.state_error = Some(failed.to_string());
        }
    }

    /// Why something that is known is not on disk.
    fn refused(&self) -> Option<String> {
        let folders = self.folders.values();
        let mut refused = folders.filter_map(|folder| folder.persisted.refused.as_ref());
        let first = refused.next().or(self.success_refused.as_ref());
        first.map(ToString::to_string)
    }
}
