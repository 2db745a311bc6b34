//! What happens to the processes and to the server.

use std::cell::Cell;
use std::ops::Range;
use std::time::Duration;

use tokio::time::sleep;

use crate::shared::ledger::WRITES_ATTEMPT;
use crate::shared::storm::REPLICAS;
use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::postgres::Server;
use crate::support::postgres::proxy::{AtCommit, Proxy};
use crate::support::wait::watch_for;
use crate::support::workspace::Workspace;

/// Before how many collections a process ends. It acts only after its second one.
const LONGEST_LIFE: u64 = 9;

/// How long a process stands still: longer than the lease of two seconds, in milliseconds.
const PAUSES: Range<u64> = 2_100..4_500;

/// One process after another as the same replica.
pub(super) struct Life<'a, G> {
    pub(super) portal: &'a Portal,
    pub(super) workspace: &'a Workspace,
    pub(super) shard: usize,
    pub(super) shards: usize,
    pub(super) generator: fastrand::Rng,
    /// Whether another process is started.
    pub(super) goes_on: G,
}

impl<G: Fn() -> bool> Life<'_, G> {
    /// Starts processes and kills them; some stand still for a while before. How many did.
    pub(super) async fn live(mut self) -> usize {
        let mut pauses = 0;
        while (self.goes_on)() {
            let exporter = Exporter::shard(self.workspace, self.shard, self.shards, REPLICAS).await;
            self.until_a_moment(&exporter).await;
            if self.generator.u8(..3) == 0 {
                exporter.signal("STOP");
                wait(&mut self.generator, PAUSES).await;
                exporter.signal("CONT");
                pauses += 1;
                self.until_a_moment(&exporter).await;
            }
            exporter.kill().await;
        }
        pauses
    }

    /// Waits for any moment of any interval; with every third process, for the next attempt of any process if that comes before.
    async fn until_a_moment(&mut self, exporter: &Exporter) {
        let (eager, lives) = (
            self.generator.u8(..3) == 0,
            self.generator.u64(..LONGEST_LIFE),
        );
        let before = self.portal.written();
        let attempt = watch_for("an attempt", async || {
            (self.portal.written() > before).then_some(())
        });
        tokio::select! {
            () = attempt, if eager => wait(&mut self.generator, 0..10).await,
            _ = exporter.collections(lives) => wait(&mut self.generator, 0..1_000).await,
        }
    }
}

async fn wait(generator: &mut fastrand::Rng, millis: Range<u64>) {
    sleep(Duration::from_millis(generator.u64(millis))).await;
}

/// How often what happened to the server and the connections.
#[derive(Debug, Default)]
pub(super) struct Record {
    stops: usize,
    kills: usize,
    pauses: usize,
    losses: usize,
    cuts: usize,
    commits: usize,
}

/// The server, and what lies between.
pub(super) struct Weather<'a> {
    pub(super) server: &'a Server,
    pub(super) proxy: &'a Proxy,
    pub(super) generator: fastrand::Rng,
}

impl Weather<'_> {
    /// Lets something happen every few seconds, until it is over. In the end all is well.
    pub(super) async fn change(mut self, over: &Cell<bool>) -> Record {
        let mut record = Record::default();
        while !over.get() {
            self.wait(500..3_000).await;
            match self.generator.u8(..12) {
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
                _ => self.proxy.at_commit(AtCommit::CutAfter, WRITES_ATTEMPT),
            }
        }
        self.proxy.open();
        record.commits = self.proxy.commits();
        record
    }

    async fn wait(&mut self, millis: Range<u64>) {
        wait(&mut self.generator, millis).await;
    }
}
