//! What a collector knows of one folder.

mod absence;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::classify::{ClassSlots, ErrorRow};
use crate::collect::audit::schedule::Audits;
use crate::collect::count::Count;
use crate::collect::folder_read::{FolderRead, FolderReadError, LargeScan};
use crate::collect::persisted_folder::PersistedFolder;
use crate::collect::read_schedule::{Candidate, Ending, Facts, Present};
use crate::collect::sorted::Boundaries;
use crate::collect::strategy::Expected;
use crate::collect::watched::{Watch, findings};
use crate::config::Reindex;
use crate::history::{self, DepartureReason, apply};
use crate::model::{ByStatus, FileKey, FolderId, FolderName, Moment, PortalName};
use crate::portal::ListedFolder;
use crate::reindex::CountFindings;
use crate::snapshot::{Counts, FolderState, FolderView, Unavailable, Way};
use crate::state::{FolderChange, SavedFolder, StateError, Subject};

/// One folder.
#[derive(Debug)]
pub(super) struct Folder {
    pub view: Arc<FolderView>,
    pub persisted: PersistedFolder,
    /// Whether it is being read, or what came of that is not settled yet.
    pub reading: bool,
    /// Whether the last read took too long.
    pub slow: bool,
    /// What tells when to read it.
    pub read_schedule: Facts,
    /// What was known before its portal could not be asked.
    before_trouble: Option<FolderState>,
    /// The files that the ledger wants to know about, as of the read under way.
    pub watched: Arc<HashSet<FileKey>>,
    /// What the last count found for reindexing.
    pub findings: Option<Arc<CountFindings>>,
    /// Counts since the process was started.
    pub times_counted: u64,
    /// Where the boundaries between statuses are by the latest count.
    pub boundaries: Arc<Boundaries>,
    /// What is known of its audits.
    pub audits: Audits,
    /// Whether the portal counts files in it that it does not list.
    pub lacks_rows: bool,
    /// The large scan that is under way.
    pub large_scan: Arc<LargeScan>,
}

/// What became of a read, for the collection that it is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Counted,
    /// There is nothing to count: the folder is not there any more, or refused while it is listed.
    Settled,
    Failed,
}

impl Folder {
    pub fn listed(listed: &ListedFolder) -> Self {
        Self::new(listed.id, listed.name.clone(), PersistedFolder::default())
    }

    pub fn restored(id: FolderId, saved: SavedFolder) -> Self {
        let name = saved.name.clone();
        Self::new(id, name, PersistedFolder::restored(saved))
    }

    fn new(id: FolderId, name: FolderName, persisted: PersistedFolder) -> Self {
        let mut folder = Self {
            view: Arc::new(FolderView {
                id,
                name,
                reported_files: None,
                state: persisted
                    .left
                    .map_or(FolderState::Unseen, FolderState::Left),
                counts: None,
                last_success: None,
                full_read: None,
                full_read_difference: None,
                large_scan_pages: None,
                entries: None,
                indexing: history::IndexingTimes::default(),
            }),
            persisted,
            reading: false,
            slow: false,
            read_schedule: Facts::default(),
            before_trouble: None,
            watched: Arc::default(),
            findings: None,
            times_counted: 0,
            boundaries: Arc::default(),
            audits: Audits::default(),
            lacks_rows: false,
            large_scan: Arc::default(),
        };
        folder.show_kept();
        folder
    }

    /// Shows whether a large scan is under way.
    pub fn show_scan(&mut self) {
        let pages = self.large_scan.pages().filter(|_| self.reading);
        if self.view.large_scan_pages != pages {
            self.view_mut().large_scan_pages = pages;
        }
    }

    /// The list names the folder, perhaps by another name than before.
    pub fn found(&mut self, listed: &ListedFolder) {
        if self.is_unlisted() {
            self.persisted.left = None;
            self.view_mut().state = FolderState::Unseen;
            self.show_kept();
        }
        let there = self.is_there();
        let view = self.view_mut();
        view.name = listed.name.clone();
        view.reported_files = there.then_some(listed.file_count);
    }

    /// Whether the latest read found nothing to count, or could not.
    pub fn is_unreadable(&self) -> bool {
        self.view.state.unavailable().is_some()
    }

    /// What is known before the next read.
    pub fn expected(&self) -> Expected {
        let counts = self.persisted.record.as_ref().map(|record| record.counts);
        let reported = self.view.reported_files.unwrap_or(0);
        Expected {
            files: counts.map_or(reported, |counts| expected_files(counts.total(), reported)),
            counts,
        }
    }

    /// The folder cannot be read, because its portal cannot be asked. What is being read may still come.
    pub fn portal_failed(&mut self) {
        if self.is_there() && !self.reading {
            let state = &self.view.state;
            self.before_trouble.get_or_insert_with(|| state.clone());
            self.unavailable(Unavailable::Error, "the portal cannot be read".to_owned());
        }
    }

    /// The folder could be read, and it is not its turn: what its last read found holds (docs/metrics.md, Stale counts).
    pub fn passed_over(&mut self) {
        if let Some(state) = self.before_trouble.take() {
            self.view_mut().state = state;
        }
    }

    /// A read begins. What it says when it has a place.
    pub fn begin(&mut self, watched: Arc<HashSet<FileKey>>, now: Instant) -> Arc<AtomicBool> {
        self.reading = true;
        self.large_scan = Arc::default();
        self.watched = watched;
        self.before_trouble = None;
        self.read_schedule.begin(now)
    }

    /// The folder as one that could be read.
    pub fn candidate(&self, present: Present, now: Moment) -> Candidate {
        let counts = self.view.counts.as_deref();
        Candidate {
            id: self.view.id,
            need: self.read_schedule.need(counts),
            waited: self.read_schedule.waited(self.view.last_success, now),
            requests: self.read_schedule.requests(counts, present),
        }
    }

    /// Takes in a read that was not refused.
    pub fn folder_read(
        &mut self,
        folder_read: &FolderRead,
        class_slots: &mut ClassSlots,
        reindex: &Reindex,
    ) -> Outcome {
        self.reading = false;
        self.slow = matches!(&folder_read.result, Err(error) if error.is_slow());
        if let Some(ending) = folder_read.ending() {
            self.read_schedule
                .end(ending, self.is_as_before(folder_read));
        }
        match &folder_read.result {
            _ if !self.is_collected() => Outcome::Settled,
            Ok(count) => {
                let errors =
                    class_slots.count(self.view.id, &count.reading.errors, folder_read.ended.wall);
                let finished = self.count(folder_read, count, errors);
                self.find(folder_read, count, &finished, reindex);
                Outcome::Counted
            }
            Err(error) if error.is_gone() => {
                self.leave(DepartureReason::Gone, folder_read.ended.wall);
                Outcome::Settled
            }
            Err(error) => {
                self.unavailable(Unavailable::Error, error.to_string());
                Outcome::Failed
            }
        }
    }

    /// Whether a read counted what the last one counted, beyond doubt.
    fn is_as_before(&self, folder_read: &FolderRead) -> bool {
        let counts = self.view.counts.as_ref();
        let count = folder_read
            .result
            .as_ref()
            .ok()
            .filter(|count| count.consistent);
        counts
            .zip(count)
            .is_some_and(|(before, count)| before.files == count.reading.counts)
    }

    /// Takes in a read that was refused, now that the list of folders was read again: the folder is not in it any more, or it is
    /// forbidden all the same.
    pub fn refused(&mut self, error: &FolderReadError) -> Outcome {
        self.reading = false;
        self.read_schedule.end(Ending::Nothing, true);
        if self.is_collected() {
            self.unavailable(Unavailable::Forbidden, error.to_string());
        }
        Outcome::Settled
    }

    /// What brings the disk up to date.
    pub fn change(&self, portal: &PortalName, class_slots: &ClassSlots) -> FolderChange {
        let subject = Subject {
            portal: portal.clone(),
            id: self.view.id,
            name: self.view.name.clone(),
        };
        let class_slots = class_slots.of(self.view.id).cloned().collect();
        self.persisted.change(subject, class_slots)
    }

    /// Takes in what came of writing the change, and shows the counters that the disk has now.
    pub fn written(&mut self, result: &Result<(), StateError>) {
        self.persisted.written(result);
        self.show_kept();
    }

    /// Takes in a count; returns the files that are done since the one before.
    fn count(
        &mut self,
        folder_read: &FolderRead,
        count: &Count,
        errors: Vec<ErrorRow>,
    ) -> Vec<FileKey> {
        // Where an audit found that pages lack rows, boundaries count rows that are not there.
        let consistent = count.consistent && !(self.lacks_rows && count.way == Way::Sorted);
        let read = history::CompletedRead {
            began: folder_read.began.wall,
            ended: folder_read.ended.wall,
            consistent,
            reading: &count.reading,
        };
        let before = self.persisted.record.as_ref();
        let interval = before.map(|before| read.ended.since(before.counted));
        let mut update = apply(&self.view.name, before, &self.persisted.history, &read);
        let finished = std::mem::take(&mut update.finished);
        let counts = Counts {
            files: count.reading.counts,
            errors,
            oldest: update.oldest,
            consistent,
            counted: folder_read.ended,
            duration: folder_read.ended.elapsed_since(folder_read.began),
            requests: count.requests,
            way: count.way,
            interval,
        };
        if let Some(boundaries) = &count.boundaries {
            self.boundaries = Arc::new(boundaries.clone());
        }
        self.persisted.update(update);
        let view = self.view_mut();
        view.counts = Some(Arc::new(counts));
        view.state = FolderState::Counted;
        finished
    }

    /// Keeps what a count found for reindexing.
    fn find(
        &mut self,
        folder_read: &FolderRead,
        count: &Count,
        finished: &[FileKey],
        reindex: &Reindex,
    ) {
        let mode = reindex
            .for_folder(self.view.id, self.view.name.label())
            .mode;
        let watch = Watch {
            files: &self.watched,
            finished,
            before: self.findings.as_deref(),
        };
        self.findings = findings(mode, &watch, count, &self.persisted, folder_read.began.wall);
        self.times_counted = self.times_counted.saturating_add(1);
    }

    /// Shows by how much the last audit differed from the boundaries.
    pub fn show_difference(&mut self, difference: ByStatus<i64>) {
        self.view_mut().full_read_difference = Some(difference);
    }

    /// Shows the classes of the last count with other class slots.
    pub fn show_errors(&mut self, errors: Vec<ErrorRow>) {
        if let Some(counts) = &mut self.view_mut().counts {
            Arc::make_mut(counts).errors = errors;
        }
    }

    fn unavailable(&mut self, reason: Unavailable, message: String) {
        self.view_mut().state = FolderState::Unavailable { reason, message };
    }

    /// Shows what is kept: all of it while the folder is there, nothing when it left.
    fn show_kept(&mut self) {
        let there = self.is_there();
        let counters = self.persisted.counters();
        let record = self.persisted.record.as_ref().filter(|_| there);
        let last_success = record.map(|record| record.counted);
        let full_read = record.and_then(|record| record.full_read);
        let view = self.view_mut();
        view.last_success = last_success;
        view.full_read = full_read;
        view.entries = there.then_some(counters.entries);
        view.indexing = counters.indexing;
    }

    fn view_mut(&mut self) -> &mut FolderView {
        Arc::make_mut(&mut self.view)
    }
}

/// Files of a folder that was counted and of which the list now tells a `fileCount`: what was counted and what may have come since, but not
/// any number that the list tells.
fn expected_files(counted: u64, reported: u64) -> u64 {
    const FEW: u64 = 1_000;
    let most = counted.saturating_add(FEW.max(counted / 2));
    reported.clamp(counted, most)
}

#[cfg(test)]
mod tests {
    use super::expected_files;

    #[test]
    fn what_the_list_tells_is_believed_as_far_as_it_can_be_true() {
        for (counted, reported, files) in [
            (500, 0, 500),
            (500, 700, 700),
            (500, u64::MAX, 1_500),
            (100_000, 130_000, 130_000),
            (100_000, 900_000, 150_000),
            (u64::MAX, 3, u64::MAX),
        ] {
            assert_eq!(expected_files(counted, reported), files);
        }
    }
}
