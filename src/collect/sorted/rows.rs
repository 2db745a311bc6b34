//! The sums over the files of several pages.

use crate::classify::ErrorTally;
use crate::count::{Boundaries, DoneFiles, FolderCount, Unfinished};
use crate::model::{ByStatus, FileMap};

/// The sums over the files of several pages in a folder with these counts.
pub(super) fn add_up(
    unfinished: FileMap<Unfinished>,
    mut errors: ErrorTally,
    files: ByStatus<u64>,
    boundaries: Boundaries,
) -> FolderCount {
    let mut read = ByStatus::<u64>::default();
    for Unfinished { status, class, .. } in unfinished.values() {
        read[*status] += 1;
        // Pages of different moments may show more files than were counted: the classes never add up to more than the count.
        if let Some(class) = class.as_ref().filter(|_| read[*status] <= files[*status]) {
            errors.count(*status, class);
        }
    }
    errors.count_unread(ByStatus::from_fn(|status| {
        let unread = files[status].saturating_sub(read[status]);
        if status.has_reason() { unread } else { 0 }
    }));
    FolderCount {
        files,
        errors: errors.finish(),
        consistent: false,
        complete: ByStatus::from_fn(|status| read[status] == files[status]),
        unfinished,
        done: DoneFiles::Counted(boundaries),
        rows_read: ByStatus::default(),
        failed_page: None,
        rows_beyond: None,
        missing_rows: 0,
        requests: 0,
    }
}
