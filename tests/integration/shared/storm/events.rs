//! What happens to the processes and to the server.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::RwLock;
use tokio::time::sleep;

use crate::shared::ledger::{self, WRITES_ATTEMPT};
use crate::support::clock::Clock;
use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::postgres::Server;
use crate::support::postgres::database::Database;
use crate::support::postgres::proxy::{AtCommit, Proxy};
use crate::support::wait::{until, watch_for};
use crate::support::workspace::Workspace;

/// How long a process lives, in milliseconds. It acts only after its second collection, and waits for others before.
const LIVES: Range<u64> = 0..9_000;

/// How long a process stands still: longer than the lease of two seconds, in milliseconds.
const PAUSES: Range<u64> = 2_100..3_500;

/// One process after another in the same place.
pub(super) struct Life<'a, G> {
    pub(super) portal: &'a Portal,
    pub(super) workspace: &'a Workspace,
    pub(super) environment: &'a [(&'static str, PathBuf)],
    pub(super) generator: fastrand::Rng,
    /// Held to read while this process is started, stopped or killed.
    pub(super) deaths: &'a RwLock<()>,
    /// Whether another process is started.
    pub(super) goes_on: G,
}

impl<G: Fn() -> bool> Life<'_, G> {
    /// Starts processes and kills them; some stand still for a while before. How many did.
    pub(super) async fn live(mut self) -> usize {
        let mut pauses = 0;
        while (self.goes_on)() {
            let exporter = self.start().await;
            self.until_a_moment().await;
            if self.generator.u8(..3) == 0 {
                let _allowed = self.deaths.read().await;
                exporter.signal("STOP");
                wait(&mut self.generator, PAUSES).await;
                exporter.signal("CONT");
                pauses += 1;
                self.until_a_moment().await;
            }
            let _allowed = self.deaths.read().await;
            exporter.kill().await;
        }
        pauses
    }

    async fn start(&self) -> Exporter {
        let _allowed = self.deaths.read().await;
        let mut command = self.workspace.command();
        Exporter::launch(command.envs(self.environment.iter().cloned()).arg("run")).await
    }

    /// Waits for any moment; with every third process, for the next attempt of any process if that comes before.
    async fn until_a_moment(&mut self) {
        let eager = self.generator.u8(..3) == 0;
        let mut lives = self.generator.fork();
        let before = self.portal.written();
        let attempt = watch_for("an attempt", async || {
            (self.portal.written() > before).then_some(())
        });
        tokio::select! {
            () = attempt, if eager => wait(&mut self.generator, 0..10).await,
            () = wait(&mut lives, LIVES) => {}
        }
    }
}

async fn wait(generator: &mut fastrand::Rng, millis: Range<u64>) {
    sleep(Duration::from_millis(generator.u64(millis))).await;
}

/// How often what happened to the server and the connections.
#[derive(Debug, Default)]
pub(crate) struct Record {
    stops: usize,
    kills: usize,
    pauses: usize,
    losses: usize,
    cuts: usize,
    commits: usize,
    failovers: usize,
    steps: usize,
}

/// The server, and what lies between.
pub(crate) struct Weather<'a> {
    pub(super) server: &'a Server,
    pub(super) proxy: &'a Proxy,
    pub(super) database: &'a Database,
    /// The clock of the processes.
    pub(super) clock: &'a Clock,
    /// Held to write while every process is needed that knows something, or the clock is wrong.
    pub(super) deaths: &'a RwLock<()>,
    pub(super) generator: fastrand::Rng,
    /// Whether the server also fails over, and the clock is set.
    pub(super) worse: bool,
}

impl Weather<'_> {
    /// Lets something happen every few seconds, until it is over. In the end all is well.
    pub(super) async fn change(mut self, over: &Cell<bool>) -> Record {
        let mut record = Record::default();
        while !over.get() {
            self.wait(500..3_000).await;
            match self.generator.u8(..if self.worse { 16 } else { 12 }) {
                0 => {
                    self.server.stop().await;
                    self.wait(0..3_000).await;
                    self.server.start().await;
                    record.stops += 1;
                }
                1 => {
                    self.server.kill().await;
                    self.server.start().await;
                    record.kills += 1;
                }
                2 => {
                    self.server.pause();
                    self.wait(0..4_000).await;
                    self.server.resume();
                    record.pauses += 1;
                }
                3 => {
                    self.proxy.lose();
                    self.wait(0..4_000).await;
                    self.proxy.open();
                    record.losses += 1;
                }
                4 | 5 => {
                    self.proxy.cut();
                    record.cuts += 1;
                }
                6 => self
                    .proxy
                    .slow_down(Duration::from_millis(self.generator.u64(5..50))),
                7 => self.proxy.open(),
                8 | 9 => self.proxy.at_commit(AtCommit::CutBefore, WRITES_ATTEMPT),
                10 | 11 => self.proxy.at_commit(AtCommit::CutAfter, WRITES_ATTEMPT),
                12 | 13 => {
                    self.fail_over().await;
                    record.failovers += 1;
                }
                _ => {
                    self.set_clock().await;
                    record.steps += 2;
                }
            }
        }
        self.proxy.open();
        record.commits = self.proxy.commits();
        record
    }

    /// Loses what was written since a copy was made. Nobody dies meanwhile: what no process knows is lost for good.
    async fn fail_over(&mut self) {
        let deaths = self.deaths.write().await;
        self.proxy.open();
        self.server.copy().await;
        let copied = self.attempts();
        let lost = loop {
            wait(&mut self.generator, 1_000..6_000).await;
            self.proxy.lose();
            self.proxy.cut();
            let mut lost = self.attempts();
            lost.retain(|id, _| !copied.contains_key(id));
            // One without an outcome may be unknown to whoever wrote it.
            if lost.values().all(|outcome| !outcome.is_empty()) {
                break lost;
            }
            self.proxy.open();
        };
        self.server.fail_over().await;
        self.proxy.open();
        until("what was lost is added again", async || {
            let found = self.attempts();
            lost.keys().all(|id| found.contains_key(id))
        })
        .await;
        drop(deaths);
    }

    /// The outcome of each attempt.
    fn attempts(&self) -> BTreeMap<i64, String> {
        let attempts = ledger::attempts(self.database).into_iter();
        attempts
            .map(|attempt| (attempt.id, attempt.outcome))
            .collect()
    }

    /// Sets the clock, and after a while back. No process starts meanwhile: a clock that is ahead then cannot be noticed.
    async fn set_clock(&mut self) {
        let _right = self.deaths.write().await;
        let step = ["+1h", "-1h", "+25h"][self.generator.usize(..3)];
        self.clock.set(step);
        wait(&mut self.generator, 0..4_000).await;
        self.clock.set("+0");
    }

    async fn wait(&mut self, millis: Range<u64>) {
        wait(&mut self.generator, millis).await;
    }
}
