//! An hour and a day of simulated portals of many kinds, in paused time: each minute, what is published is compared with the truth.
//!
//! `tests/long day` runs the days, `tests/long day::NAME` one of them, and `cargo test --lib day::hour::NAME` an hour of one kind.

mod judge;
mod kinds;
mod portal;
mod scene;
mod truth;

use tokio::task::JoinHandle;
use tokio::time::sleep_until;

use super::*;
use judge::{Judge, Promise};
use kb_simulator::Switches;
use portal::Portal as DayPortal;
use scene::Scene;

/// Milliseconds, of a length or since the start of the world.
type Millis = u64;

const SECOND: Millis = 1_000;
const MINUTE: Millis = 60 * SECOND;
const HOUR: Millis = 60 * MINUTE;
const DAY: Millis = 24 * HOUR;

/// The statuses in the order of their words, as most databases sort them.
const ORDER: [&str; 5] = ["done", "failed", "flagged", "pending", "processing"];

/// A kind of portal, and what it can expect.
struct Kind {
    switches: Switches,
    latency: Millis,
    /// It answers one request after the other.
    serial: bool,
    /// How far its clock is behind.
    clock_behind: Millis,
    build: fn(&mut Scene),
    configure: fn(&mut Config),
    /// Requests a second.
    rate: u32,
    /// When the exporter is restarted.
    restart: Option<Millis>,
    promise: Promise,
}

impl Kind {
    /// A usual portal with these contents.
    fn of(build: fn(&mut Scene)) -> Self {
        Self {
            switches: Switches {
                status_order: ORDER.map(SimulatedStatus::from).to_vec(),
                ..Switches::default()
            },
            latency: 50,
            serial: false,
            clock_behind: 0,
            build,
            configure: |_| {},
            rate: 5,
            restart: None,
            promise: Promise::default(),
        }
    }

    fn portal(&self) -> Arc<DayPortal> {
        let began = Moment::now();
        let start = began.wall.before(Duration::from_millis(self.clock_behind));
        let simulator = Simulator::empty(Options {
            start: Some(start.into()),
            switches: Switches {
                index_delay: Duration::ZERO,
                ..self.switches.clone()
            },
            ..Options::default()
        });
        let mut scene = Scene::new(simulator, seed());
        (self.build)(&mut scene);
        // What is there at first is indexed.
        let delay = self.switches.index_delay;
        scene
            .simulator
            .with(|world| world.switches().index_delay = delay);
        DayPortal::new(began, self.latency, self.serial, scene)
    }
}

/// A collector that runs.
struct Process {
    publisher: Publisher,
    cancel: CancellationToken,
    task: JoinHandle<()>,
}

impl Process {
    async fn start(portal: &Arc<DayPortal>, kind: &Kind, state: Option<&Store>) -> Self {
        let scene = Story::at(portal.router(), |config| {
            config.collect.jitter = Duration::ZERO;
            config.collect.max_requests_per_second = Rate(kind.rate.into());
            (kind.configure)(config);
        });
        let plan = plan(&scene.collector);
        let settings = Arc::unwrap_or_clone(scene.collector.settings);
        let (ledger, stored) = match state {
            Some(store) => restored(store, &settings).await,
            None => (None, StoredPortal::default()),
        };
        let dependencies = Dependencies {
            ledger: ledger.clone(),
            ..scene.collector.dependencies
        };
        let collector = Collector::new(settings, dependencies, stored);
        let cancel = CancellationToken::new();
        let until = cancel.clone();
        let store = state.cloned();
        let task = tokio::spawn(async move {
            let (_key, plans) = (scene.key, watch::Sender::new(plan));
            let (_, heartbeat) = watch::channel(());
            collector.run(plans.subscribe(), heartbeat, until).await;
            if let (Some(store), Some(ledger)) = (store, ledger) {
                store.leave(ledger).await.unwrap();
            }
        });
        Self {
            publisher: scene.publisher,
            cancel,
            task,
        }
    }

    async fn stop(self) {
        self.cancel.cancel();
        self.task.await.unwrap();
    }
}

/// The seed of `tests/long`, or one that is always the same.
fn seed() -> u64 {
    let given = std::env::var("KB_LONG_SEED").ok();
    given.and_then(|seed| seed.parse().ok()).unwrap_or(7)
}

/// Lets a portal live, and judges what is published of it.
async fn live(name: &str, kind: Kind, minutes: u64) {
    let portal = kind.portal();
    let state = tempfile::tempdir().unwrap();
    let store = match kind.restart {
        Some(_) => Some(store_in(state.path()).await),
        None => None,
    };
    let mut judge = Judge::default();
    let mut process = Process::start(&portal, &kind, store.as_ref()).await;
    let start = Moment::now().steady;
    for minute in 0..minutes {
        // Collections start with the minute, and most of them have ended by then.
        sleep_until(start + Duration::from_secs(60 * minute + 30)).await;
        if kind.restart == Some(minute * MINUTE) {
            process.stop().await;
            process = Process::start(&portal, &kind, store.as_ref()).await;
            // What is stored is shown before much is read.
            sleep(Duration::from_secs(5)).await;
        }
        judge.minute(&portal, &view_of(&process.publisher), &kind);
    }
    process.stop().await;
    judge.end(&portal, &kind, minutes * MINUTE);
    let requests = portal.asked.lock().unwrap().times.len();
    println!("{name}: {requests} requests, {judge}");
    assert!(judge.is_content(), "{name}: {judge}");
}

/// Declares a story for each kind: an hour, and the whole day.
macro_rules! days {
    ($($name:ident: $minutes:literal),* $(,)?) => {
        /// As long as a kind needs to show itself.
        mod hour {
            $(#[tokio::test(start_paused = true)]
            async fn $name() {
                super::live(stringify!($name), super::kinds::$name(), $minutes).await;
            })*
        }

        mod whole {
            $(#[tokio::test(start_paused = true)]
            #[ignore = "use tests/long"]
            async fn $name() {
                super::live(stringify!($name), super::kinds::$name(), 24 * 60).await;
            })*
        }
    };
}

days! {
    capped_total: 60,
    rows_on_no_page: 60,
    few_rows_on_no_page: 60,
    overlapping_pages: 60,
    file_listed_twice: 60,
    empty_lists: 90,
    mass_deletion: 60,
    quick_failures: 60,
    many_failed: 90,
    steady_deletion: 40,
    folder_that_returns: 90,
    sorted_by_creation: 20,
    one_unsorted_folder: 60,
    short_page_once: 90,
    late_index: 20,
    one_answer_a_second: 60,
    two_million_files: 10,
    short_pages: 30,
    restart: 30,
    random_refusals: 15,
    refused_page: 40,
    quiet: 15,
    requeued: 60,
    early_recoveries: 30,
}
