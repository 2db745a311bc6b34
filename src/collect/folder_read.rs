//! One read of a folder, as a task of its own: with a slot, a deadline, and always a result.

mod scan;
mod slots;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};
use tracing::{Instrument, info_span};

use crate::aggregate::TallyContext;
use crate::clock::Moment;
use crate::collect::error::ReadError;
use crate::collect::layout::PageNumber;
use crate::collect::progress::Progress;
use crate::collect::read_schedule::ReadOutcome;
use crate::collect::settings::Settings;
use crate::collect::sorted::{self, Method, SortedRead};
use crate::collect::sorting::contradiction::is_contradiction;
use crate::collect::sorting::{Refutation, Sorting};
use crate::collect::strategy::{Expected, FEW_PAGES, choose};
use crate::count::{Boundaries, FolderCount, Way};
use crate::model::{FolderId, FolderName};
use crate::portal::{Lane, PAGE_SIZE, PageBody, Session};

use scan::total;
use slots::Slot;
pub(super) use slots::{Place, ReadStatus, Slots};

/// How long a read holds its slot before it continues without one.
const SLOT_TIME: Duration = Duration::from_secs(10);

/// A read that ended, one way or another.
#[derive(Debug)]
pub(super) struct FolderRead {
    pub began: Moment,
    pub ended: Moment,
    pub result: Result<FolderCount, ReadError>,
}

impl FolderRead {
    /// How the read ended; nothing if time ran out first.
    pub fn ending(&self) -> Option<ReadOutcome> {
        match &self.result {
            Ok(_) => Some(ReadOutcome::Counted),
            Err(ReadError::Deadline(_)) => None,
            Err(error) if error.is_gone() => Some(ReadOutcome::NothingToCount),
            Err(_) => Some(ReadOutcome::Failed),
        }
    }

    /// A read without a result, not because of the portal.
    pub fn not_made(reason: ReadError) -> Self {
        let now = Moment::now();
        Self {
            began: now,
            ended: now,
            result: Err(reason),
        }
    }
}

pub(super) struct ReadTask {
    pub settings: Arc<Settings>,
    pub session: Arc<Session>,
    pub folder: FolderId,
    pub name: FolderName,
    pub sorting: Arc<Sorting>,
    pub expected: Expected,
    /// Where the boundaries between statuses were last time.
    pub boundaries: Arc<Boundaries>,
    pub context: TallyContext,
    pub progress: Arc<Progress>,
    pub slots: Slots,
    pub lane: Lane,
    pub deadline: Instant,
    pub status: Arc<ReadStatus>,
}

/// The result of a read within its slot and deadline.
enum Attempt {
    Counted(Box<FolderCount>),
    /// Many pages must be scanned, with another slot and another deadline; the requests that were made so far.
    NeedsLargeScan {
        requests: u64,
    },
    /// These pages do not belong to one sorted list. That is checked without the deadline, which may be short, and then every page is scanned.
    Unsorted {
        pages: Vec<PageNumber>,
    },
}

impl ReadTask {
    /// Waits for a slot, reads the folder, and returns at the deadline at the latest, unless many pages must be scanned.
    pub async fn run(self, place: Place) -> FolderRead {
        let (began, slots) = (Moment::now(), self.slots.clone());
        match timeout_at(self.deadline, slots.read()).await {
            Ok(slot) => {
                let portal = &self.settings.portal.name;
                let span = info_span!("read", %portal, folder = %self.name, id = %self.folder);
                self.read((slot, place)).instrument(span).await
            }
            Err(_) => FolderRead {
                began,
                ended: Moment::now(),
                result: Err(self.out_of_time()),
            },
        }
    }

    async fn read(self, slot: (Slot<'_>, Place)) -> FolderRead {
        let mut began = Moment::now();
        self.status.begin();
        let counting = async {
            let mut counting = std::pin::pin!(self.count());
            tokio::select! {
                result = &mut counting => return result,
                () = sleep(SLOT_TIME) => drop(slot),
            }
            counting.await
        };
        let attempt = timeout_at(self.deadline, counting).await;
        let result = match attempt.unwrap_or_else(|_| Err(self.out_of_time())) {
            Ok(Attempt::Counted(count)) => Ok(*count),
            Ok(Attempt::NeedsLargeScan { requests }) => {
                let _slot = self.slots.large_scan().await;
                began = Moment::now();
                self.scan_many(requests).await
            }
            Ok(Attempt::Unsorted { pages }) => self.scan_unsorted(pages).await,
            Err(error) => Err(error),
        };
        FolderRead {
            began,
            ended: Moment::now(),
            result,
        }
    }

    fn out_of_time(&self) -> ReadError {
        ReadError::Deadline(self.settings.collect.timeout)
    }

    /// Counts the folder by the strategy that is right for it. A folder with few expected pages may have many.
    async fn count(&self) -> Result<Attempt, ReadError> {
        let strategy = self.settings.collect.strategy;
        let way = |expected| choose(strategy, self.sorting.state(), expected);
        match way(&self.expected) {
            Way::Full if self.expected.pages() > FEW_PAGES => {
                Ok(Attempt::NeedsLargeScan { requests: 0 })
            }
            Way::Full => {
                let first = self.first_page().await?;
                let expected = Expected {
                    files: total(&first)?,
                    ..self.expected
                };
                match way(&expected) {
                    Way::Sorted => self.count_by_boundaries().await,
                    Way::Full => self.scan_from(first, 0).await,
                }
            }
            Way::Sorted => self.count_by_boundaries().await,
        }
    }

    async fn count_by_boundaries(&self) -> Result<Attempt, ReadError> {
        let requests = match self.search().await {
            Ok(sorted) => {
                if sorted.stable || sorted.pages > FEW_PAGES {
                    return Ok(Attempt::Counted(Box::new(sorted.count)));
                }
                sorted.count.requests
            }
            Err(ReadError::Unsorted { pages }) => return Ok(Attempt::Unsorted { pages }),
            Err(ReadError::Moving) if self.expected.pages() <= FEW_PAGES => 0,
            Err(error) => return Err(error),
        };
        self.scan_from(self.first_page().await?, requests).await
    }

    /// Scans a folder whose first page was read, if it has few pages; `requests` were made before.
    async fn scan_from(&self, first: PageBody, requests: u64) -> Result<Attempt, ReadError> {
        if total(&first)?.div_ceil(PAGE_SIZE) > FEW_PAGES {
            let requests = requests + 1;
            return Ok(Attempt::NeedsLargeScan { requests });
        }
        let count = self.scan_few(first, requests).await?;
        Ok(Attempt::Counted(Box::new(count)))
    }

    /// Refutes the portal's sorting if unsorted pages stay unsorted, and scans the folder.
    async fn scan_unsorted(&self, pages: Vec<PageNumber>) -> Result<FolderCount, ReadError> {
        let files = self.session.files(self.folder, &self.lane);
        if is_contradiction(|page| files.page(page), &pages).await? {
            let folder = self.folder;
            self.sorting.refute(Refutation { folder, pages });
        }
        let _slot = self.slots.large_scan().await;
        self.scan_many(0).await
    }

    async fn search(&self) -> Result<SortedRead, ReadError> {
        let files = self.session.files(self.folder, &self.lane);
        let method = Method {
            in_flight: self.settings.collect.concurrency.get(),
            hints: &self.boundaries,
            first_look: self.expected.first_look,
            rows: Some(self.expected.rows),
        };
        let classifier = Arc::clone(&self.context.classifier);
        sorted::count(|page| files.page(page), method, classifier, &self.progress).await
    }
}
