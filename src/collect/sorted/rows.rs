//! The rows of single pages, and their sums.

use crate::classify::ErrorTally;
use crate::collect::sorted::page::PageStatuses;
use crate::count::{Boundaries, DoneFiles, FolderCount, Unfinished};
use crate::model::{ByStatus, FileKey, FileMap, Status};
use crate::portal::{PageBody, Pagination, PortalError};

pub(super) struct PageRows {
    pub statuses: PageStatuses,
    pub pagination: Pagination,
    /// The files that are not done.
    pub files: Vec<(FileKey, Unfinished)>,
    /// Whether no file is on the page twice.
    pub distinct: bool,
}

impl PageRows {
    pub fn read(body: &PageBody, errors: &mut ErrorTally) -> Result<Self, PortalError> {
        let mut statuses = PageStatuses::default();
        let (mut files, mut keys) = (Vec::new(), Vec::new());
        let page = body.read(|row| {
            let status = row.status();
            statuses.add(row.word());
            keys.push(row.key());
            if status != Status::Done {
                let file = Unfinished {
                    status,
                    created_at: row.created_at(),
                    class: status.has_reason().then(|| errors.classify(row.reason())),
                };
                files.push((row.key(), file));
            }
        })?;
        statuses.total = page.pagination.total.0;
        keys.sort_unstable();
        Ok(Self {
            statuses,
            pagination: page.pagination,
            files,
            distinct: keys.windows(2).all(|pair| pair[0] != pair[1]),
        })
    }
}

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
        failed_page: None,
        rows_beyond: None,
        requests: 0,
    }
}
