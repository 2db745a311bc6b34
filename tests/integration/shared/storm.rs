//! Many processes are killed and stopped, and their server with them, again and again at random moments, and no limit is ever broken.

mod events;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::join_all;
use kb_simulator::{NewFile, Simulator, Status};
use serde_json::json;
use tokio::sync::RwLock;
use tokio::time::sleep;
use uuid::Uuid;

use super::ledger;
use super::scene::{Shared, until_writable};
use crate::reindex::clock::Clock;
use crate::reindex::limits::{
    Event, Limits, Time, each_request_has_an_attempt, folder_of, is_soon_after, wall,
};
use crate::reindex::scene::{self, failed_files_are_shown};
use crate::support::exporter::Exporter;
use crate::support::postgres::Server;
use crate::support::postgres::proxy::Proxy;
use crate::support::random::Random;
use crate::support::wait::wait_for;
use events::{Life, Weather};
use kb_exposition::Sample;

/// How many processes there are, and what they may do.
pub(crate) struct Size {
    processes: usize,
    limits: Limits,
    /// Whether the server also fails over to a copy that lost something, and the clock of the processes is set.
    worse: bool,
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
#[expect(clippy::print_stdout, reason = "shown when the test fails")]
pub(crate) async fn no_limit_is_broken(size: &Size, random: Random) {
    let limits = &size.limits;
    let server = Server::own().await;
    let (shared, folders) = scene(&server, limits).await;
    let proxy = Proxy::before(server.address()).await;
    let workspace = shared.by(&shared.database.url_at(proxy.address()));

    let clock = Clock::of(&shared);
    let mut generator = random.generator();
    let (kills, over) = (Cell::new(0), Cell::new(false));
    let deaths = RwLock::default();
    let goes_on = || {
        let goes_on = random.goes_on(kills.get()) || shared.portal.written() == 0;
        kills.set(kills.get() + usize::from(goes_on));
        goes_on
    };
    let lives = (0..size.processes).map(|_| Life {
        portal: &shared.portal,
        workspace: &workspace,
        clock: &clock,
        generator: generator.fork(),
        deaths: &deaths,
        goes_on,
    });
    let lives = join_all(lives.map(Life::live).collect::<Vec<_>>());
    let lives = async {
        let pauses: usize = lives.await.into_iter().sum();
        over.set(true);
        pauses
    };
    let weather = Weather {
        server: &server,
        proxy: &proxy,
        database: &shared.database,
        clock: &clock,
        deaths: &deaths,
        generator: generator.fork(),
        worse: size.worse,
    };
    let people = change_files(shared.portal.simulator(), &folders, generator.fork(), &over);
    let (pauses, weather, ()) = tokio::join!(lives, weather.change(&over), people);

    nothing_is_forgotten(&shared, &folders).await;
    let attempts = ledger::attempts(&shared.database);
    let asked = shared.portal.asked();
    let requests: Vec<Event> = scene::sent(&asked)
        .map(|asked| (wall(asked.at), folder_of(&asked.target)))
        .collect();
    println!(
        "{} attempts {:?}, {} requests, {} kills, {pauses} pauses, {weather:?}",
        attempts.len(),
        outcomes(&attempts),
        requests.len(),
        kills.get()
    );
    assert!(!requests.is_empty(), "nothing happened");
    let intents: Vec<Event> = attempts.iter().map(ledger::Attempt::event).collect();
    each_request_has_an_attempt(&requests, &intents, UNDER_WAY);
    each_answer_was_given(&attempts, &requests);
    limits.cooldowns_were_kept(&requests, UNDER_WAY);
    let sent = attempts
        .iter()
        .filter(|attempt| attempt.outcome != "not_sent");
    let sent: Vec<Event> = sent.map(ledger::Attempt::event).collect();
    limits.cooldowns_were_kept(&sent, Duration::ZERO);
    limits.budget_was_kept(&charges(&attempts));
}

/// A portal in which files of many folders failed, and a ledger that has known it for long.
async fn scene(server: &Server, limits: &Limits) -> (Shared, Vec<Uuid>) {
    let text = |duration: Duration| humantime::format_duration(duration).to_string();
    let shared = Shared::on(server, "enforce", |config| {
        config["reindex"] = json!({
            "mode": "enforce",
            "min_age": "0s",
            "cooldown": text(limits.cooldown),
            "max_attempts": 1_000,
            "budget": {
                "files": limits.budget,
                "per": text(limits.per),
            },
        });
    })
    .await;
    let mut folders = vec![shared.folder];
    for number in 1..FOLDERS {
        let folder = shared.portal.folder(&format!("Folder {number}"));
        for file in 0..FILES {
            let file = NewFile::new(format!("{file}.pdf"), Status::Failed).because("a reason");
            shared.portal.add(folder, &file);
        }
        folders.push(folder);
    }
    shared.meet_long_ago().await;
    (shared, folders)
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

/// A process that is started after the storm counts every file, and knows of every attempt.
async fn nothing_is_forgotten(shared: &Shared, folders: &[Uuid]) {
    let workspace = shared
        .workspace
        .variant(|config| config["reindex"]["mode"] = "dry_run".into());
    let exporter = Exporter::start(&workspace).await;
    until_writable(&exporter, true).await;
    let metrics = exporter.collected_again().await;
    failed_files_are_shown(&shared.portal, folders, &metrics);
    // One whose process was killed has no result for a while: its request may still be under way.
    wait_for("every result is counted", async || {
        let metrics = exporter.metrics().await;
        let counted = metrics.all("kb_reindex_attempts_total", &[]);
        let counted: u64 = counted.map(Sample::count).sum();
        let outcomes = ledger::outcomes(&shared.database);
        // What was not sent is no attempt at the portal.
        let results = outcomes
            .iter()
            .filter(|outcome| !["", "not_sent"].contains(&outcome.as_str()));
        (counted == results.count() as u64).then_some(())
    })
    .await;
    exporter.stop().await;
}

/// How many attempts ended how.
fn outcomes(attempts: &[ledger::Attempt]) -> BTreeMap<&str, usize> {
    let mut outcomes = BTreeMap::new();
    for attempt in attempts {
        *outcomes.entry(attempt.outcome.as_str()).or_default() += 1;
    }
    outcomes
}

/// The portal received each request that it is said to have answered.
fn each_answer_was_given(attempts: &[ledger::Attempt], requests: &[Event]) {
    let answered = attempts
        .iter()
        .filter(|attempt| attempt.outcome == "accepted");
    let mut left = requests.to_vec();
    for attempt in answered {
        let (intended, folder) = attempt.event();
        let own = left
            .iter()
            .position(|(at, of)| *of == folder && is_soon_after(*at, intended, UNDER_WAY));
        left.remove(own.unwrap_or_else(|| panic!("{attempt:?}: not in {requests:#?}")));
    }
}

/// The files of each attempt that may have been sent, by time.
fn charges(attempts: &[ledger::Attempt]) -> Vec<(Time, u64)> {
    let charged = attempts.iter();
    let charged = charged.filter(|attempt| attempt.outcome != "not_sent");
    charged
        .map(|attempt| (attempt.intended, attempt.files))
        .collect()
}
