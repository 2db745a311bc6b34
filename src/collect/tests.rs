//! A collector and the simulated portal: what happens after a panic.

mod busy;
mod day;
mod irregular;
mod stored;
mod walks;

use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use tokio::time::sleep;
use uuid::Uuid;

use super::*;
use crate::classify::Class;
use crate::config::{self, Config, Rate, Schedule, Strategy};
use crate::count::Way;
use crate::metrics::Events;
use crate::portal::{Endpoint, Observer, RetryReason, Throttles, Unobserved};
use crate::snapshot::{FolderState, FolderView, PortalView, RunResult};
use crate::store::{Place, Store};
use kb_simulator::{Options, Simulator, Status as SimulatedStatus};

const MINUTE: Duration = Duration::from_mins(1);

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

type Files = [(SimulatedStatus, usize)];

/// A portal with folders of these files, and the ids of the folders.
fn portal<'a>(folders: impl IntoIterator<Item = (&'a str, &'a Files)>) -> (Simulator, Vec<Uuid>) {
    let simulator = Simulator::empty(Options::default());
    let add = |(name, files): (&str, &Files)| {
        simulator.with(|world| {
            let folder = world.add_folder(name);
            for (status, files) in files {
                world.add_files(folder, status, *files).unwrap();
            }
            folder
        })
    };
    let folders = folders.into_iter().map(add).collect();
    (simulator, folders)
}

/// A portal with two folders in which files failed.
fn two_folders() -> Router {
    let files: &Files = &[(SimulatedStatus::Failed, 3)];
    portal([("Inbox", files), ("Archive", files)]).0.router()
}

/// A simulated portal, and a collector for it.
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
    /// A collector of the portal that a router is.
    fn at(router: Router, configure: impl FnOnce(&mut Config)) -> Self {
        Self::observed(router, Arc::new(Unobserved), configure)
    }

    fn observed(
        router: Router,
        observer: Arc<dyn Observer>,
        configure: impl FnOnce(&mut Config),
    ) -> Self {
        let key = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(key.path(), Options::default().key).unwrap();
        let portal = config::testing::portal("main", "http://127.0.0.1", &key);
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

/// Failed files whose reason nobody has read.
fn unread(folder: &FolderView) -> Option<u64> {
    let errors = &folder.counts.as_ref()?.errors;
    let unread = errors.iter().filter(|row| row.class == Class::Unread);
    Some(unread.map(|row| row.files).sum())
}

#[tokio::test]
async fn a_panic_in_a_read_costs_that_read_alone_and_is_counted() {
    let mut story = Story::observed(two_folders(), Arc::new(Broken::default()), |_| {});
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
    let mut story = Story::at(two_folders(), |config| {
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
