//! One read of a folder, as a task of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tracing::{Instrument, info_span};

use crate::aggregate::TallyContext;
use crate::clock::Moment;
use crate::collect::audit::comparison::{Comparison, Verdict};
use crate::collect::error::ReadError;
use crate::collect::full_scan::{self, scan_pages};
use crate::collect::layout::PageNumber;
use crate::collect::progress::Progress;
use crate::collect::queue::ReadKind;
use crate::collect::settings::Settings;
use crate::collect::sorted::{self, Method, SortedRead};
use crate::collect::sorting::contradiction::is_contradiction;
use crate::collect::strategy::{Expected, FEW_PAGES, choose};
use crate::count::{Boundaries, FolderCount, Way};
use crate::model::{FolderId, FolderName};
use crate::portal::{Lane, PAGE_SIZE, PageBody, PageRequest, PortalError, Session};
use crate::snapshot::SortingState;

/// Maximum number of repetitions of a scan of few pages that is not consistent.
const MAX_REPETITIONS: u32 = 2;

/// What a read found.
#[derive(Debug)]
pub(super) enum Found {
    Counted(Box<FolderCount>),
    /// Many pages are to be scanned, which is another kind of read.
    ManyPages,
    /// These pages show that the folder is not sorted by status.
    Unsorted(Vec<PageNumber>),
    /// An audit ended, and this is what it shows.
    Audited(Box<(Comparison, Verdict)>),
}

/// A read that ended, one way or another.
#[derive(Debug)]
pub(super) struct FolderRead {
    pub began: Moment,
    pub ended: Moment,
    /// Requests that were made for it, with those of the reads that it goes on from.
    pub requests: u64,
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
    pub expected: Expected,
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
                ReadKind::Scan => {
                    let count = self.scan(None).await?;
                    Ok(Found::Counted(Box::new(count)))
                }
                ReadKind::Audit => {
                    let audit = self.audit().await;
                    // No list of folders is asked what a refusal of an audit means.
                    self.session.go_on_without(self.folder);
                    Ok(Found::Audited(Box::new(audit?)))
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
            result,
        }
    }

    /// Counts the folder by the strategy that is right for it. A folder with few expected pages may have many.
    async fn count(&self) -> Result<Found, ReadError> {
        let way = |expected| choose(self.settings.collect.strategy, self.sorting, expected);
        if way(&self.expected) == Way::Full {
            if self.expected.pages() > FEW_PAGES {
                return Ok(Found::ManyPages);
            }
            let first = self.first_page().await?;
            let expected = Expected {
                files: total(&first)?,
                ..self.expected
            };
            if way(&expected) == Way::Full {
                return self.scan_from(first).await;
            }
        }
        self.count_by_boundaries().await
    }

    async fn count_by_boundaries(&self) -> Result<Found, ReadError> {
        match self.search().await {
            Ok(mut sorted) => {
                if self.expected.looks_beyond {
                    if self.has_rows_beyond(sorted.pages).await? {
                        return Ok(Found::ManyPages);
                    }
                    sorted.count.rows_beyond = Some(0);
                }
                if sorted.stable || sorted.pages > FEW_PAGES {
                    return Ok(Found::Counted(Box::new(sorted.count)));
                }
            }
            Err(ReadError::Unsorted { pages }) => {
                if is_contradiction(|page| self.page(page), &pages).await? {
                    return Ok(Found::Unsorted(pages));
                }
            }
            Err(ReadError::Moving) if self.expected.pages() <= FEW_PAGES => {}
            Err(error) => return Err(error),
        }
        self.scan_from(self.first_page().await?).await
    }

    /// Whether the page behind the last one by the total has rows that the last one has not.
    async fn has_rows_beyond(&self, last: u64) -> Result<bool, ReadError> {
        let first_row = async |number| {
            let page = PageRequest::by_status(number);
            let body = self.page(page).await.map_err(ReadError::at(page))?;
            full_scan::first_row(page, &body)
        };
        let at_the_end = first_row(last).await?;
        match first_row(last + 1).await {
            Ok(beyond) => Ok(beyond.is_some() && beyond != at_the_end),
            Err(error) if error.is_refusal() => Err(error),
            Err(_) => Ok(false),
        }
    }

    /// Scans a folder whose first page was read, if it has few pages, and again if it changed meanwhile. The last scan that reached the end
    /// is the result.
    async fn scan_from(&self, first: PageBody) -> Result<Found, ReadError> {
        if total(&first)?.div_ceil(PAGE_SIZE) > FEW_PAGES {
            return Ok(Found::ManyPages);
        }
        let mut count = self.scan(Some(&first)).await?;
        for _ in 0..MAX_REPETITIONS {
            if count.consistent {
                break;
            }
            let again = match self.scan(None).await {
                Ok(again) => again,
                Err(error) if error.is_refusal() => return Err(error),
                Err(_) => break,
            };
            // Rows that are missing twice do not exist.
            let is_same = again.files == count.files;
            count = again;
            if is_same {
                break;
            }
        }
        Ok(Found::Counted(Box::new(count)))
    }

    /// Scans a folder, whose first page may have been read.
    async fn scan(&self, first: Option<&PageBody>) -> Result<FolderCount, ReadError> {
        let (limits, context) = (&self.settings.collect, self.context.clone());
        let fetch = |page| self.page(page);
        // An audit is compared with boundaries, which end at the total.
        let is_beyond = self.kind != ReadKind::Audit
            && (self.expected.rows_beyond || self.expected.looks_beyond);
        let beyond = is_beyond.then(|| self.expected.reported.div_ceil(PAGE_SIZE));
        scan_pages(first, fetch, limits, context, beyond, &self.progress).await
    }

    /// Compares a full scan with the boundaries before and after it.
    async fn audit(&self) -> Result<(Comparison, Verdict), ReadError> {
        let mut found = self.compare().await?;
        let mut verdict = found.verdict();
        // Files may have changed during the scan and back again, so that its counts are off, and those of the boundaries are not.
        if matches!(verdict, Verdict::Wrong { .. }) {
            let again = self.compare().await?;
            verdict = again.verdict_after(&found);
            found = again;
        }
        Ok((found, verdict))
    }

    async fn compare(&self) -> Result<Comparison, ReadError> {
        let before = self.search().await;
        let scan = self.scan(None).await?;
        let after = self.search().await;
        let boundaries = before.ok().zip(after.ok());
        Ok(Comparison {
            scan,
            boundaries: boundaries.map(|(before, after)| (before.count, after.count)),
            reported: self.expected.reported,
        })
    }

    async fn first_page(&self) -> Result<PageBody, ReadError> {
        let first = self.page(PageRequest::FIRST).await;
        first.map_err(ReadError::at(PageRequest::FIRST))
    }

    /// Reads one page. A read may take any time, but each of its answers must come within `collect.timeout`.
    async fn page(&self, page: PageRequest) -> Result<PageBody, PortalError> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        let files = self.session.files(self.folder, &self.lane);
        files.page_within(self.settings.collect.timeout, page).await
    }

    /// Counts by boundaries.
    async fn search(&self) -> Result<SortedRead, ReadError> {
        // An audit needs no row, and is in no hurry.
        let is_audit = self.kind == ReadKind::Audit;
        let in_flight = self.settings.collect.concurrency.get();
        let method = Method {
            in_flight: if is_audit { 1 } else { in_flight },
            hints: &self.boundaries,
            first_look: is_audit || self.expected.first_look,
            rows: (!is_audit).then_some(self.expected.rows),
            clock_ahead: self.context.clock_ahead,
        };
        let classifier = Arc::clone(&self.context.classifier);
        sorted::count(|page| self.page(page), method, classifier, &self.progress).await
    }
}

/// The total that a first page gives.
fn total(page: &PageBody) -> Result<u64, ReadError> {
    let read = page.read(|_| {});
    let read = read.map_err(ReadError::at(PageRequest::FIRST))?;
    Ok(read.pagination.total.0)
}
