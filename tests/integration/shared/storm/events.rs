//! What happens to the processes and to the server.

use std::cell::Cell;
use std::time::Duration;

use tokio::time::sleep;

use crate::shared::ledger::WRITES_ATTEMPT;
use crate::shared::scene::start_shard;
use crate::support::postgres::Server;
use crate::support::postgres::proxy::{AtCommit, Proxy};
use crate::support::workspace::Workspace;

/// How long a process lives at most, in milliseconds. It acts only after its second collection.
const LONGEST_LIFE: u64 = 10_000;

/// Where little happens, there are at most so many times as many lives.
const MOST_TIMES: usize = 5;

/// How long a process stands still: longer than the lease of two seconds, in milliseconds.
const PAUSES: std::ops::Range<u64> = 2_100..4_500;

/// One process after another as the same replica.
pub(super) struct Life<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) shard: usize,
    pub(super) shards: usize,
    pub(super) random: fastrand::Rng,
}

impl Life<'_> {
    /// Starts a process and kills it, so many times, and more often while that was not enough; some stand still for a while before. How
    /// many did.
    pub(super) async fn live(mut self, kills: usize, was_enough: impl Fn() -> bool) -> usize {
        let mut pauses = 0;
        for number in 0..kills * MOST_TIMES {
            if number >= kills && was_enough() {
                break;
            }
            let exporter = start_shard(self.workspace, self.shard, self.shards).await;
            self.wait(0..LONGEST_LIFE).await;
            if self.random.u8(..3) == 0 {
                exporter.signal("STOP");
                self.wait(PAUSES).await;
                exporter.signal("CONT");
                pauses += 1;
                self.wait(0..LONGEST_LIFE / 2).await;
            }
            exporter.kill().await;
        }
        pauses
    }

    async fn wait(&mut self, millis: std::ops::Range<u64>) {
        sleep(Duration::from_millis(self.random.u64(millis))).await;
    }
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
    pub(super) random: fastrand::Rng,
}

impl Weather<'_> {
    /// Lets something happen every few seconds, until it is over. In the end all is well.
    pub(super) async fn change(mut self, over: &Cell<bool>) -> Record {
        let mut record = Record::default();
        while !over.get() {
            self.wait(500..4_000).await;
            match self.random.u8(..12) {
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
                    .slow_down(Duration::from_millis(self.random.u64(5..50))),
                7 => self.proxy.open(),
                8 | 9 => self.proxy.at_commit(AtCommit::CutBefore, WRITES_ATTEMPT),
                _ => self.proxy.at_commit(AtCommit::CutAfter, WRITES_ATTEMPT),
            }
        }
        self.proxy.open();
        record.commits = self.proxy.commits();
        record
    }

    async fn wait(&mut self, millis: std::ops::Range<u64>) {
        sleep(Duration::from_millis(self.random.u64(millis))).await;
    }
}
