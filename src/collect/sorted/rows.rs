//! The rows of single pages, and their sums.

use crate::classify::{ClassExamples, ReasonReader};
use crate::collect::sorted::page::PageStatuses;
use crate::collect::sorted::plan::PAGES_OF_A_RUN;
use crate::count::{Boundaries, DoneFiles, FolderCount, RowsRead, Unfinished};
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
    pub fn read(
        body: &PageBody,
        reasons: &mut ReasonReader,
        clock_ahead: i64,
    ) -> Result<Self, PortalError> {
        let mut statuses = PageStatuses::default();
        let (mut files, mut keys) = (Vec::new(), Vec::new());
        let page = body.read(|row| {
            let status = row.status();
            statuses.add(row.word());
            keys.push(row.key());
            if status != Status::Done {
                let class = status.has_reason().then(|| reasons.classify(row.reason()));
                files.push((row.key(), Unfinished::of(&row, class, clock_ahead)));
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
    examples: ClassExamples,
    files: ByStatus<u64>,
    boundaries: Boundaries,
) -> FolderCount {
    let mut count = FolderCount {
        files,
        examples,
        consistent: false,
        unfinished,
        rows_read: ByStatus::default(),
        done: DoneFiles::Counted(boundaries),
        failed_page: None,
        rows_beyond: None,
        requests: 0,
    };
    let listed = count.listed();
    count.rows_read = ByStatus::from_fn(|status| RowsRead {
        from: 0,
        next: (listed[status] < files[status]).then_some(PAGES_OF_A_RUN),
    });
    count
}
