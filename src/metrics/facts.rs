//! What the portals hold: the snapshot as samples.

use std::time::Duration;

use crate::classify::Class;
use crate::metrics::catalogue as family;
use crate::metrics::reindex;
use crate::metrics::samples::{Samples, float, signed};
use crate::model::{ByStatus, Moment, Status, Timestamp};
use crate::portal::Trouble;
use crate::snapshot::{Counts, FolderState, FolderView, ListState, PortalView, Snapshot};

/// Adds all samples of a snapshot.
pub(super) fn add(samples: &mut Samples, snapshot: &Snapshot, now: Moment) {
    reindex::add_kill_switch(samples, snapshot);
    for portal in &snapshot.portals {
        let decided = snapshot.reindex.get(&portal.name).map(|view| &**view);
        if let Some(Ok(ledger)) = decided.map(|view| &view.ledger) {
            reindex::add_portal(samples, portal, ledger, now);
        }
        add_portal(samples, portal);
        add_collections(samples, portal);
        add_classes(samples, portal, now);
        for folder in portal.folders.values() {
            let labels = Labels::of(portal, folder);
            add_folder(samples, &labels, folder);
            if !matches!(folder.state, FolderState::Left(_)) {
                let rules = portal.reindex.for_folder(folder.id, folder.name.label());
                reindex::add_folder(samples, &labels, rules.mode, folder, decided);
            }
            add_full_read(samples, &labels, folder);
            if let Some(counts) = portal.fresh_counts(folder, now) {
                add_counts(samples, &labels, counts);
            }
        }
    }
}

/// The labels that every series of a folder has.
pub(super) struct Labels<'a> {
    folder: &'a FolderView,
    portal: &'a str,
    id: String,
}

impl<'a> Labels<'a> {
    fn of(portal: &'a PortalView, folder: &'a FolderView) -> Self {
        Self {
            folder,
            portal: portal.name.as_str(),
            id: folder.id.to_string(),
        }
    }

    pub fn plain(&self) -> [&str; 3] {
        [self.portal, &self.id, self.folder.name.label()]
    }

    pub fn with<'b>(&'b self, value: &'b str) -> [&'b str; 4] {
        [self.portal, &self.id, self.folder.name.label(), value]
    }
}

fn add_portal(samples: &mut Samples, portal: &PortalView) {
    let name = portal.name.as_str();
    let up = match portal.list {
        ListState::Unasked | ListState::Failed { .. } => 0.0,
        ListState::Read(_) => 1.0,
    };
    samples.add(&family::PORTAL_UP, &[name], up);
    for trouble in Trouble::ALL {
        let holds = portal.list.trouble() == Some(trouble);
        let labels = [name, trouble.as_str()];
        samples.add(&family::PORTAL_UNAVAILABLE, &labels, flag(holds));
    }
    if let Some(list) = portal.list.facts() {
        samples.add(&family::PORTAL_FOLDERS, &[name], float(list.folders as u64));
    }
}

fn add_collections(samples: &mut Samples, portal: &PortalView) {
    let labels = [portal.name.as_str()];
    let collections = &portal.collections;
    let run = collections.last_run;
    samples.add(&family::COLLECTION_PANICS, &labels, float(portal.panics));
    samples.add_some(
        &family::COLLECTION_LAST_SUCCESS,
        &labels,
        collections.last_success.map(Timestamp::as_seconds),
    );
    samples.add_some(
        &family::COLLECTION_LAST_RUN,
        &labels,
        run.map(|run| run.ended.as_seconds()),
    );
    samples.add_some(
        &family::COLLECTION_DURATION,
        &labels,
        run.map(|run| run.duration.as_secs_f64()),
    );
    samples.add_some(
        &family::COLLECTION_INTERVAL,
        &labels,
        collections.interval().as_ref().map(Duration::as_secs_f64),
    );
}

fn add_classes(samples: &mut Samples, portal: &PortalView, now: Moment) {
    let labels = [portal.name.as_str()];
    let in_use = portal.classes.len() as u64;
    let classes = portal.error_classes(now);
    let other = classes.iter().find(|error| error.class == Class::Other);
    let overflow = other.map_or(0, |error| error.files.total());
    samples.add(&family::ERROR_CLASSES, &labels, float(in_use));
    samples.add(&family::ERROR_OVERFLOW_FILES, &labels, float(overflow));
}

fn add_folder(samples: &mut Samples, labels: &Labels<'_>, folder: &FolderView) {
    let plain = labels.plain();
    samples.add_some(
        &family::FOLDER_REPORTED_FILES,
        &plain,
        folder.reported_files.map(float),
    );
    samples.add_some(
        &family::FOLDER_LAST_SUCCESS,
        &plain,
        folder.last_success.map(Timestamp::as_seconds),
    );
    samples.add_some(
        &family::FOLDER_LAST_FULL_READ,
        &plain,
        folder.full_read.map(|full| full.at.as_seconds()),
    );
    if folder.state != FolderState::Unseen {
        let up = folder.state == FolderState::Counted;
        samples.add(&family::FOLDER_UP, &plain, flag(up));
    }
    if let Some(reason) = folder.state.unavailable() {
        samples.add(
            &family::FOLDER_UNAVAILABLE,
            &labels.with(reason.as_str()),
            1.0,
        );
    }
    if let Some(entries) = &folder.entries {
        add_by_status(
            samples,
            &family::FOLDER_STATUS_ENTRIES,
            labels,
            entries.shown(),
        );
        if folder.indexing.count > 0 {
            samples.add_histogram(&family::FOLDER_INDEXING_SECONDS, &plain, &folder.indexing);
        }
    }
}

fn add_full_read(samples: &mut Samples, labels: &Labels<'_>, folder: &FolderView) {
    let counts = folder.counts.as_deref();
    let unknown = counts.is_some_and(|counts| counts.files[Status::Unknown] > 0);
    let shown = |status| status != Status::Unknown || unknown;
    if let Some(full) = &folder.full_read {
        let sizes = full.sizes.iter().map(|(status, size)| (status, *size));
        let sizes = sizes.filter(|(status, size)| shown(*status) || *size > 0);
        add_by_status(samples, &family::FOLDER_SIZE_BYTES, labels, sizes);
    }
    for (status, difference) in folder.full_read_difference.iter().flat_map(ByStatus::iter) {
        if shown(status) || *difference != 0 {
            let labels = labels.with(status.as_str());
            samples.add(
                &family::FOLDER_FULL_READ_DIFFERENCE,
                &labels,
                signed(*difference),
            );
        }
    }
}

fn add_counts(samples: &mut Samples, labels: &Labels<'_>, counts: &Counts) {
    let plain = labels.plain();
    add_by_status(samples, &family::FOLDER_FILES, labels, counts.files.shown());
    for (status, since) in counts.oldest.iter() {
        samples.add_some(
            &family::FOLDER_OLDEST_FILE,
            &labels.with(status.as_str()),
            since.map(Timestamp::as_seconds),
        );
    }
    samples.add_some(
        &family::FOLDER_COUNT_INTERVAL,
        &plain,
        counts.interval.as_ref().map(Duration::as_secs_f64),
    );
    samples.add(
        &family::FOLDER_COLLECTION_DURATION,
        &plain,
        counts.duration.as_secs_f64(),
    );
    samples.add(
        &family::FOLDER_COLLECTION_REQUESTS,
        &labels.with(counts.way.as_str()),
        float(counts.requests),
    );
    samples.add(&family::FOLDER_CONSISTENT, &plain, flag(counts.consistent));
    for row in &counts.errors {
        let [portal, id, name] = plain;
        let labels = [portal, id, name, row.status.as_str(), row.class.as_str()];
        samples.add(&family::FOLDER_FILE_ERRORS, &labels, float(row.files));
    }
}

fn add_by_status(
    samples: &mut Samples,
    family: &'static family::Family,
    labels: &Labels<'_>,
    values: impl Iterator<Item = (Status, u64)>,
) {
    for (status, value) in values {
        samples.add(family, &labels.with(status.as_str()), float(value));
    }
}

pub(super) fn flag(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}
