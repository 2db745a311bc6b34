//! Renders facts in the background, whenever others are known.

use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;
use tokio::sync::watch;
use tokio::task::{JoinError, spawn_blocking};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::metrics::exposition::{Clock, Exposition, Wishes};
use crate::metrics::rendering::{Rendering, Text};
use crate::snapshot::{Publisher, Snapshot};

/// Renderings are so many times apart what the last one took: it costs a twentieth of a core at most.
const SHARE: u32 = 20;

/// Longer than any process runs, and short enough to be added to a time.
const FOREVER: Duration = Duration::from_hours(24 * 365 * 30);

/// Renders facts when a snapshot is published, and when what is shown becomes untrue by itself.
pub struct Renderer {
    snapshots: watch::Receiver<Arc<Snapshot>>,
    rendered: watch::Sender<Arc<Rendering>>,
    wishes: Arc<Wishes>,
    clock: Clock,
    /// When the last rendering began and ended.
    last: (Instant, Instant),
}

/// Why nothing can be rendered. Neither happens, unless this program is wrong.
#[derive(Debug, Error)]
pub enum RenderError {
    /// The exposition cannot be written.
    #[error("the metrics cannot be written")]
    Encode(#[from] prometheus::Error),
    /// The rendering panicked.
    #[error("the rendering of the metrics broke")]
    Broke(#[from] JoinError),
}

impl Renderer {
    /// Makes the renderer of what is published, and what answers scrapes with it. Nothing is known in it before
    /// [`Self::render`].
    pub fn new(publisher: &Publisher, clock: Clock) -> Result<(Self, Exposition), RenderError> {
        let nothing = Rendering::of(&Arc::default(), clock(), Text::Left)?;
        let (rendered, receiver) = watch::channel(Arc::new(nothing));
        let wishes = Arc::<Wishes>::default();
        let exposition = Exposition {
            publisher: publisher.clone(),
            rendered: receiver,
            wishes: Arc::clone(&wishes),
            clock: Arc::clone(&clock),
        };
        let now = Instant::now();
        let snapshots = publisher.changes();
        Ok((
            Self {
                snapshots,
                rendered,
                wishes,
                clock,
                last: (now, now),
            },
            exposition,
        ))
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

    /// Renders what is known now, in place of what is shown.
    pub async fn render(&mut self) -> Result<(), RenderError> {
        let began = Instant::now();
        let at = (self.clock)();
        let snapshot = Arc::clone(&self.snapshots.borrow_and_update());
        let text = self.text();
        let rendering = spawn_blocking(move || Rendering::of(&snapshot, at, text)).await??;
        self.rendered.send_replace(Arc::new(rendering));
        self.last = (began, Instant::now());
        Ok(())
    }

    fn text(&self) -> Text {
        if self.wishes.wants_text((self.clock)()) {
            let room = self.rendered.borrow().deflated.text_len();
            Text::PersistedFolder {
                room: room + room / 16,
            }
        } else {
            Text::Left
        }
    }

    /// Waits until there is something else to render and it may cost something again, or until a scrape waits for it.
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
            () = self.wishes.newer.notified() => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Moment;

    fn renderer(publisher: &Publisher, cost: Duration) -> Renderer {
        let (mut renderer, _) = Renderer::new(publisher, Arc::new(Moment::now)).unwrap();
        let ended = Instant::now();
        renderer.last = (ended.checked_sub(cost).unwrap(), ended);
        renderer
    }

    #[tokio::test(start_paused = true)]
    async fn what_costs_much_is_rendered_seldom() {
        for cost in [1, 400].map(Duration::from_millis) {
            let publisher = Publisher::default();
            let mut renderer = renderer(&publisher, cost);
            let began = Instant::now();
            publisher.use_portals(&[]);
            renderer.rest().await;
            assert_eq!(began.elapsed(), cost * SHARE);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_scrape_that_waits_is_not_kept_waiting_for_what_rendering_may_cost() {
        let publisher = Publisher::default();
        let mut renderer = renderer(&publisher, Duration::from_secs(1));
        let began = Instant::now();
        renderer.wishes.newer.notify_one();
        renderer.rest().await;
        assert_eq!(began.elapsed(), Duration::ZERO);
    }
}
