//! One read of a folder, as a task of its own.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::aggregate::TallyContext;
use crate::clock::Moment;
use crate::collect::error::ReadError;
use crate::collect::full_scan::{Limits, scan_pages};
use crate::collect::progress::Progress;
use crate::collect::queue::{ReadKind, Walk};
use crate::collect::settings::Settings;
use crate::collect::sorted::{self, Method, SortedRead};
use crate::collect::sorting::contradiction::is_contradiction;
use crate::collect::strategy::{Expected, FEW_PAGES, choose, shows_order};
use crate::config::Strategy;
use crate::count::{Boundaries, FolderCount, Way};
use crate::history::{CompletedRead, ListEntry};
use crate::model::{ByStatus, FileKey, FolderId};
use crate::portal::{Lane, PAGE_SIZE, PageBody, PageRequest, Session, Sort};
use crate::snapshot::SortingState;

/// How often a scan of few pages that is not consistent is repeated, at most.
const MAX_REPETITIONS: u32 = 2;

/// Places at which a status comes again that are looked at: more than files change while a scan is made, of most folders.
const MOST_PLACES: usize = 10;

/// What a read found.
#[derive(Debug)]
pub(super) enum Found {
    Counted(Box<CompletedRead>),
    /// Many pages are to be scanned, which is another kind of read.
    ManyPages,
    /// Pages show that the folder is not sorted by status.
    Unsorted,
}

/// A read that ended, one way or another.
#[derive(Debug)]
pub(super) struct FolderRead {
    /// Requests that were made for it, with those of the reads that it goes on from.
    pub requests: u64,
    /// Whether the last answer was slow.
    pub is_slow: bool,
    /// The files that the ledger watched when it began.
    pub watched: Arc<HashSet<FileKey>>,
    pub result: Result<Found, ReadError>,
}

impl FolderRead {
    /// A read without a result, because a panic ended it.
    pub fn panicked() -> Self {
        Self {
            requests: 0,
            is_slow: false,
            watched: Arc::default(),
            result: Err(ReadError::Panicked),
        }
    }
}

pub(super) struct ReadTask {
    pub settings: Arc<Settings>,
    pub session: Arc<Session>,
    pub folder: FolderId,
    pub kind: ReadKind,
    pub began: Moment,
    /// The folder's entry in the list of folders.
    pub entry: Option<ListEntry>,
    /// Whether the folder is sorted, as far as it is known.
    pub sorting: SortingState,
    /// What a full scan counted, if the folder has not changed since.
    pub scanned: Option<ByStatus<u64>>,
    pub expected: Expected,
    /// Whether a count by boundaries reads all rows of failed and flagged files.
    pub is_walk: bool,
    /// Where the boundaries between statuses were last time.
    pub boundaries: Arc<Boundaries>,
    pub context: TallyContext,
    pub progress: Arc<Progress>,
    pub lane: Arc<Lane>,
    /// Requests that were made for this read so far.
    pub requests: AtomicU64,
}

impl ReadTask {
    /// Reads the folder.
    pub async fn run(self) -> FolderRead {
        let result = self.read().await;
        FolderRead {
            requests: self.requests.into_inner(),
            is_slow: self.lane.is_slow(),
            watched: self.context.watched,
            result,
        }
    }

    async fn read(&self) -> Result<Found, ReadError> {
        match self.kind {
            ReadKind::Count if self.way(self.expected.files) == Way::Sorted => {
                self.count_by_boundaries().await
            }
            ReadKind::Count if self.expected.pages() > FEW_PAGES => Ok(Found::ManyPages),
            ReadKind::Count => match self.scan_few_pages().await? {
                Found::ManyPages if self.way(u64::MAX) == Way::Sorted => {
                    self.count_by_boundaries().await
                }
                found => Ok(found),
            },
            ReadKind::Walk(Walk::WithReason) => self.count_by_boundaries().await,
            ReadKind::Scan | ReadKind::Walk(Walk::AllRows) => self.scan(u64::MAX).await,
        }
    }

    /// How to count the folder, if it has this number of files.
    fn way(&self, files: u64) -> Way {
        let (strategy, is_vouched) = (self.settings.collect.strategy, self.scanned.is_some());
        let expected = Expected {
            files,
            ..self.expected
        };
        choose(strategy, self.sorting, is_vouched, &expected)
    }

    /// Counts by boundaries; scans instead if they moved, or are not known to be right, and the pages are few.
    async fn count_by_boundaries(&self) -> Result<Found, ReadError> {
        match self.search().await {
            Ok(SortedRead { count, is_stable }) => {
                // The portal is known to sort, or a full scan found the same.
                let is_trusted = self.sorting == SortingState::Shown
                    || self.scanned.as_ref() == Some(&count.files);
                let has_many_pages = count.files.total() > FEW_PAGES * PAGE_SIZE;
                if is_stable && is_trusted || has_many_pages || !self.kind.is_count() {
                    // What nothing vouches for is no base for what follows.
                    return Ok(self.counted(FolderCount {
                        consistent: count.consistent && is_trusted,
                        left_out: count.left_out.filter(|_| is_trusted),
                        ..count
                    }));
                }
            }
            Err(ReadError::Unsorted { pages }) => {
                if is_contradiction(|page| self.page(page), &pages).await? {
                    return Ok(Found::Unsorted);
                }
            }
            Err(ReadError::Moving) if self.expected.pages() <= FEW_PAGES => {}
            Err(error) => return Err(error),
        }
        self.scan_few_pages().await
    }

    async fn search(&self) -> Result<SortedRead, ReadError> {
        let method = Method {
            in_flight: self.settings.collect.concurrency.get(),
            hints: &self.boundaries,
            is_walk: self.is_walk,
            context: &self.context,
        };
        let sorted = sorted::count(|page| self.page(page), method).await?;
        self.progress.read(sorted.count.files.total());
        Ok(sorted)
    }

    async fn scan_few_pages(&self) -> Result<Found, ReadError> {
        match self.scan(FEW_PAGES).await {
            Err(ReadError::TooManyPages { .. }) => Ok(Found::ManyPages),
            found => found,
        }
    }

    /// Scans the folder, and again by name, as equal statuses may come in another order on each page: many pages if rows came twice, or not at all,
    /// while the total stayed; few pages if anything is wrong. The last scan is the result.
    async fn scan(&self, max_pages: u64) -> Result<Found, ReadError> {
        let sort = self.sort();
        let is_of_few = max_pages == FEW_PAGES;
        let repetitions = match sort {
            _ if is_of_few => MAX_REPETITIONS,
            Sort::Filename => 0,
            _ => 1,
        };
        let mut count = self.scan_once(sort, max_pages).await?;
        for _ in 0..repetitions {
            let is_whole = count.missing_rows == 0 && count.repeated_rows == 0;
            if count.consistent || is_whole && !is_of_few {
                break;
            }
            let again = self.scan_once(Sort::Filename, max_pages).await?;
            // Rows that are missing twice do not exist.
            let is_same = again.files == count.files;
            let order = count.order;
            count = FolderCount { order, ..again };
            if is_same {
                break;
            }
        }
        Ok(self.counted(count))
    }

    /// The order in which a scan asks for the rows first. Whether the portal sorts is seen by the way, while it is not known.
    fn sort(&self) -> Sort {
        let is_asked =
            self.sorting != SortingState::Shown && self.settings.collect.strategy != Strategy::Full;
        if self.kind == ReadKind::Walk(Walk::AllRows) || is_asked {
            Sort::Status
        } else {
            Sort::Filename
        }
    }

    async fn scan_once(&self, sort: Sort, max_pages: u64) -> Result<FolderCount, ReadError> {
        let collect = &self.settings.collect;
        let limits = Limits {
            in_flight: collect.concurrency.get(),
            max_pages: collect.max_pages_per_folder.get().min(max_pages),
        };
        let context = self.context.clone();
        let scan = scan_pages(
            |page| self.page(page),
            sort,
            limits,
            context,
            &self.progress,
        );
        let (mut count, breaks) = scan.await?;
        if sort == Sort::Status {
            count.order = Some(self.order(&count, &breaks).await?);
        }
        Ok(count)
    }

    /// What a scan by status shows about the order of the rows, from the places at which a status comes again. Files that changed while it was made
    /// are no news.
    async fn order(
        &self,
        count: &FolderCount,
        breaks: &[[PageRequest; 3]],
    ) -> Result<SortingState, ReadError> {
        let pages = breaks[..breaks.len().min(MOST_PLACES)].as_flattened();
        let is_known = self.sorting == SortingState::Refuted;
        if !pages.is_empty()
            && (is_known || is_contradiction(|page| self.page(page), pages).await?)
        {
            return Ok(SortingState::Refuted);
        }
        let is_long = count.files.total() > PAGE_SIZE;
        let is_shown = is_long && shows_order(&count.files) && breaks.len() <= MOST_PLACES;
        Ok(if is_shown {
            SortingState::Shown
        } else {
            SortingState::Assumed
        })
    }

    /// Reads one page. A read may take any time, but each of its answers must come within `collect.timeout`.
    async fn page(&self, page: PageRequest) -> Result<(PageRequest, PageBody), ReadError> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        let limit = self.settings.collect.timeout;
        let body = self.session.page(self.folder, page, &self.lane, limit);
        Ok((page, body.await.map_err(ReadError::at(page))?))
    }

    fn counted(&self, mut count: FolderCount) -> Found {
        count.requests = self.requests.load(Ordering::Relaxed);
        Found::Counted(Box::new(CompletedRead {
            began: self.began,
            ended: Moment::now(),
            entry: self.entry,
            missing_files: 0,
            count,
        }))
    }
}
