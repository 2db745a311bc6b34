//! The thread that owns the database.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;

use futures_util::FutureExt;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, oneshot};
use tracing::error;

use crate::store::database::Database;
use crate::store::error::StoreError;

type Job =
    Box<dyn for<'a> FnOnce(&'a mut Database) -> Pin<Box<dyn Future<Output = ()> + 'a>> + Send>;

/// A handle to a thread that owns the database and does one job with it after the other. The database is closed with the last handle.
///
/// The thread has a runtime of its own: a slow database delays no other task, and its timeouts count real time.
#[derive(Debug, Clone)]
pub(super) struct Worker(mpsc::UnboundedSender<Job>);

impl Worker {
    pub fn start(mut database: Database) -> Self {
        let (jobs, mut queue) = mpsc::unbounded_channel::<Job>();
        std::thread::spawn(move || {
            let runtime = match runtime() {
                Ok(runtime) => runtime,
                Err(refused) => {
                    error!(error = %refused, "the thread of the database cannot be started");
                    return;
                }
            };
            runtime.block_on(async {
                while let Some(job) = queue.recv().await {
                    let done = AssertUnwindSafe(job(&mut database)).catch_unwind().await;
                    if done.is_err() {
                        // Its transaction may be open.
                        database.close().await;
                    }
                }
                database.close().await;
            });
        });
        Self(jobs)
    }

    /// Does a job after all earlier ones and returns its result. The job is also done when nobody waits for it any more.
    pub async fn run<T: Send + 'static>(
        &self,
        job: impl AsyncFnOnce(&mut Database) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (done, result) = oneshot::channel();
        let job: Job = Box::new(move |database| {
            Box::pin(async move {
                // Nobody may wait any more.
                let _ = done.send(job(database).await);
            })
        });
        self.0.send(job).map_err(|_| StoreError::Closed)?;
        // A test's paused clock waits for blocking tasks, and would run ahead of a thread that it does not know.
        #[cfg(test)]
        let result = async {
            let wait = tokio::task::spawn_blocking(|| result.blocking_recv().ok());
            wait.await.ok().flatten().ok_or(())
        };
        result.await.unwrap_or(Err(StoreError::Closed))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::place::{Access, Place};

    #[tokio::test]
    async fn a_panic_within_a_job_costs_that_job_alone() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::folder(folder.path());
        let worker = Worker::start(Database::new(place, Access::Serve));
        for number in 0..3 {
            let result = worker.run(async move |database: &mut Database| {
                let work = async |_: &mut _| {
                    assert_ne!(number, 1, "a mistake");
                    Ok(number)
                };
                database.transaction(work).await
            });
            let expected = Some(number).filter(|number| *number != 1);
            assert_eq!(result.await, expected.ok_or(StoreError::Closed));
        }
    }
}
