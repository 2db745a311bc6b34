//! A thread that owns a database.

use std::pin::Pin;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, oneshot};
use tracing::error;

use crate::store::error::StoreError;

type Job<T> = Box<dyn for<'a> FnOnce(&'a mut T) -> Pin<Box<dyn Future<Output = ()> + 'a>> + Send>;

/// What a [`Worker`] owns.
pub(super) trait Owned: Send + 'static {
    /// Ends what is open.
    async fn close(&mut self);
}

/// A handle to a thread that owns a value and does one job with it after the other. The value is closed with the last handle.
///
/// The thread has a runtime of its own: a slow database delays no other task, and its timeouts count real time.
#[derive(Debug)]
pub(super) struct Worker<T>(mpsc::UnboundedSender<Job<T>>);

impl<T: Owned> Worker<T> {
    pub fn start(mut owned: T) -> Self {
        let (jobs, mut queue) = mpsc::unbounded_channel::<Job<T>>();
        std::thread::spawn(move || {
            let runtime = match runtime() {
                Ok(runtime) => runtime,
                Err(refused) => {
                    error!(error = %refused, "the thread of a database cannot be started");
                    return;
                }
            };
            runtime.block_on(async {
                while let Some(job) = queue.recv().await {
                    job(&mut owned).await;
                }
                owned.close().await;
            });
        });
        Self(jobs)
    }

    /// Does a job after all earlier ones and returns its result; `None` if the thread has ended. The job is also done when nobody waits
    /// for it any more.
    pub async fn run<R: Send + 'static>(
        &self,
        job: impl AsyncFnOnce(&mut T) -> R + Send + 'static,
    ) -> Option<R> {
        let (done, result) = oneshot::channel();
        let job: Job<T> = Box::new(move |owned| {
            Box::pin(async move {
                // Nobody may wait any more.
                let _ = done.send(job(owned).await);
            })
        });
        self.0.send(job).ok()?;
        // A test's paused clock waits for blocking tasks, and would run ahead of a thread that it does not know.
        #[cfg(test)]
        let result = async {
            let wait = tokio::task::spawn_blocking(|| result.blocking_recv().ok());
            wait.await.ok().flatten().ok_or(())
        };
        result.await.ok()
    }
}

impl<T> Clone for Worker<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

fn runtime() -> Result<Runtime, StoreError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|cause| StoreError::Away(cause.to_string()))
}

/// Does work on a thread of its own, and waits for it. For commands.
pub(super) fn block_on<T: Send>(
    work: impl AsyncFnOnce() -> Result<T, StoreError> + Send,
) -> Result<T, StoreError> {
    std::thread::scope(|scope| {
        let done = scope.spawn(|| runtime()?.block_on(work()));
        done.join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
