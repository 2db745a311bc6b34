//! One read of a folder, as a task of its own.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tracing::{Instrument, info_span};

use crate::aggregate::TallyContext;
use crate::clock::Moment;
use crate::collect::error::ReadError;
use crate::collect::full_scan::{ScanOrder, scan_pages};
use crate::collect::order::Breaks;
use crate::collect::progress::Progress;
use crate::collect::queue::ReadKind;
use crate::collect::settings::Settings;
use crate::collect::sorted::{self, Method, Rows, SortedRead};
use crate::collect::sorting::contradiction::is_contradiction;
use crate::collect::strategy::{Expected, FEW_PAGES, choose, shows_order};
use crate::config::Strategy;
use crate::count::{Boundaries, FolderCount, Order, Way};
use crate::model::{ByStatus, FileKey, FolderId, FolderName};
use crate::portal::{Lane, PAGE_SIZE, PageBody, PageRequest, PortalError, Session};
use crate::snapshot::SortingState;

/// Maximum number of repetitions of a scan of few pages that is not consistent.
const MAX_REPETITIONS: u32 = 2;

/// How long a walk waits for a page, at most: the folder is not counted meanwhile.
const WALK_TIMEOUT: Duration = Duration::from_secs(30);

/// What a read found.
#[derive(Debug)]
pub(super) enum Found {
    Counted(Box<FolderCount>),
    /// Many pages are to be scanned, which is another kind of read.
    ManyPages,
    /// Pages show that the folder is not sorted by status.
    Unsorted,
}

/// A read that ended, one way or another.
#[derive(Debug)]
pub(super) struct FolderRead {
    pub began: Moment,
    pub ended: Moment,
    /// Requests that were made for it, with those of the reads that it goes on from.
    pub requests: u64,
    /// The files that the ledger watched when it began.
    pub watched: Arc<HashSet<FileKey>>,
    pub result: Result<Found, ReadError>,
}

impl FolderRead {
    /// A read without a result, because a panic ended it.
    pub fn panicked() -> Self {
        let now = Moment::now();
        Self {
            began: now,
            ended: now,
            requests: 0,
            watched: Arc::default(),
            result: Err(ReadError::Panicked),
        }
    }
}

pub(super) struct ReadTask {
    pub settings: Arc<Settings>,
    pub session: Arc<Session>,
    pub folder: FolderId,
    pub name: FolderName,
    pub kind: ReadKind,
    /// Whether the folder is sorted, as far as it is known.
    pub sorting: SortingState,
    /// What a full scan counted, if the folder has not changed since.
    pub scanned: Option<ByStatus<u64>>,
    pub expected: Expected,
    /// The rows that a count by boundaries reads.
    pub rows: Rows,
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
        let began = Moment::now();
        let portal = &self.settings.portal.name;
        let span = info_span!("read", %portal, folder = %self.name, id = %self.folder);
        let read = async {
            match self.kind {
                ReadKind::Count => self.count().await,
                ReadKind::Walk => self.walk().await,
                ReadKind::Scan | ReadKind::Audit => {
                    let count = self.scan_many_pages().await?;
                    Ok(Found::Counted(Box::new(count)))
                }
            }
        };
        let mut result = read.instrument(span).await;
        let requests = self.requests.into_inner();
        if let Ok(Found::Counted(count)) = &mut result {
            count.requests = requests;
        }
        FolderRead {
            began,
            ended: Moment::now(),
            requests,
            watched: self.context.watched,
            result,
        }
    }

    /// Counts the folder by the strategy that is right for it. A folder with few expected pages may have many.
    async fn count(&self) -> Result<Found, ReadError> {
        let sorting = self.sorting;
        let is_vouched = self.scanned.is_some();
        let way = |expected| {
            choose(
                self.settings.collect.strategy,
                sorting,
                is_vouched,
                expected,
            )
        };
        if way(&self.expected) == Way::Full {
            if self.expected.pages() > FEW_PAGES {
                return Ok(Found::ManyPages);
            }
            let first = self.first_page().await?;
            let expected = Expected {
                files: self.total(&first)?,
                ..self.expected
            };
            if way(&expected) == Way::Full {
                return self.scan_from(first).await;
            }
        }
        self.count_by_boundaries().await
    }

    /// Counts the folder again, with the rows of all failed and flagged files.
    async fn walk(&self) -> Result<Found, ReadError> {
        match self.search(Rows::All).await {
            Ok(sorted) => {
                let is_trusted = self.is_trusted(&sorted.count.files);
                Ok(counted(sorted.count, is_trusted))
            }
            Err(ReadError::Unsorted { pages })
                if is_contradiction(|page| self.page(page), &pages).await? =>
            {
                Ok(Found::Unsorted)
            }
            Err(error) => Err(error),
        }
    }

    async fn count_by_boundaries(&self) -> Result<Found, ReadError> {
        match self.search(self.rows).await {
            Ok(sorted) => {
                let is_trusted = self.is_trusted(&sorted.count.files);
                if sorted.stable && is_trusted || sorted.pages > FEW_PAGES {
                    return Ok(counted(sorted.count, is_trusted));
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
        self.scan_from(self.first_page().await?).await
    }

    /// Whether counts by boundaries need no mark: the portal is known to sort, or a full scan found the same.
    fn is_trusted(&self, files: &ByStatus<u64>) -> bool {
        self.sorting == SortingState::Shown || self.scanned.as_ref() == Some(files)
    }

    /// Scans a folder whose first page was read, if it has few pages, and again if it changed meanwhile. The last scan that reached the end
    /// is the result.
    async fn scan_from(&self, first: PageBody) -> Result<Found, ReadError> {
        if self.total(&first)?.div_ceil(PAGE_SIZE) > FEW_PAGES {
            return Ok(Found::ManyPages);
        }
        let mut count = self.scan(Some(&first), self.scan_order()).await?;
        for _ in 0..MAX_REPETITIONS {
            if count.consistent {
                break;
            }
            // Equal statuses may come in another order on each page.
            let again = match self.scan(None, ScanOrder::Name).await {
                Ok(again) => again,
                Err(error) if error.is_refusal() => return Err(error),
                Err(_) => break,
            };
            // Rows that are missing twice do not exist.
            let is_same = again.files == count.files;
            let order = count.order;
            count = FolderCount { order, ..again };
            if is_same {
                break;
            }
        }
        Ok(Found::Counted(Box::new(count)))
    }

    /// Scans a folder of many pages. A scan by status is made again by name if it lists rows twice, or not at all, while the total stays: equal
    /// statuses may come in another order on each page.
    async fn scan_many_pages(&self) -> Result<FolderCount, ReadError> {
        let asked = self.scan_order();
        let count = self.scan(None, asked).await?;
        let is_whole = count.missing_rows == 0 && count.repeated_rows == 0;
        if is_whole || asked == ScanOrder::Name {
            return Ok(count);
        }
        let by_name = self.scan(None, ScanOrder::Name).await?;
        Ok(FolderCount {
            order: count.order,
            ..by_name
        })
    }

    /// The order in which a scan asks for the rows first. Whether the portal sorts is seen by the way, while it is not known.
    fn scan_order(&self) -> ScanOrder {
        let is_asked =
            self.sorting != SortingState::Shown && self.settings.collect.strategy != Strategy::Full;
        if self.kind == ReadKind::Audit || is_asked {
            ScanOrder::Status
        } else {
            ScanOrder::Name
        }
    }

    /// Scans a folder, whose first page in this order may have been read.
    async fn scan(
        &self,
        first: Option<&PageBody>,
        order: ScanOrder,
    ) -> Result<FolderCount, ReadError> {
        let (limits, context) = (&self.settings.collect, self.context.clone());
        let fetch = |page| self.page(page);
        let scan = scan_pages(first, fetch, order, limits, context, &self.progress);
        let (mut count, breaks) = scan.await?;
        if order == ScanOrder::Status {
            count.order = Some(self.order(&count, &breaks).await?);
        }
        Ok(count)
    }

    /// What a scan by status shows about the order of the rows. Files that changed while it was made are no news.
    async fn order(&self, count: &FolderCount, breaks: &Breaks) -> Result<Order, ReadError> {
        if !breaks.pages.is_empty() {
            let pages: Vec<_> = breaks.pages.iter().copied().collect();
            let is_known = self.sorting == SortingState::Refuted;
            if is_known || is_contradiction(|page| self.page(page), &pages).await? {
                return Ok(Order::Unsorted);
            }
        }
        let is_long = count.files.total() > PAGE_SIZE;
        let is_shown = is_long && shows_order(&count.files) && !breaks.has_more;
        Ok(if is_shown {
            Order::Sorted
        } else {
            Order::Unknown
        })
    }

    async fn first_page(&self) -> Result<PageBody, ReadError> {
        let first = self.scan_order().page(1);
        self.page(first).await.map_err(ReadError::at(first))
    }

    /// The total that the first page gives.
    fn total(&self, first: &PageBody) -> Result<u64, ReadError> {
        let read = first.read(|_| {});
        let read = read.map_err(ReadError::at(self.scan_order().page(1)))?;
        Ok(read.pagination.total)
    }

    /// Reads one page. A read may take any time, but each of its answers must come within `collect.timeout`, and those of a walk sooner.
    async fn page(&self, page: PageRequest) -> Result<PageBody, PortalError> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        let files = self.session.files(self.folder, &self.lane);
        let limit = self.settings.collect.timeout;
        let limit = match self.kind {
            ReadKind::Walk => limit.min(WALK_TIMEOUT),
            ReadKind::Count | ReadKind::Scan | ReadKind::Audit => limit,
        };
        files.page_within(limit, page).await
    }

    /// Counts by boundaries.
    async fn search(&self, rows: Rows) -> Result<SortedRead, ReadError> {
        let method = Method {
            in_flight: self.settings.collect.concurrency.get(),
            hints: &self.boundaries,
            rows,
            clock_ahead: self.context.clock_ahead,
        };
        let classifier = Arc::clone(&self.context.classifier);
        sorted::count(|page| self.page(page), method, classifier, &self.progress).await
    }
}

/// A count by boundaries of which nothing shows that the portal sorts is no base for what follows.
fn counted(count: FolderCount, is_trusted: bool) -> Found {
    Found::Counted(Box::new(FolderCount {
        consistent: count.consistent && is_trusted,
        left_out: count.left_out.filter(|_| is_trusted),
        ..count
    }))
}
