//! Many processes are killed and stopped, and their server with them, again and again at random moments, and no limit is ever broken.
//!
//! `KB_STORM_EVENTS` (25) says how many processes are killed at least, `KB_STORM_SEED` (random) how long each lives and what happens meanwhile. The
//! seed is printed; what the processes do is their own affair, so that a seed does not repeat a run to the last detail.

mod events;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::env;
use std::str::FromStr;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use kb_simulator::{NewFile, Simulator, Status};
use serde_json::json;
use tokio::time::sleep;
use uuid::Uuid;

use super::ledger;
use super::scene::{Shared, start_shard, until_writable};
use crate::reindex::limits::{Event, Limits, each_request_has_an_attempt, folder_of, millis, wall};
use crate::reindex::scene::sent;
use crate::support::postgres::Server;
use crate::support::postgres::proxy::Proxy;
use crate::support::wait::wait_for;
use events::{Life, Weather};
use kb_exposition::Sample;

const FOLDERS: usize = 12;
const FILES: usize = 4;

/// Processes: each shard has so many.
const SHARDS: usize = 4;
const REPLICAS: usize = 2;

const LIMITS: Limits = Limits {
    cooldown: Duration::from_secs(10),
    budget: 15,
    per: Duration::from_secs(30),
};

/// Files that the budget allows.
const BUDGET_FILES: usize = 40;

/// From a written intent to the arrival of its request, at most: the lease, and how long a process stands still between its last look at the
/// lease and the request.
const UNDER_WAY: Duration = Duration::from_secs(7);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_limit_is_broken_by_kills_pauses_and_outages_at_random_moments() {
    let kills: usize = setting("KB_STORM_EVENTS").unwrap_or(25);
    let seed = setting("KB_STORM_SEED").unwrap_or_else(|| fastrand::u64(..));
    println!("KB_STORM_EVENTS={kills} KB_STORM_SEED={seed}");
    let begun = Instant::now();
    let mut random = fastrand::Rng::with_seed(seed);
    let server = Server::own().await;
    let (shared, folders) = scene(&server).await;
    let proxy = Proxy::before(server.address()).await;
    let workspace = shared.by(&shared.database.url_at(proxy.address()));

    let over = Cell::new(false);
    // On a busy machine, few processes live for long enough to act.
    let enough = kills / 20;
    let mut lives = Vec::new();
    for number in 0..SHARDS * REPLICAS {
        let life = Life {
            workspace: &workspace,
            shard: number % SHARDS,
            shards: SHARDS,
            random: random.fork(),
        };
        let was_enough = || sent(&shared.portal.asked()).count() > enough;
        lives.push(life.live(kills.div_ceil(SHARDS * REPLICAS), was_enough));
    }
    let lives = async {
        let pauses: usize = join_all(lives).await.into_iter().sum();
        over.set(true);
        pauses
    };
    let weather = Weather {
        server: &server,
        proxy: &proxy,
        random: random.fork(),
    };
    let people = change_files(shared.portal.simulator(), &folders, random.fork(), &over);
    let (pauses, weather, ()) = tokio::join!(lives, weather.change(&over), people);

    nothing_is_forgotten(&shared, &folders).await;
    let attempts = ledger::attempts(&shared.database);
    let asked = shared.portal.asked();
    let requests: Vec<Event> = sent(&asked)
        .map(|asked| (wall(asked.at), folder_of(&asked.target)))
        .collect();
    println!(
        "{} attempts {:?}, {} requests, {pauses} pauses, {weather:?}, {:?}",
        attempts.len(),
        outcomes(&attempts),
        requests.len(),
        begun.elapsed()
    );
    assert!(requests.len() > enough, "nothing happened");
    let intents: Vec<Event> = attempts.iter().map(ledger::Attempt::event).collect();
    each_request_has_an_attempt(&requests, &intents, UNDER_WAY);
    each_answer_was_given(&attempts, &requests);
    LIMITS.were_kept(&requests, UNDER_WAY);
    LIMITS.were_kept(&intents, Duration::ZERO);
    no_more_files_than_the_budget(&attempts);
}

/// A portal in which files of many folders failed, and a new ledger.
async fn scene(server: &Server) -> (Shared, Vec<Uuid>) {
    let text = |duration: Duration| humantime::format_duration(duration).to_string();
    let shared = Shared::on(server, "enforce", |config| {
        config["reindex"] = json!({
            "mode": "enforce",
            "min_age": "0s",
            "cooldown": text(LIMITS.cooldown),
            "max_cooldown": text(LIMITS.cooldown),
            "max_attempts": 1_000,
            "max_failed_ratio": 1.0,
            "verify_after": "5s",
            "budget": {
                "actions": LIMITS.budget,
                "files": BUDGET_FILES,
                "per": text(LIMITS.per),
            },
            "breaker": {"no_effect": 1_000, "open_for": "1s"},
        });
    })
    .await;
    let mut folders = vec![shared.folder];
    for number in 1..FOLDERS {
        let folder = shared.portal.folder(&format!("Folder {number}"));
        for file in 0..FILES {
            shared
                .portal
                .add(folder, &failed_file(&format!("{file}.pdf")));
        }
        folders.push(folder);
    }
    (shared, folders)
}

fn failed_file(name: &str) -> NewFile {
    NewFile {
        name: name.to_owned(),
        status: Status::Failed,
        error: Some("a reason".to_owned()),
        ..NewFile::default()
    }
}

/// Lets files that were sent be done, so that a retry is worth while, and done ones fail again, folder by folder.
async fn change_files(
    portal: Simulator,
    folders: &[Uuid],
    mut random: fastrand::Rng,
    over: &Cell<bool>,
) {
    while !over.get() {
        let folder = folders[random.usize(..folders.len())];
        portal.with(|world| {
            for file in world.file_ids(folder) {
                let status = match random.u8(..10) {
                    0..=2 => continue,
                    3..=6 => Status::Done,
                    _ => Status::Failed,
                };
                let reason = (status == Status::Failed).then_some("a reason");
                world.set_status(folder, file, status, reason).unwrap();
            }
        });
        sleep(Duration::from_millis(random.u64(100..400))).await;
    }
}

/// A process that is started after the storm counts every file, and knows of every attempt.
async fn nothing_is_forgotten(shared: &Shared, folders: &[Uuid]) {
    let workspace = shared
        .workspace
        .variant(|config| config["reindex"]["mode"] = "dry_run".into());
    let exporter = start_shard(&workspace, 0, 1).await;
    until_writable(&exporter, true).await;
    let metrics = exporter.collected_again().await;
    for folder in folders {
        let counts = shared.portal.world(|world| world.counts(*folder)).unwrap();
        let failed = counts.get(&Status::Failed).copied().unwrap_or(0);
        let shown = metrics.by_status("kb_folder_files", &folder.to_string());
        assert_eq!(shown["failed"], failed, "{folder}");
    }
    // One whose process was killed has no result for a while: its request may still be under way.
    wait_for("every result is counted", async || {
        let metrics = exporter.metrics().await;
        let counted = metrics.all("kb_reindex_attempts_total", &[]);
        let counted: u64 = counted.map(Sample::count).sum();
        let outcomes = ledger::outcomes(&shared.database);
        let results = outcomes.iter().filter(|outcome| !outcome.is_empty());
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
        let own = left.iter().position(|(at, of)| {
            *of == folder && *at >= intended && at - intended <= millis(UNDER_WAY)
        });
        left.remove(own.unwrap_or_else(|| panic!("{attempt:?}: not in {requests:#?}")));
    }
}

/// In no window of the budget were more files sent.
fn no_more_files_than_the_budget(attempts: &[ledger::Attempt]) {
    for (number, last) in attempts.iter().enumerate() {
        let begin = last.intended - millis(LIMITS.per);
        let window = attempts[..=number].iter();
        let window = window.filter(|attempt| attempt.intended > begin);
        let files: usize = window.map(|attempt| attempt.files).sum();
        assert!(files <= BUDGET_FILES, "{files} files until {last:?}");
    }
}

fn setting<T: FromStr>(name: &str) -> Option<T> {
    let text = env::var(name).ok()?;
    let value = text.parse().ok();
    Some(value.unwrap_or_else(|| panic!("{name} is no number: {text}")))
}
