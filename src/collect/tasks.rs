//! The tasks of a collector, whose results come back to it as events.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use tokio::task::JoinSet;

use crate::collect::Event;

/// The tasks that are under way.
#[derive(Default)]
pub(super) struct Tasks {
    /// Each ends with its event, and whether a panic ended it.
    running: JoinSet<(Box<Event>, bool)>,
    panics: u64,
}

impl Tasks {
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
        self.panics += u64::from(panicked);
        Some(*event)
    }

    /// Gives up all tasks, after a panic.
    pub fn give_up(&mut self) {
        self.running = JoinSet::new();
        self.panics += 1;
    }

    /// Panics that ended a task or the collector's own work.
    pub fn panics(&self) -> u64 {
        self.panics
    }
}
