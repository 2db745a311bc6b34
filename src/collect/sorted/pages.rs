//! The pages of one read, and what they show together: pure.

use std::collections::{BTreeMap, BTreeSet};

use crate::aggregate::TallyContext;
use crate::classify::Reasons;
use crate::collect::error::{ReadError, read_rows};
use crate::collect::layout::Layout;
use crate::collect::sorted::map::{CellRange, List, add};
use crate::collect::sorting::comes_again;
use crate::count::{DoneFiles, FolderCount, MAX_FILES, Unfinished};
use crate::model::{ByStatus, FileKey, Status, StatusWord};
use crate::portal::{PageBody, PageRequest, Sort};

pub(super) struct Pages<'a> {
    /// The latest read of each page.
    reads: BTreeMap<PageRequest, PageRead>,
    /// The files on them that are not done, in the order of the reads. In one piece, because there may be many of them.
    files: Vec<(PageRequest, FileKey, Unfinished)>,
    /// By the latest total.
    pub layout: Layout,
    pub pass: u32,
    reasons: Reasons,
    context: &'a TallyContext,
}

struct PageRead {
    total: u64,
    /// The statuses in the order of the list: each run with its number of files.
    runs: Vec<(StatusWord, u64)>,
    /// The files of all rows of the first page from either end, in the order of their keys.
    keys: Vec<FileKey>,
    /// Whether no file is on it twice.
    is_distinct: bool,
    /// Whether it has the expected number of rows, and no file twice.
    is_whole: bool,
    /// The latest pass that it belongs to.
    pass: u32,
}

impl PageRead {
    fn rows(&self) -> u64 {
        self.runs.iter().map(|(_, files)| files).sum()
    }
}

impl<'a> Pages<'a> {
    pub fn new(from_both_ends: bool, context: &'a TallyContext) -> Self {
        Self {
            reads: BTreeMap::new(),
            files: Vec::new(),
            layout: Layout {
                total: 0,
                page_size: 1,
                from_both_ends,
            },
            pass: 0,
            reasons: Reasons::default(),
            context,
        }
    }

    /// Begins anew, to read each page from the nearer end.
    pub fn restart_from_both_ends(&mut self) {
        self.reads.clear();
        self.files.clear();
        self.layout.from_both_ends = true;
        self.pass = 0;
    }

    /// Adds a page that was just read; returns whether it is sorted. The one with most rows tells the page size: any other may lack some.
    pub fn add(&mut self, page: PageRequest, body: &PageBody) -> Result<bool, ReadError> {
        let (mut runs, mut files, mut keys) = (Vec::<(_, u64)>::new(), Vec::new(), Vec::new());
        let pagination = read_rows(page, body, |row| {
            match runs.last_mut() {
                Some((word, files)) if *word == row.word() => *files += 1,
                _ => runs.push((row.word(), 1)),
            }
            keys.push(row.key());
            if row.status() != Status::Done {
                let (context, reasons) = (self.context, &mut self.reasons);
                let (classifier, ahead) = (&context.classifier, context.clock_ahead);
                let file = Unfinished::read(&row, classifier, reasons, ahead);
                files.push((page, row.key(), file));
            }
        })?;
        let total = pagination.total;
        if total > MAX_FILES {
            return Err(ReadError::ImplausibleTotal { total });
        }
        if page.is_descending() {
            runs.reverse();
        }
        keys.sort_unstable();
        let is_distinct = keys.windows(2).all(|pair| pair[0] != pair[1]);
        let rows = keys.len() as u64;
        let mut page_size = Some(self.layout.page_size);
        if self.reads.is_empty() {
            page_size = pagination.page_size;
        }
        self.layout.page_size = self.layout.page_size.max(rows);
        let has_all_rows = page_size.is_none_or(|page_size| {
            let before = page.page.saturating_sub(1).saturating_mul(page_size);
            rows == page_size.min(total.saturating_sub(before))
        });
        self.layout.total = total;
        if page.page > 1 {
            keys = Vec::new();
        }
        let is_sorted = !comes_again(runs.iter().map(|(word, _)| *word));
        let read = PageRead {
            total,
            runs,
            keys,
            is_distinct,
            is_whole: is_distinct && has_all_rows,
            pass: self.pass,
        };
        if self.reads.insert(page, read).is_some() {
            self.files.retain(|(of, ..)| *of != page);
        }
        self.files.append(&mut files);
        Ok(is_sorted)
    }

    /// Begins another pass, to which this page belongs as well.
    pub fn begin_pass(&mut self, page: Option<PageRequest>) {
        self.pass += 1;
        if let Some(read) = page.and_then(|page| self.reads.get_mut(&page)) {
            read.pass = self.pass;
        }
    }

    pub fn all(&self) -> BTreeSet<PageRequest> {
        self.reads.keys().copied().collect()
    }

    /// The pages that were read in this pass.
    pub fn current(&self) -> BTreeSet<PageRequest> {
        self.of_pass().map(|(page, _)| page).collect()
    }

    fn of_pass(&self) -> impl Iterator<Item = (PageRequest, &PageRead)> {
        let reads = self.reads.iter().map(|(page, read)| (*page, read));
        reads.filter(|(_, read)| read.pass == self.pass)
    }

    /// Whether one page has all rows of the list.
    pub fn is_one(&self) -> bool {
        let mut reads = self.reads.values();
        reads.any(|read| read.rows() >= self.layout.total)
    }

    pub fn has_one_total(&self) -> bool {
        let total = self.layout.total;
        self.of_pass().all(|(_, read)| read.total == total)
    }

    /// Whether no page of this pass lacks rows, or lists a file twice.
    pub fn are_whole(&self) -> bool {
        self.of_pass().all(|(_, read)| read.is_whole)
    }

    /// Whether no page lists a file twice.
    pub fn are_distinct(&self) -> bool {
        self.reads.values().all(|read| read.is_distinct)
    }

    /// Whether the list from its end begins with files with which it begins from its start.
    pub fn begin_alike(&self) -> bool {
        let first = Sort::Status.page(1);
        let keys = |page| self.reads.get(&page).map_or(&[][..], |read| &read.keys);
        let (start, end) = (keys(first), keys(Sort::StatusDescending.page(1)));
        let may_meet = (start.len() + end.len()) as u64 >= self.layout.total;
        !may_meet && start.iter().any(|key| end.binary_search(key).is_ok())
    }

    /// The statuses by position that this pass showed.
    pub fn ranges(&self) -> Vec<CellRange> {
        let Layout {
            total, page_size, ..
        } = self.layout;
        let mut ranges = Vec::new();
        for (page, read) in self.of_pass() {
            // Rows behind the current end of the list are gone. A page may have more rows than its total allows.
            let end = if read.total > total { total } else { u64::MAX };
            let mut start = self.layout.positions(page, read.rows()).start;
            for (word, files) in &read.runs {
                let next = start.saturating_add(*files);
                add(&mut ranges, start..next.min(end), Some(*word));
                start = next;
            }
        }
        // Behind the last row that was seen, the total may count rows that no page has.
        for (page, read) in self.of_pass() {
            let missing = self.layout.positions(page, read.rows()).end;
            let end = self.layout.positions(page, page_size).end;
            add(&mut ranges, missing..end.min(total), None);
        }
        ranges
    }

    /// The files that were read, with the counts of the list.
    pub fn add_up(self, list: &List, whole: ByStatus<bool>) -> FolderCount {
        let failed = self.files.iter();
        let failed = failed.filter(|(.., file)| file.status == Status::Failed);
        let failed_page = failed.map(|(page, ..)| *page).min();
        // Of two rows of a file, the later one holds.
        let files = self.files.into_iter().map(|(_, key, file)| (key, file));
        FolderCount {
            files: list.counts(),
            reasons: self.reasons,
            failed_page,
            unfinished: files.collect(),
            whole,
            done: DoneFiles::Counted(list.boundaries()),
            ..FolderCount::default()
        }
    }
}
