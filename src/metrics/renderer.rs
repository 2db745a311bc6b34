//! Renders facts in the background, whenever they change.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;
use tokio::sync::{Notify, watch};
use tokio::task::{JoinError, spawn_blocking};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::clock::Moment;
use crate::metrics::exposition::{Clock, Exposition, Rendering};
use crate::snapshot::{Publisher, Snapshot};

/// Minimum gap between renderings, as a multiple of the last one's duration: it costs a twentieth of a core at most.
const SHARE: u32 = 20;

/// Longer than any process runs, and short enough to be added to a time.
const FOREVER: Duration = Duration::from_hours(24 * 365 * 30);

/// Renders facts when a snapshot is published, and when the rendered facts become outdated.
pub struct Renderer {
    snapshots: watch::Receiver<Arc<Snapshot>>,
    rendered: watch::Sender<Arc<Rendering>>,
    wanted: Arc<Notify>,
    clock: Clock,
    /// When the last rendering began and ended.
    last: (Instant, Instant),
}

/// Why nothing can be rendered. Both are bugs in the exporter.
#[derive(Debug, Error)]
pub enum RenderError {
    #[error("the metrics cannot be written")]
    Write(#[from] io::Error),
    #[error("the rendering of the metrics panicked")]
    Panicked(#[from] JoinError),
}

impl Renderer {
    /// Makes the renderer, and the exposition that answers scrapes: no facts before [`Self::render`].
    pub fn new(publisher: &Publisher, clock: Clock) -> Result<(Self, Exposition), RenderError> {
        let nothing = Rendering::of(&Arc::default(), clock())?;
        let (sender, receiver) = watch::channel(Arc::new(nothing));
        let now = Moment::now().steady;
        let renderer = Self {
            snapshots: publisher.changes(),
            rendered: sender,
            wanted: Arc::default(),
            clock,
            last: (now, now),
        };
        let exposition = Exposition {
            publisher: publisher.clone(),
            rendered: receiver,
            wanted: Arc::clone(&renderer.wanted),
            clock: Arc::clone(&renderer.clock),
        };
        Ok((renderer, exposition))
    }

    /// Renders until `stop`. Ends with an error when nothing can be rendered any more.
    pub async fn run(mut self, stop: CancellationToken) -> Result<(), RenderError> {
        let rendering = async {
            loop {
                self.rest().await;
                self.render().await?;
            }
        };
        stop.run_until_cancelled(rendering).await.unwrap_or(Ok(()))
    }

    /// Renders the current snapshot, and shows it instead of the last one.
    pub async fn render(&mut self) -> Result<(), RenderError> {
        let began = Moment::now().steady;
        let at = (self.clock)();
        let snapshot = Arc::clone(&self.snapshots.borrow_and_update());
        let rendering = spawn_blocking(move || Rendering::of(&snapshot, at)).await??;
        self.rendered.send_replace(Arc::new(rendering));
        self.last = (began, Moment::now().steady);
        Ok(())
    }

    /// Waits until the facts changed and [`SHARE`] allows the cost, or until a scrape waits for them.
    async fn rest(&mut self) {
        let (began, ended) = self.last;
        let lasts = self.rendered.borrow().lasts.unwrap_or(FOREVER);
        let cost = ended - began;
        let wait = async {
            tokio::select! {
                Ok(()) = self.snapshots.changed() => {}
                () = sleep_until(began + lasts.min(FOREVER)) => {}
            }
            sleep_until(ended + cost * SHARE).await;
        };
        tokio::select! {
            () = wait => {}
            () = self.wanted.notified() => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renderer(publisher: &Publisher, cost: Duration) -> Renderer {
        let (mut renderer, _) = Renderer::new(publisher, Arc::new(Moment::now)).unwrap();
        let ended = Moment::now().steady;
        renderer.last = (ended.checked_sub(cost).unwrap(), ended);
        renderer
    }

    #[tokio::test(start_paused = true)]
    async fn expensive_facts_are_rendered_seldom() {
        for cost in [1, 400].map(Duration::from_millis) {
            let publisher = Publisher::default();
            let mut renderer = renderer(&publisher, cost);
            let began = Moment::now().steady;
            publisher.use_portals(&[]);
            renderer.rest().await;
            assert_eq!(began.elapsed(), cost * SHARE);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_scrape_that_waits_ends_the_pause() {
        let publisher = Publisher::default();
        let mut renderer = renderer(&publisher, Duration::from_secs(1));
        let began = Moment::now().steady;
        renderer.wanted.notify_one();
        renderer.rest().await;
        assert_eq!(began.elapsed(), Duration::ZERO);
    }
}
