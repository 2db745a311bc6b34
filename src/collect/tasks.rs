//! The tasks of a collector, whose results come back to it as events.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use tokio::task::JoinSet;

use crate::collect::Event;
use crate::metrics::PortalEvents;

/// The tasks that are under way.
pub(super) struct Tasks {
    /// Each ends with its event, and whether a panic ended it.
    running: JoinSet<(Box<Event>, bool)>,
    events: Arc<PortalEvents>,
}

impl Tasks {
    pub fn new(events: Arc<PortalEvents>) -> Self {
        Self {
            running: JoinSet::new(),
            events,
        }
    }

    /// Starts a task; `event` is made of its result, or of `None` if it panicked.
    pub fn spawn<T: 'static>(
        &mut self,
        task: impl Future<Output = T> + Send + 'static,
        event: impl FnOnce(Option<T>) -> Event + Send + 'static,
    ) {
        let task = AssertUnwindSafe(task).catch_unwind().map(Result::ok);
        self.running.spawn(task.map(|result| {
            let panicked = result.is_none();
            (Box::new(event(result)), panicked)
        }));
    }

    /// The event of the next task that ends; none when no task is under way.
    pub async fn next(&mut self) -> Option<Event> {
        let (event, panicked) = self.running.join_next().await?.ok()?;
        if panicked {
            self.events.panicked();
        }
        Some(*event)
    }
}
