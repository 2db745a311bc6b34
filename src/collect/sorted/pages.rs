//! The pages of one read, and what they show together: pure.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::classify::ClassExamples;
use crate::collect::layout::{Layout, PageNumber};
use crate::collect::sorted::map::{CellRange, List, add};
use crate::collect::sorted::page::PageRows;
use crate::count::{DoneFiles, FolderCount};
use crate::model::{ByStatus, Status};
use crate::portal::PageRequest;

pub(super) struct Pages {
    /// The latest read of each page, in the order of the reads.
    reads: Vec<PageRead>,
    /// By the latest total.
    pub layout: Layout,
    pub pass: u32,
}

struct PageRead {
    page: PageNumber,
    rows: PageRows,
    /// The latest pass that it belongs to.
    pass: u32,
    /// Whether it has the expected number of rows, and no file twice.
    whole: bool,
}

impl Pages {
    pub fn new(from_both_ends: bool) -> Self {
        Self {
            reads: Vec::new(),
            layout: Layout {
                total: 0,
                page_size: 1,
                from_both_ends,
            },
            pass: 0,
        }
    }

    /// Adds a page that was just read. The first one tells the page size.
    pub fn add(&mut self, page: PageNumber, rows: PageRows) {
        let rows = if page.is_from_end() {
            rows.reversed()
        } else {
            rows
        };
        self.layout.total = rows.total();
        let mut page_size = Some(self.layout.page_size);
        if self.reads.is_empty() {
            page_size = rows.pagination.page_size;
            self.layout.page_size = rows.rows().max(1);
        }
        let expected = page_size.map(|page_size| {
            let before = page.number().saturating_sub(1).saturating_mul(page_size);
            page_size.min(self.layout.total.saturating_sub(before))
        });
        self.reads.retain(|read| read.page != page);
        self.reads.push(PageRead {
            page,
            whole: rows.is_distinct() && expected.is_none_or(|expected| expected == rows.rows()),
            rows,
            pass: self.pass,
        });
    }

    /// Begins another pass, to which this page belongs as well.
    pub fn begin_pass(&mut self, page: Option<PageNumber>) {
        self.pass += 1;
        let kept = self.reads.iter_mut().find(|read| Some(read.page) == page);
        if let Some(read) = kept {
            read.pass = self.pass;
        }
    }

    pub fn all(&self) -> BTreeSet<PageNumber> {
        self.reads.iter().map(|read| read.page).collect()
    }

    /// The pages that were read in this pass.
    pub fn current(&self) -> BTreeSet<PageNumber> {
        self.reads_of_pass().map(|read| read.page).collect()
    }

    fn reads_of_pass(&self) -> impl Iterator<Item = &PageRead> {
        self.reads.iter().filter(|read| read.pass == self.pass)
    }

    /// Whether the latest page has all rows of the list, if it is the first.
    pub fn holds_all(&self) -> bool {
        let latest = self.reads.last();
        latest.is_some_and(|read| read.rows.rows() >= self.layout.total)
    }

    pub fn has_one_total(&self) -> bool {
        let total = self.layout.total;
        self.reads_of_pass().all(|read| read.rows.total() == total)
    }

    /// Whether no page of this pass lacks rows, or lists a file twice.
    pub fn are_whole(&self) -> bool {
        self.reads_of_pass().all(|read| read.whole)
    }

    /// Whether the list from its end begins with files with which it begins from its start.
    pub fn begin_alike(&self) -> bool {
        let first = |end: fn(u64) -> PageNumber| {
            let read = self.reads.iter().find(|read| read.page == end(1));
            read.map_or(&[][..], |read| read.rows.keys())
        };
        let [start, end] = [
            first(PageNumber::FromStart),
            first(|number| PageNumber::FromEnd(Reverse(number))),
        ];
        let may_meet = (start.len() + end.len()) as u64 >= self.layout.total;
        !may_meet && start.iter().any(|key| end.binary_search(key).is_ok())
    }

    /// Whether no page lists a file twice.
    pub fn are_distinct(&self) -> bool {
        self.reads.iter().all(|read| read.rows.is_distinct())
    }

    /// The statuses by position that this pass showed.
    pub fn ranges(&self) -> Vec<CellRange> {
        let total = self.layout.total;
        let mut reads: Vec<_> = self.reads_of_pass().collect();
        reads.sort_unstable_by_key(|read| read.page);
        let mut ranges = Vec::new();
        for PageRead { page, rows, .. } in &reads {
            // Rows behind the current end of the list are gone.
            let end = if rows.total() > total {
                total
            } else {
                u64::MAX
            };
            let start = self.layout.positions(*page, rows.rows()).start;
            for (range, word) in rows.positions(start) {
                add(&mut ranges, range.start..range.end.min(end), Some(word));
            }
        }
        // Behind the last row that was seen, the total may count rows that no page has.
        for PageRead { page, rows, .. } in reads {
            let missing = self.layout.positions(*page, rows.rows()).end;
            add(&mut ranges, missing..self.layout.span(*page).end, None);
        }
        ranges
    }

    /// The files that were read, with the counts of the list.
    pub fn add_up(
        self,
        list: &List,
        whole: ByStatus<bool>,
        examples: ClassExamples,
    ) -> FolderCount {
        FolderCount {
            files: list.counts(),
            examples,
            failed_page: self.failed_page(),
            unfinished: self
                .reads
                .into_iter()
                .flat_map(|read| read.rows.files)
                .collect(),
            whole,
            done: DoneFiles::Counted(list.boundaries()),
            ..FolderCount::default()
        }
    }

    /// The first page with a failed file.
    fn failed_page(&self) -> Option<PageRequest> {
        let shows_failed = |read: &&PageRead| {
            let mut files = read.rows.files.iter();
            files.any(|(_, file)| file.status == Status::Failed)
        };
        let pages = self.reads.iter().filter(shows_failed);
        pages.map(|read| read.page).min().map(PageNumber::request)
    }
}
