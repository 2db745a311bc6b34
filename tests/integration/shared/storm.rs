//! Many processes are killed and stopped, and their server with them, again and again at random moments, and no limit is ever broken.

mod events;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use futures_util::future::join_all;
use kb_simulator::{NewFile, Simulator, Status};
use serde_json::{Value, json};
use tokio::sync::RwLock;
use tokio::time::sleep;
use uuid::Uuid;

use super::ledger;
use super::scene::{Shared, until_writable};
use crate::reindex::clock::Clock;
use crate::reindex::limits::{Event, Limits, folder_of, wall};
use crate::reindex::scene::{self, Scene, failed_files_are_shown};
use crate::support::attempts::Attempt;
use crate::support::exporter::Exporter;
use crate::support::postgres::Server;
use crate::support::postgres::proxy::Proxy;
use crate::support::random::Random;
use crate::support::wait::until;
use crate::support::workspace::Workspace;
use events::{Life, Weather};
use kb_exposition::Sample;

/// How many processes there are, and what they may do.
pub(crate) struct Size {
    pub(crate) processes: usize,
    pub(crate) limits: Limits,
    /// Whether the server also fails over to a copy that lost something, and the clock of the processes is set.
    pub(crate) worse: bool,
}

const SMALL: Size = Size {
    processes: 4,
    limits: Limits {
        cooldown: Duration::from_secs(4),
        budget: 40,
        per: Duration::from_secs(8),
    },
    worse: false,
};

pub(crate) const LARGE: Size = Size {
    processes: 8,
    limits: Limits {
        cooldown: Duration::from_secs(10),
        budget: 40,
        per: Duration::from_secs(30),
    },
    worse: true,
};

const FOLDERS: usize = 12;
const FILES: usize = 4;

/// From a written intent to the arrival of its request, at most: the lease, and how long a process stands still between its last look at the
/// lease and the request.
const UNDER_WAY: Duration = Duration::from_secs(7);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_limit_is_broken_by_kills_pauses_and_outages_at_random_moments() {
    no_limit_is_broken(&SMALL, Random::fixed(1, 12)).await;
}

/// The events are kills.
pub(crate) async fn no_limit_is_broken(size: &Size, random: Random) {
    let server = Server::own().await;
    let shared = Shared::on(&server, "enforce", |config| {
        config["reindex"] = rules(&size.limits);
    })
    .await;
    let folders = more_folders(&shared);
    shared.meet_long_ago().await;
    let proxy = Proxy::before(server.address()).await;
    let workspace = shared.by(&shared.database.url_at(proxy.address()));
    let clock = Clock::of(&shared);
    let deaths = RwLock::default();
    let weather = Weather {
        server: &server,
        proxy: &proxy,
        database: &shared.database,
        clock: &clock,
        deaths: &deaths,
        generator: random.generator(),
        worse: size.worse,
    };
    let storm = Storm {
        size,
        scene: &shared,
        folders,
        workspace: &workspace,
        environment: clock.environment().into(),
        deaths: &deaths,
        attempts: &|| ledger::attempts(&shared.database),
    };
    storm.rage(random, Some(weather)).await;
}

/// Under which attempts are made again and again.
pub(crate) fn rules(limits: &Limits) -> Value {
    let text = |duration: Duration| humantime::format_duration(duration).to_string();
    json!({
        "mode": "enforce",
        "min_age": "0s",
        "cooldown": text(limits.cooldown),
        "max_attempts": 1_000,
        "budget": {
            "files": limits.budget,
            "per": text(limits.per),
        },
    })
}

/// The folder of a scene, and others in which files failed.
pub(crate) fn more_folders(scene: &Scene) -> Vec<Uuid> {
    let mut folders = vec![scene.folder];
    for number in 1..FOLDERS {
        let folder = scene.portal.folder(&format!("Folder {number}"));
        for file in 0..FILES {
            let file = NewFile::new(format!("{file}.pdf"), Status::Failed).because("a reason");
            scene.portal.add(folder, &file);
        }
        folders.push(folder);
    }
    folders
}

/// Processes that live and die in one state, of either kind.
pub(crate) struct Storm<'a> {
    pub(crate) size: &'a Size,
    pub(crate) scene: &'a Scene,
    pub(crate) folders: Vec<Uuid>,
    /// What the processes are started with.
    pub(crate) workspace: &'a Workspace,
    pub(crate) environment: Vec<(&'static str, PathBuf)>,
    /// Held to write while nobody may die.
    pub(crate) deaths: &'a RwLock<()>,
    /// What is written down.
    pub(crate) attempts: &'a dyn Fn() -> Vec<Attempt>,
}

impl Storm<'_> {
    /// Lets processes live and die for as long as it goes on, and then judges what they did.
    #[expect(clippy::print_stdout, reason = "shown when the test fails")]
    pub(crate) async fn rage(&self, random: Random, weather: Option<Weather<'_>>) {
        let portal = &self.scene.portal;
        self.help_once().await;
        let before = portal.written();
        let mut generator = random.generator();
        let (kills, over) = (Cell::new(0), Cell::new(false));
        let goes_on = || {
            let goes_on = random.goes_on(kills.get()) || portal.written() == before;
            kills.set(kills.get() + usize::from(goes_on));
            goes_on
        };
        let lives = (0..self.size.processes).map(|_| Life {
            portal,
            workspace: self.workspace,
            environment: &self.environment,
            generator: generator.fork(),
            deaths: self.deaths,
            goes_on,
        });
        let lives = join_all(lives.map(Life::live).collect::<Vec<_>>());
        let lives = async {
            let pauses: usize = lives.await.into_iter().sum();
            over.set(true);
            pauses
        };
        let people = change_files(portal.simulator(), &self.folders, generator.fork(), &over);
        let weather = async {
            match weather {
                Some(weather) => Some(weather.change(&over).await),
                None => None,
            }
        };
        let (pauses, weather, ()) = tokio::join!(lives, weather, people);
        self.nothing_is_forgotten().await;
        let attempts = (self.attempts)();
        println!(
            "{} attempts {:?}, {} kills, {pauses} pauses, {weather:?}",
            attempts.len(),
            outcomes(&attempts),
            kills.get()
        );
        let asked = portal.asked();
        let requests: Vec<Event> = scene::sent(&asked)
            .map(|asked| (wall(asked.at), folder_of(&asked.target)))
            .collect();
        self.size.limits.were_kept(&attempts, &requests, UNDER_WAY);
    }

    /// Two attempts, of both classes, help while all is calm. Otherwise the first ones, if their processes die before they send, are the only
    /// ones for an hour, and nothing happens.
    async fn help_once(&self) {
        let exporter = Exporter::start(&self.scene.workspace).await;
        until("the attempts have helped", async || {
            self.scene.portal.world(|world| {
                for folder in &self.folders {
                    while let Some(file) = world.file_with(*folder, &Status::Pending, 0) {
                        world.set_status(*folder, file, Status::Done, None).unwrap();
                    }
                }
            });
            let metrics = exporter.metrics().await;
            let helped = metrics.all("kb_reindex_outcomes_total", &[("outcome", "recovered")]);
            helped.map(Sample::count).sum::<u64>() >= 2
        })
        .await;
        exporter.stop().await;
    }

    /// A process that is started after the storm counts every file, and knows of every attempt.
    async fn nothing_is_forgotten(&self) {
        let workspace = self
            .scene
            .workspace
            .variant(|config| config["reindex"]["mode"] = "dry_run".into());
        let exporter = Exporter::start(&workspace).await;
        until_writable(&exporter, true).await;
        let metrics = exporter.collected_again().await;
        failed_files_are_shown(&self.scene.portal, &self.folders, &metrics);
        // One whose process was killed has no result for a while: its request may still be under way.
        until("every result is counted", async || {
            let metrics = exporter.metrics().await;
            let counted = metrics.all("kb_reindex_attempts_total", &[]);
            let counted: u64 = counted.map(Sample::count).sum();
            let attempts = (self.attempts)();
            // What was not sent is no attempt at the portal.
            let results = attempts
                .iter()
                .filter(|attempt| !["", "not_sent"].contains(&attempt.outcome.as_str()));
            counted == results.count() as u64
        })
        .await;
        exporter.stop().await;
    }
}

/// Lets files that were sent be done, so that a retry is worth while, and done ones fail again, folder by folder.
async fn change_files(
    portal: Simulator,
    folders: &[Uuid],
    mut generator: fastrand::Rng,
    over: &Cell<bool>,
) {
    while !over.get() {
        let folder = folders[generator.usize(..folders.len())];
        portal.with(|world| {
            for file in world.file_ids(folder) {
                let status = match generator.u8(..10) {
                    0..=2 => continue,
                    3..=6 => Status::Done,
                    _ => Status::Failed,
                };
                let reason = (status == Status::Failed).then_some("a reason");
                world.set_status(folder, file, status, reason).unwrap();
            }
        });
        sleep(Duration::from_millis(generator.u64(100..400))).await;
    }
}

/// How many attempts ended how.
fn outcomes(attempts: &[Attempt]) -> BTreeMap<&str, usize> {
    let mut outcomes = BTreeMap::new();
    for attempt in attempts {
        *outcomes.entry(attempt.outcome.as_str()).or_default() += 1;
    }
    outcomes
}
