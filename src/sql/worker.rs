//! A thread that owns an open file.

use std::sync::mpsc;

use tokio::sync::oneshot;

type Job<T> = Box<dyn FnOnce(&mut T) + Send>;

/// A handle to a thread that owns a value and does one job with it after the other. The value is dropped with the last handle.
#[derive(Debug)]
pub(crate) struct Worker<T>(mpsc::Sender<Job<T>>);

impl<T: 'static> Worker<T> {
    pub fn start(mut owned: T) -> Self
    where
        T: Send,
    {
        let (jobs, queue) = mpsc::channel::<Job<T>>();
        std::thread::spawn(move || queue.into_iter().for_each(|job| job(&mut owned)));
        Self(jobs)
    }

    /// Does a job after all earlier ones, unless the thread has ended.
    pub fn send(&self, job: impl FnOnce(&mut T) + Send + 'static) {
        let _ = self.0.send(Box::new(job));
    }

    /// Does a job after all earlier ones and returns its result; `None` if the thread has ended. The job is also done when nobody waits
    /// for it any more.
    pub async fn run<R: Send + 'static>(
        &self,
        job: impl FnOnce(&mut T) -> R + Send + 'static,
    ) -> Option<R> {
        let (done, result) = oneshot::channel();
        self.send(move |owned| drop(done.send(job(owned))));
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
