//! How a read changes what is known of a folder.

use std::collections::HashSet;
use std::sync::Arc;

use super::Folder;
use super::witnesses::hidden;
use crate::classify::ClassSlots;
use crate::clock::Moment;
use crate::collect::due::ReadOutcome;
use crate::collect::error::ReadError;
use crate::collect::read_task::{FolderRead, Found};
use crate::collect::watched::{Watch, failed_files};
use crate::config::Reindex;
use crate::count::{DoneFiles, FolderCount, Way, are_few};
use crate::history::{CompletedRead, DepartureReason, FullRead, classes, misses_files, oldest};
use crate::model::FileKey;
use crate::snapshot::{Counts, FolderState, SortingState, Unavailable};

impl Folder {
    /// Applies a read that was not refused.
    pub fn finish_read(
        &mut self,
        read: FolderRead,
        class_slots: &mut ClassSlots,
        reindex: &Reindex,
    ) -> ReadOutcome {
        let outcome = match read.result {
            _ if !self.is_collected() => ReadOutcome::NothingToCount,
            Ok(Found::ManyPages | Found::Unsorted) => ReadOutcome::Failed,
            Ok(Found::Counted(count)) => {
                self.finish_count(*count, &read.watched, class_slots, reindex);
                ReadOutcome::Counted
            }
            Err(error) if error.is_gone() => {
                self.leave(DepartureReason::Gone, Moment::now().wall);
                ReadOutcome::NothingToCount
            }
            Err(error) => {
                self.unavailable(Unavailable::Error, error.to_string());
                ReadOutcome::Failed
            }
        };
        self.end_read(outcome)
    }

    /// Applies a count. The list of folders, and the last full read, may contradict it.
    pub fn finish_count(
        &mut self,
        mut read: CompletedRead,
        watched: &HashSet<FileKey>,
        class_slots: &mut ClassSlots,
        reindex: &Reindex,
    ) {
        let count = &mut read.count;
        if let Some(order) = count.order {
            self.stored.note_order(order);
        }
        let files = count.files.total();
        self.witnesses
            .counted(files, read.entry.map_or(0, |entry| entry.file_count));
        read.missing_files = self.witnesses.missing();
        // What the list reported long before the read may have been deleted since.
        let recent = self.read_log.reported_recently();
        let reported = recent.unwrap_or(0);
        // No row shows whether the total is right where the list does not end on a page that was read.
        count.consistent &= !count.is_from_both_ends() || recent == Some(files);
        let (hidden, on_no_page) = (hidden(files, reported), self.missing_rows(count));
        count.consistent &= read.missing_files == 0 && are_few(hidden, reported) && on_no_page == 0;
        let left_out = hidden.max(on_no_page);
        count.left_out = count.left_out.map(|files| files.max(left_out));
        let (finished, whole) = self.count(&read, class_slots);
        let misses_files = misses_files(&self.stored.history);
        self.walks
            .counted(&read.count, misses_files, read.ended.steady);
        let watch = Watch {
            files: watched,
            finished: &finished,
            whole,
            before: self.view.failed_files.as_deref(),
        };
        let name = self.view.name.label();
        let mode = reindex.for_folder(self.view.id, name).mode;
        let failed = failed_files(mode, &watch, &read.count, &self.stored, read.began.wall);
        self.view_mut().failed_files = failed;
        self.times_counted = self.times_counted.saturating_add(1);
    }

    /// Files that boundaries may count and that are on no page, as the last full read found.
    fn missing_rows(&self, count: &FolderCount) -> u64 {
        let record = self.stored.record.as_ref();
        let full_read = record.and_then(|record| record.full_read);
        match count.way() {
            Way::Full => 0,
            Way::Sorted => full_read.map_or(0, |full_read| full_read.missing_rows),
        }
    }

    /// The list of folders was read after a refused read: the folder is no longer in it, or it is forbidden.
    pub fn refused(&mut self, error: &ReadError) -> ReadOutcome {
        if self.is_collected() {
            let message = error.of_folder(self.view.id);
            self.unavailable(Unavailable::Forbidden, message);
        }
        self.end_read(ReadOutcome::NothingToCount)
    }

    /// Shows and stores a count; returns the files that are done since the one before, and whether others that it does not show are not there.
    fn count(
        &mut self,
        read: &CompletedRead,
        class_slots: &mut ClassSlots,
    ) -> (Vec<FileKey>, bool) {
        let (count, ended) = (&read.count, read.ended);
        let before = self.stored.record.as_ref();
        if before.is_some_and(|before| before.counts != count.files) {
            self.read_log.saw_change();
        }
        let interval = before.map(|before| ended.wall.since(before.counted));
        let shown = self.stored.apply(read);
        let (id, history) = (self.view.id, &self.stored.history);
        let is_listed = |key: &FileKey| count.unfinished.contains_key(key);
        let classes = classes(history, &count.files, is_listed);
        let (record, reasons) = (self.stored.record.as_ref(), &count.reasons);
        let counts = Counts {
            files: count.files,
            errors: class_slots.count(id, &classes, reasons, ended.wall, interval.is_none()),
            oldest: oldest(history, is_listed),
            look: record.map(|record| record.look).unwrap_or_default(),
            counted: ended,
            interval,
        };
        if let DoneFiles::Counted(boundaries) = &count.done {
            self.boundaries = Some(Arc::new(boundaries.clone()));
        }
        let view = self.view_mut();
        view.counts = Some(Arc::new(counts));
        view.state = FolderState::Counted;
        self.show_stored();
        shown
    }

    /// Applies a walk of all rows. Its counts are older than those by boundaries that were made meanwhile, and are the count where these are wrong.
    pub fn finish_walk_of_all(
        &mut self,
        read: CompletedRead,
        class_slots: &mut ClassSlots,
        reindex: &Reindex,
    ) {
        let order = read.count.order.unwrap_or_default();
        if order == SortingState::Refuted {
            self.doubt_boundaries();
            return self.finish_count(read, &HashSet::new(), class_slots, reindex);
        }
        self.stored.note_order(order);
        if let Some(record) = &mut self.stored.record {
            let full_read =
                FullRead::of(&read.count, read.entry, read.ended.wall, record.full_read);
            record.full_read = full_read.or(record.full_read);
        }
        self.show_stored();
    }

    /// The folder is not sorted: counts by boundaries are no base for what follows.
    pub fn doubt_boundaries(&mut self) {
        let is_sorted = |counts: &Arc<Counts>| counts.look.way == Way::Sorted;
        if self.view.counts.as_ref().is_some_and(is_sorted) {
            self.stored.forget_base();
            if let Some(counts) = &mut self.view_mut().counts {
                Arc::make_mut(counts).look.consistent = false;
            }
        }
    }
}
