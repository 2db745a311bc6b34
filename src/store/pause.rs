//! The pause after a server could not be used: it is not asked again at once, and the longer it is away, the less often.

use std::time::Duration;

use tokio::time::Instant;

use crate::clock::Moment;
use crate::store::error::StoreError;

const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);

/// Why there is a pause, if there is one.
#[derive(Debug, Default)]
pub(super) struct Pause(Option<Away>);

#[derive(Debug)]
struct Away {
    error: StoreError,
    until: Instant,
    length: Duration,
}

impl Pause {
    /// Fails while it lasts, for the reason of it.
    pub fn check(&self) -> Result<(), StoreError> {
        let now = Moment::now().steady;
        match &self.0 {
            Some(away) if now < away.until => Err(away.error.clone()),
            _ => Ok(()),
        }
    }

    /// Starts, or starts again and lasts twice as long.
    pub fn start(&mut self, error: &StoreError) {
        let length = self.0.as_ref().map_or(FIRST, |away| away.length * 2);
        let length = length.min(LONGEST);
        self.0 = Some(Away {
            error: error.clone(),
            until: Moment::now().steady + length,
            length,
        });
    }

    /// The server can be used.
    pub fn end(&mut self) {
        self.0 = None;
    }
}
