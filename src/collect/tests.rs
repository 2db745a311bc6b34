//! A collector and the simulated portal: what happens after a panic.

mod busy;
mod day;
mod irregular;
mod stored;
mod walks;

use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use tokio::time::sleep;

use super::*;
use crate::config::{BaseUrl, Config, HiddenPath, KeySource, Portal, Rate, Schedule, Strategy};
use crate::count::Way;
use crate::metrics::Events;
use crate::model::PortalName;
use crate::portal::{Endpoint, Observer, RetryReason, Throttles};
use crate::snapshot::{FolderState, PortalView, RunResult};
use crate::store::{Place, Store};
use kb_simulator::{Options, Simulator, Status as SimulatedStatus};

/// Breaks at the first page of files, once.
#[derive(Default)]
struct Broken {
    was: AtomicBool,
}

impl Observer for Broken {
    fn requested(&self, endpoint: Endpoint, _: Option<u16>, _: Duration) {
        let first = endpoint == Endpoint::Files && !self.was.swap(true, Ordering::Relaxed);
        assert!(!first, "a mistake");
    }

    fn retried(&self, _: Endpoint, _: RetryReason) {}

    fn throttled(&self, _: Duration) {}
}

/// A simulated portal with two folders, and a collector for it.
struct Story {
    publisher: Publisher,
    collector: Collector,
    /// Deleted when it is dropped.
    key: tempfile::NamedTempFile,
}

async fn store_in(folder: &std::path::Path) -> Store {
    let store = Store::open(Place::folder(folder), Duration::MAX).await;
    store.unwrap()
}

/// The lease of a portal, and what is stored of it.
async fn restored(store: &Store, settings: &Settings) -> (Option<Ledger>, StoredPortal) {
    let ledger = store.acquire(&settings.address, |_| {}).await;
    let stored = ledger.lease().load(settings.entry.clone()).await.unwrap();
    (Some(ledger), stored)
}

/// How a collector goes on collecting as it does.
fn plan(collector: &Collector) -> Plan {
    Plan {
        settings: Settings::clone(&collector.settings),
        client: Arc::clone(&collector.dependencies.client),
    }
}

impl Story {
    fn begin(observer: Arc<dyn Observer>) -> Self {
        Self::begin_with(observer, |_| {})
    }

    fn begin_with(observer: Arc<dyn Observer>, configure: impl FnOnce(&mut Config)) -> Self {
        let simulator = Simulator::empty(Options::default());
        simulator.with(|world| {
            for name in ["Inbox", "Archive"] {
                let folder = world.add_folder(name);
                world
                    .add_files(folder, &SimulatedStatus::Failed, 3)
                    .unwrap();
            }
        });
        Self::at(simulator.router(), observer, configure)
    }

    /// A collector of the portal that a router is.
    fn at(
        router: Router,
        observer: Arc<dyn Observer>,
        configure: impl FnOnce(&mut Config),
    ) -> Self {
        let key = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(key.path(), Options::default().key).unwrap();
        let portal = Portal::new(
            PortalName::new("main").unwrap(),
            BaseUrl::parse("http://127.0.0.1").unwrap(),
            KeySource::File(HiddenPath::file("api_key_file", key.path())),
        );
        let mut config = Config::for_portal(portal.clone());
        config.collect.max_requests_per_second = Rate(f64::INFINITY);
        configure(&mut config);
        let publisher = Publisher::default();
        publisher.use_portals(&config.portals);
        let client = Client::new(
            &portal,
            &config.collect,
            &config.request,
            observer,
            &Throttles::default(),
        );
        client.connect_by(Arc::new(router));
        let dependencies = Dependencies {
            client,
            events: Events::new().unwrap().of(&portal.name),
            publisher: publisher.clone(),
            progress: Arc::default(),
            ledger: None,
        };
        let settings = Settings::new(&portal, &config);
        Self {
            publisher,
            collector: Collector::new(settings, dependencies, StoredPortal::default()),
            key,
        }
    }

    /// Collects on schedule until the test ends.
    fn run(mut self, schedule: Schedule) {
        let mut plan = plan(&self.collector);
        plan.settings.collect.schedule = schedule;
        plan.settings.collect.jitter = Duration::ZERO;
        self.collector.settings = Arc::new(plan.settings.clone());
        tokio::spawn(async move {
            let (_key, plans) = (self.key, watch::Sender::new(plan));
            let (heartbeat, cancel) = (watch::channel(()).1, CancellationToken::new());
            self.collector
                .run(plans.subscribe(), heartbeat, cancel)
                .await;
        });
    }

    fn view(&self) -> Arc<PortalView> {
        view_of(&self.publisher)
    }

    fn counted(&self) -> usize {
        counted_in(&self.view())
    }
}

/// What is published of the one portal.
fn view_of(publisher: &Publisher) -> Arc<PortalView> {
    Arc::clone(&publisher.current().portals[0])
}

fn counted_in(view: &PortalView) -> usize {
    let folders = view.folders.values();
    folders
        .filter(|folder| folder.state == FolderState::Counted)
        .count()
}

#[tokio::test]
async fn a_panic_in_a_read_costs_that_read_alone_and_is_counted() {
    let mut story = Story::begin(Arc::new(Broken::default()));
    story.collector.once().await;
    let view = story.view();
    assert_eq!((story.counted(), view.panics), (1, 1));
    let run = view.collections.last_run.unwrap();
    assert_eq!(run.result, RunResult::Partial);

    story.collector.once().await;
    assert_eq!((story.counted(), story.view().panics), (2, 1));
}

#[tokio::test]
async fn boundaries_that_were_searched_while_sorting_was_refuted_are_not_published() {
    let unobserved = Arc::new(crate::portal::Unobserved);
    let mut story = Story::begin_with(unobserved, |config| {
        config.collect.strategy = Strategy::Sorted;
    });
    let mut ways = Vec::new();
    story.collector.begin(None);
    while story.collector.runs.are_under_way() {
        story.collector.go_on();
        let event = story.collector.tasks.next().await.unwrap();
        if matches!(event, Event::FolderRead(..)) {
            let known = story.collector.folders.ids(|_| true);
            story.collector.refute(known[0]);
        }
        story.collector.task_ended(event);
        story.collector.publish();
        let view = story.view();
        let counts = view
            .folders
            .values()
            .filter_map(|folder| folder.counts.clone());
        ways.extend(counts.map(|counts| counts.look.way));
        story.collector.go_on();
    }
    assert!(
        !ways.is_empty() && ways.iter().all(|way| *way == Way::Full),
        "{ways:?}"
    );
}
