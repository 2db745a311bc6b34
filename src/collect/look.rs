//! One look at a folder, as a task of its own: with a place, a deadline, and a result in any case.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use thiserror::Error;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout_at};

use crate::aggregate::Known;
use crate::collect::attention::Ending;
use crate::collect::count::{Count, difference};
use crate::collect::error::ReadError;
use crate::collect::progress::Progress;
use crate::collect::sorted::{self, Borders, Method, Sorted};
use crate::collect::sorting::{Disproof, Sorting, Trust};
use crate::collect::strategy::{Expected, FEW_PAGES, MAX_PAGES_UNTRUSTED, choose};
use crate::collect::walk::{WalkLimits, Walked, walk};
use crate::config::Strategy;
use crate::model::{FolderId, Moment};
use crate::portal::{Lane, PageRequest, PortalError, Session};
use crate::snapshot::Way;

/// How long a walk keeps its place before it goes on beside the others.
const PLACE_TIME: Duration = Duration::from_secs(10);

/// Walks that begin while others have a place: enough to use every request in flight, few enough that folders are
/// finished one after another and not all at the end.
const PLACES_PER_REQUEST: usize = 2;

/// A walk of few pages is walked again when it was not consistent: so often, at most.
const MAX_WALKS_AGAIN: u32 = 2;

/// The places of the walks of a portal. A long or slow walk gives its place up, so that it holds up nobody.
#[derive(Debug, Clone)]
pub(super) struct Slots(Arc<Semaphore>);

impl Slots {
    pub fn new(in_flight: usize) -> Self {
        Self(Arc::new(Semaphore::new(in_flight * PLACES_PER_REQUEST)))
    }
}

/// Why a look did not count a folder.
#[derive(Debug, Clone, Error)]
pub(super) enum LookError {
    /// The folder was not read to the end.
    #[error("{0}")]
    Read(#[from] ReadError),
    /// There was no more time.
    #[error("not read within collect.timeout ({})", humantime::format_duration(*.0))]
    Deadline(Duration),
    /// A mistake in this program.
    #[error("an internal error ended the look; the log has the details")]
    Panicked,
}

impl LookError {
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
            Self::Deadline(_) => true,
        }
    }
}

/// A look that came to an end, one way or another.
#[derive(Debug)]
pub(super) struct Looked {
    pub began: Moment,
    pub ended: Moment,
    pub result: Result<Count, LookError>,
}

impl Looked {
    /// How the look came to its end; nothing where time ran out first.
    pub fn ending(&self) -> Option<Ending> {
        match &self.result {
            Ok(_) => Some(Ending::Counted),
            Err(LookError::Deadline(_)) => None,
            Err(error) if error.is_gone() => Some(Ending::Nothing),
            Err(_) => Some(Ending::Failed),
        }
    }

    pub fn panicked() -> Self {
        let now = Moment::now();
        Self {
            began: now,
            ended: now,
            result: Err(LookError::Panicked),
        }
    }
}

/// What a look needs.
pub(super) struct Look {
    pub session: Arc<Session>,
    pub folder: FolderId,
    pub limits: WalkLimits,
    pub strategy: Strategy,
    pub sorting: Arc<Sorting>,
    pub expected: Expected,
    /// Where the borders between statuses were last time.
    pub hints: Arc<Borders>,
    /// Whether it is time to read pages on which nothing hangs.
    pub sample: bool,
    pub known: Known,
    pub progress: Arc<Progress>,
    pub slots: Slots,
    pub lane: Lane,
    pub deadline: Instant,
    pub timeout: Duration,
    /// Says that it has a place.
    pub has_place: Arc<AtomicBool>,
}

impl Look {
    /// Waits for a place, reads the folder, and returns at the deadline at the latest.
    pub async fn take(self) -> Looked {
        let mut began = Moment::now();
        let work = async {
            // The semaphore is never closed, so there always is a place in the end.
            let place = self.slots.0.acquire().await;
            began = Moment::now();
            self.has_place.store(true, Ordering::Relaxed);
            let mut reading = std::pin::pin!(self.read());
            tokio::select! {
                result = &mut reading => return result,
                () = sleep(PLACE_TIME) => drop(place),
            }
            reading.await
        };
        let result = timeout_at(self.deadline, work)
            .await
            .unwrap_or(Err(LookError::Deadline(self.timeout)));
        Looked {
            began,
            ended: Moment::now(),
            result,
        }
    }

    /// Counts the folder, the way that is right for it.
    async fn read(&self) -> Result<Count, LookError> {
        match choose(self.strategy, self.sorting.trust(), &self.expected) {
            Way::Full => self.every_page().await,
            Way::Sorted if self.sorting.trust() == Trust::Shown => self.by_borders().await,
            Way::Sorted => self.by_borders_untrusted().await,
        }
    }

    /// Counts by the borders between statuses, and by every page where that does not do.
    async fn by_borders(&self) -> Result<Count, LookError> {
        let Some(sorted) = self.sorted(self.sample).await? else {
            return self.every_page().await;
        };
        if !sorted.consistent && self.expected.pages() <= FEW_PAGES {
            return self.every_page().await;
        }
        Ok(sorted.into())
    }

    /// Counts by the borders while it is not known yet whether the portal sorts: every page is read as well, unless the folder is too
    /// large for that, or shows by itself that the portal sorts.
    async fn by_borders_untrusted(&self) -> Result<Count, LookError> {
        let pages = self.expected.pages();
        let Some(sorted) = self.sorted(pages > FEW_PAGES).await? else {
            return self.every_page().await;
        };
        let shows = sorted.consistent && sorted.evidence.shows_sorting();
        if shows {
            self.sorting.show();
        }
        if shows || pages > MAX_PAGES_UNTRUSTED {
            return Ok(sorted.into());
        }
        let mut full = self.every_page().await?;
        if full.consistent && sorted.consistent {
            self.compare(&full, &sorted).await?;
            full.difference = Some(difference(&full.reading.counts, &sorted.reading.counts));
        }
        full.requests += sorted.requests;
        Ok(full)
    }

    /// Holds the two ways against each other. Where they differ, and the borders still are where they were, nothing moved.
    async fn compare(&self, full: &Count, sorted: &Sorted) -> Result<(), LookError> {
        if full.reading.counts == sorted.reading.counts {
            if sorted.evidence.can_be_shown_by_counts() {
                self.sorting.show();
            }
        } else if let Some(again) = self.sorted(false).await?
            && again.consistent
            && again.reading.counts == sorted.reading.counts
        {
            self.sorting.disprove(Disproof::Counts);
        }
        Ok(())
    }

    /// Looks for the borders, twice where the first look tells that the portal may not sort; none where it does not.
    async fn sorted(&self, samples: bool) -> Result<Option<Sorted>, LookError> {
        let mut doubt = Disproof::Sample;
        for _ in 0..2 {
            let sorted = match self.search(samples).await {
                Err(ReadError::Unsorted { .. }) => {
                    self.sorting.disprove(Disproof::Returns);
                    return Ok(None);
                }
                Err(ReadError::Contradiction) => {
                    self.sorting.disprove(Disproof::Contradiction);
                    return Ok(None);
                }
                Err(ReadError::Repeated { .. }) => {
                    doubt = Disproof::Contradiction;
                    continue;
                }
                Err(ReadError::Moving) => return Ok(None),
                sorted => sorted?,
            };
            if sorted.evidence.samples_agree != Some(false) {
                let disproven = matches!(self.sorting.trust(), Trust::Disproven(_));
                return Ok((!disproven).then_some(sorted));
            }
            doubt = Disproof::Sample;
        }
        self.sorting.disprove(doubt);
        Ok(None)
    }

    async fn search(&self, samples: bool) -> Result<Sorted, ReadError> {
        let files = self.session.files(self.folder, &self.lane);
        let method = Method {
            in_flight: self.limits.in_flight,
            hints: &self.hints,
            samples,
            plausible: self.expected.plausible_total(),
        };
        sorted::count(
            |page| files.page(page),
            method,
            self.known.clone(),
            &self.progress,
        )
        .await
    }

    /// Walks the folder, and a short one again where it changed meanwhile. The last walk that reached the end is what was read.
    async fn every_page(&self) -> Result<Count, LookError> {
        let mut walked = self.walk().await?;
        for _ in 0..MAX_WALKS_AGAIN {
            if walked.consistent || walked.pages > FEW_PAGES {
                break;
            }
            let before = walked.requests;
            match self.walk().await {
                Ok(again) => walked = again,
                Err(error) if error.is_refusal() => return Err(error.into()),
                Err(_) => break,
            }
            walked.requests += before;
        }
        Ok(walked.into())
    }

    async fn walk(&self) -> Result<Walked, ReadError> {
        let files = self.session.files(self.folder, &self.lane);
        let fetch = |page| files.page(PageRequest::by_name(page));
        walk(fetch, self.limits, self.known.clone(), &self.progress).await
    }
}
