//! What a scrape is answered with while portals are collected, and while they are not.

pub(super) mod portals;
mod scrapes;

use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use flate2::bufread::GzDecoder;
use tokio_util::sync::CancellationToken;

use crate::clock::Moment;
use crate::metrics::{ConfigFacts, Events, Exposition, Renderer, Scrape};
use crate::snapshot::{PortalView, Publisher};

struct Story {
    publisher: Publisher,
    events: Events,
    exposition: Exposition,
    /// By how much the calendar was put forward while timers stood still.
    suspended: Arc<Mutex<Duration>>,
    renderer: Option<Renderer>,
    stop: CancellationToken,
}

impl Story {
    /// Shows one portal, which is rendered; nothing renders any more until [`Self::go_on`].
    async fn begin(portal: PortalView) -> Self {
        let publisher = portals::publisher(&portal);
        publisher.publish(portal);
        let suspended = Arc::<Mutex<Duration>>::default();
        let clock = clock(Arc::clone(&suspended));
        let (mut renderer, exposition) = Renderer::new(&publisher, clock).unwrap();
        renderer.render().await.unwrap();
        Self {
            publisher,
            events: Events::new().unwrap(),
            exposition,
            suspended,
            renderer: Some(renderer),
            stop: CancellationToken::new(),
        }
    }

    /// Renders in the background from now on.
    fn go_on(&mut self) {
        let renderer = self.renderer.take().unwrap();
        tokio::spawn(renderer.run(self.stop.clone()));
    }

    async fn scrape(&self) -> Scrape {
        let config = ConfigFacts {
            reload_successful: true,
            loaded: Moment::now().wall,
        };
        self.exposition.scrape(&self.events, config).await.unwrap()
    }

    /// What a scrape says in gzip form.
    async fn shown(&self) -> String {
        let packed = self.scrape().await.gzip().unwrap().concat();
        unpacked(&packed)
    }

    /// What is shown as soon as it is rendered anew, without asking for it.
    async fn shown_next(&self) -> String {
        let mut rendered = self.exposition.rendered.clone();
        rendered.mark_unchanged();
        rendered.changed().await.unwrap();
        let facts = rendered.borrow().text.inflate();
        let facts: Vec<_> = facts.map(Result::unwrap).collect();
        String::from_utf8(facts.concat()).unwrap()
    }
}

impl Drop for Story {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Follows the timers of the test, and can be advanced in addition.
fn clock(suspended: Arc<Mutex<Duration>>) -> super::Clock {
    let (began, start) = (Moment::now(), Moment::now().steady);
    Arc::new(move || {
        let passed = start.elapsed();
        let slept = *suspended.lock().unwrap();
        Moment {
            wall: portals::later(began.wall, passed + slept),
            steady: began.steady + passed,
        }
    })
}

/// The text of exactly one gzip member.
fn unpacked(mut packed: &[u8]) -> String {
    let mut text = String::new();
    let mut decoder = GzDecoder::new(&mut packed);
    decoder.read_to_string(&mut text).unwrap();
    assert!(
        packed.is_empty(),
        "{} bytes behind the member",
        packed.len()
    );
    text
}

/// Values of the samples that begin like this.
fn values<'a>(text: &'a str, series: &'a str) -> impl Iterator<Item = u64> + 'a {
    let samples = text.lines().filter(move |line| line.starts_with(series));
    samples.map(|line| line.rsplit_once(' ').unwrap().1.parse().unwrap())
}
