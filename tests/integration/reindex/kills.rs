//! The program and its standby are killed again and again while folders wait to be reindexed, and no limit is ever broken.

use std::time::Duration;

use tokio::sync::RwLock;

use super::ledger;
use super::limits::Limits;
use super::scene::{Scene, make_old_ledger};
use crate::shared::storm::{Size, Storm, more_folders, rules};
use crate::support::random::Random;

const SIZE: Size = Size {
    processes: 2,
    limits: Limits {
        cooldown: Duration::from_secs(10),
        budget: 40,
        per: Duration::from_secs(30),
    },
    worse: false,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_limit_is_broken_by_kills_at_random_moments() {
    no_limit_is_broken(Random::fixed(1, 8)).await;
}

/// The events are kills.
pub(crate) async fn no_limit_is_broken(random: Random) {
    let scene = Scene::with("enforce", |config| {
        config["reindex"] = rules(&SIZE.limits);
    })
    .await;
    let folders = more_folders(&scene);
    make_old_ledger(&scene.workspace).await;
    let storm = Storm {
        size: &SIZE,
        scene: &scene,
        folders,
        workspace: &scene.workspace,
        environment: Vec::new(),
        deaths: &RwLock::default(),
        attempts: &|| ledger::attempts(&scene.workspace),
    };
    storm.rage(random, None).await;
}
