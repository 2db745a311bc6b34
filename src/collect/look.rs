//! One look at a folder, as a task of its own: with a place, a deadline, and a result in any case.

use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout_at};

use crate::aggregate::Known;
use crate::collect::progress::Progress;
use crate::collect::walk::{WalkError, WalkLimits, Walked, walk};
use crate::model::{FolderId, Moment};
use crate::portal::{Lane, PageRequest, PortalError, Session};

/// How long a walk keeps its place before it goes on beside the others.
const PLACE_TIME: Duration = Duration::from_secs(10);

/// Walks that begin while others have a place: enough to use every request in flight, few enough that folders are
/// finished one after another and not all at the end.
const PLACES_PER_REQUEST: usize = 2;

/// A walk of at most this many pages is walked again when it was not consistent.
const MAX_PAGES_AGAIN: u64 = 50;

/// How often, at most.
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
    /// The walk did not reach the end.
    #[error("{0}")]
    Walk(#[from] WalkError),
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
        matches!(self, Self::Walk(error) if error.is_refusal())
    }

    /// Whether the folder was deleted.
    pub fn is_gone(&self) -> bool {
        matches!(self, Self::Walk(WalkError::Portal { error, .. }) if error.status() == Some(404))
    }

    /// Whether the folder kept the portal, or this program, waiting.
    pub fn is_slow(&self) -> bool {
        match self {
            Self::Walk(WalkError::Portal { error, .. }) => {
                matches!(error, PortalError::Timeout { .. })
            }
            Self::Walk(_) | Self::Panicked => false,
            Self::Deadline(_) => true,
        }
    }
}

/// A look that came to an end, one way or another.
#[derive(Debug)]
pub(super) struct Looked {
    pub began: Moment,
    pub ended: Moment,
    pub result: Result<Walked, LookError>,
}

impl Looked {
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
    pub known: Known,
    pub progress: Arc<Progress>,
    pub slots: Slots,
    pub lane: Lane,
    pub deadline: Instant,
    pub timeout: Duration,
}

impl Look {
    /// Waits for a place, reads the folder, and returns at the deadline at the latest.
    pub async fn take(self) -> Looked {
        let mut began = Moment::now();
        let work = async {
            // The semaphore is never closed, so there always is a place in the end.
            let place = self.slots.0.acquire().await;
            began = Moment::now();
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

    /// Walks the folder, and a short one again where it changed meanwhile. The last walk that reached the end is what was read.
    async fn read(&self) -> Result<Walked, LookError> {
        let mut walked = self.walk().await?;
        for _ in 0..MAX_WALKS_AGAIN {
            if walked.consistent || walked.pages > MAX_PAGES_AGAIN {
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
        Ok(walked)
    }

    async fn walk(&self) -> Result<Walked, WalkError> {
        let files = self.session.files(self.folder, &self.lane);
        let fetch = |page| files.page(PageRequest { page });
        walk(fetch, self.limits, self.known.clone(), &self.progress).await
    }
}
