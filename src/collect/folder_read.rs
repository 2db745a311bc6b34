//! One read of a folder, as a task of its own: with a place, a deadline, and a result in any case.

mod scan;
mod slots;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use thiserror::Error;
use tokio::time::{Instant, sleep, timeout_at};

use crate::aggregate::Known;
use crate::collect::count::Count;
use crate::collect::error::ReadError;
use crate::collect::full_scan::ScanLimits;
use crate::collect::progress::Progress;
use crate::collect::read_schedule::Ending;
use crate::collect::sorted::{self, Boundaries, Layout, Method, PageNumber, Sorted};
use crate::collect::sorting::contradiction::{is_contradiction, witnesses};
use crate::collect::sorting::{Refutation, Sorting};
use crate::collect::strategy::{Expected, FEW_PAGES, choose};
use crate::config::{Rate, Strategy};
use crate::model::{FolderId, Moment};
use crate::portal::{Lane, PAGE_SIZE, PortalError, Session};
use crate::snapshot::{SortingState, Way};

use scan::total;
pub(super) use slots::{LargeScan, Slots};

/// How long a read keeps its place before it goes on beside the others.
const PLACE_TIME: Duration = Duration::from_secs(10);

/// Why a read did not count a folder.
#[derive(Debug, Clone, Error)]
pub(super) enum FolderReadError {
    /// The folder was not read to the end.
    #[error("{0}")]
    Read(#[from] ReadError),
    /// There was no more time.
    #[error("not read within collect.timeout ({})", humantime::format_duration(*.0))]
    Deadline(Duration),
    /// There was no more time for all pages.
    #[error("a full scan of {pages} pages did not end within {}; is the portal slow, or collect.max_requests_per_second too low?", humantime::format_duration(*limit))]
    ScanDeadline {
        /// Pages of the folder.
        pages: u64,
        /// The time for them.
        limit: Duration,
    },
    /// A mistake in this program.
    #[error("an internal error ended the read; the log has the details")]
    Panicked,
}

impl FolderReadError {
    /// Whether the portal refused, so that its list of folders must tell what that means.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Read(error) if error.is_refusal())
    }

    /// Whether the folder was deleted.
    pub fn is_gone(&self) -> bool {
        matches!(self, Self::Read(ReadError::Portal { error, .. }) if error.status() == Some(404))
    }

    /// Whether the folder kept the portal, or this program, waiting.
    pub fn is_slow(&self) -> bool {
        match self {
            Self::Read(ReadError::Portal { error, .. }) => {
                matches!(error, PortalError::Timeout { .. })
            }
            Self::Read(_) | Self::Panicked => false,
            Self::Deadline(_) | Self::ScanDeadline { .. } => true,
        }
    }
}

/// A read that came to an end, one way or another.
#[derive(Debug)]
pub(super) struct FolderRead {
    pub began: Moment,
    pub ended: Moment,
    pub result: Result<Count, FolderReadError>,
}

impl FolderRead {
    /// How the read came to its end; nothing where time ran out first.
    pub fn ending(&self) -> Option<Ending> {
        match &self.result {
            Ok(_) => Some(Ending::Counted),
            Err(FolderReadError::Deadline(_)) => None,
            Err(error) if error.is_gone() => Some(Ending::Nothing),
            Err(_) => Some(Ending::Failed),
        }
    }

    pub fn panicked() -> Self {
        let now = Moment::now();
        Self {
            began: now,
            ended: now,
            result: Err(FolderReadError::Panicked),
        }
    }
}

/// What a read needs.
pub(super) struct ReadTask {
    pub session: Arc<Session>,
    pub folder: FolderId,
    pub limits: ScanLimits,
    pub strategy: Strategy,
    pub sorting: Arc<Sorting>,
    pub expected: Expected,
    /// Where the boundaries between statuses were last time.
    pub boundaries: Arc<Boundaries>,
    pub known: Known,
    pub progress: Arc<Progress>,
    pub slots: Slots,
    pub lane: Lane,
    pub deadline: Instant,
    pub timeout: Duration,
    pub rate: Rate,
    /// Says that it has a place.
    pub has_place: Arc<AtomicBool>,
    /// Says that it scans many pages.
    pub large_scan: Arc<LargeScan>,
}

/// What a read came to within its place and deadline.
enum Attempt {
    Counted(Box<Count>),
    /// Many pages must be scanned, which has another place and another deadline; requests that were made so far.
    NeedsLargeScan {
        requests: u64,
    },
}

impl From<Count> for Attempt {
    fn from(count: Count) -> Self {
        Self::Counted(Box::new(count))
    }
}

impl ReadTask {
    /// Waits for a place, reads the folder, and returns at the deadline at the latest, unless many pages must be scanned.
    pub async fn take(self) -> FolderRead {
        let mut began = Moment::now();
        let work = async {
            let place = self.slots.read().await;
            began = Moment::now();
            self.has_place.store(true, Ordering::Relaxed);
            let mut reading = std::pin::pin!(self.read());
            tokio::select! {
                result = &mut reading => return result,
                () = sleep(PLACE_TIME) => drop(place),
            }
            reading.await
        };
        let attempt = timeout_at(self.deadline, work).await;
        let result = match attempt.unwrap_or(Err(FolderReadError::Deadline(self.timeout))) {
            Ok(Attempt::Counted(count)) => Ok(*count),
            Ok(Attempt::NeedsLargeScan { requests }) => {
                let _place = self.slots.large_scan().await;
                began = Moment::now();
                self.scan_many(requests).await
            }
            Err(error) => Err(error),
        };
        FolderRead {
            began,
            ended: Moment::now(),
            result,
        }
    }

    /// Counts the folder, the way that is right for it.
    async fn read(&self) -> Result<Attempt, FolderReadError> {
        match choose(self.strategy, self.sorting.state(), &self.expected) {
            Way::Full if self.expected.pages() > FEW_PAGES => {
                Ok(Attempt::NeedsLargeScan { requests: 0 })
            }
            Way::Full => self.scan_or_search().await,
            Way::Sorted => self.by_boundaries().await,
        }
    }

    /// Scans what is expected to have few pages, unless its first page tells that another way is right.
    async fn scan_or_search(&self) -> Result<Attempt, FolderReadError> {
        let first = self.first_page().await?;
        let expected = Expected {
            files: total(&first)?,
            ..self.expected
        };
        match choose(self.strategy, self.sorting.state(), &expected) {
            Way::Sorted => self.by_boundaries().await,
            Way::Full if expected.pages() > FEW_PAGES => {
                Ok(Attempt::NeedsLargeScan { requests: 1 })
            }
            Way::Full => Ok(self.scan_few(first, 0).await?.into()),
        }
    }

    /// Counts by the boundaries between statuses.
    async fn by_boundaries(&self) -> Result<Attempt, FolderReadError> {
        match self.search().await {
            Ok(sorted) => {
                if sorted.shows_sorting {
                    self.sorting.show();
                }
                let few = sorted.boundaries.layout().last_page().0 <= FEW_PAGES;
                if few && !sorted.settled {
                    let first = self.first_page().await?;
                    return Ok(self.scan_few(first, sorted.requests).await?.into());
                }
                Ok(Count::from(sorted).into())
            }
            Err(ReadError::Unsorted { pages, layout }) => {
                self.check_sorting(&pages, layout).await?;
                self.scan_instead().await
            }
            Err(ReadError::Moving) => self.scan_instead().await,
            Err(error) => Err(error.into()),
        }
    }

    /// Scans a folder whose boundaries were not found.
    async fn scan_instead(&self) -> Result<Attempt, FolderReadError> {
        let first = self.first_page().await?;
        if total(&first)?.div_ceil(PAGE_SIZE) <= FEW_PAGES {
            return Ok(self.scan_few(first, 0).await?.into());
        }
        Ok(Attempt::NeedsLargeScan { requests: 1 })
    }

    /// Reads pages that read unsorted once more, and refutes the portal's sorting where they stay so.
    async fn check_sorting(
        &self,
        unsorted: &[PageNumber],
        layout: Layout,
    ) -> Result<(), ReadError> {
        let pages = match unsorted {
            [page] => witnesses(*page, layout, None),
            pages => pages.to_vec(),
        };
        let files = self.session.files(self.folder, &self.lane);
        if is_contradiction(|page| files.page(page), &pages, layout).await? {
            self.sorting.refute(Refutation {
                folder: self.folder,
                pages,
            });
        }
        Ok(())
    }

    async fn search(&self) -> Result<Sorted, ReadError> {
        let files = self.session.files(self.folder, &self.lane);
        let method = Method {
            in_flight: self.limits.in_flight,
            hints: &self.boundaries,
            prove: self.sorting.state() == SortingState::Assumed,
        };
        sorted::count(
            |page| files.page(page),
            method,
            self.known.clone(),
            &self.progress,
        )
        .await
    }
}
