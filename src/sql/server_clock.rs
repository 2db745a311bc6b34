//! The clock of the server.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::Instant;

#[cfg(feature = "postgres")]
use crate::clock::Moment;
use crate::model::Timestamp;

/// The time of the server when it last told it, which goes on with the monotonic clock of this machine. So all processes that share a
/// server have one time, and a step of a machine's clock does not matter. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct ServerClock(Arc<Mutex<Option<(Instant, Timestamp)>>>);

impl ServerClock {
    /// The server says that it is this time.
    #[cfg(feature = "postgres")]
    pub(super) fn set(&self, time: Timestamp) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((Moment::now().steady, time));
    }

    /// The time now; none before the server told it.
    pub fn now(&self) -> Option<Timestamp> {
        let told = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.map(|(at, time)| time.after(at.elapsed()))
    }
}
