//! Two processes with the same configuration are replaced one after the other: no gap, and no counter falls.

use std::collections::BTreeMap;

use kb_simulator::Status;

use super::scene::{Shared, until_writable};
use crate::support::exporter::Exporter;
use crate::support::wait::wait_for;
use kb_exposition::Exposition;

/// Counters that are stored, by name and labels.
type Counters = BTreeMap<(String, BTreeMap<String, String>), u64>;

/// What was scraped of one of the two targets. A process that takes its place goes on where the one before was.
#[derive(Default)]
struct Target {
    seen: Counters,
}

impl Target {
    /// Takes in a scrape. No counter is below what it was.
    fn scraped(&mut self, metrics: &Exposition) {
        for name in [
            "kb_folder_status_entries_total",
            "kb_reindex_attempts_total",
        ] {
            for sample in metrics.all(name, &[]) {
                let key = (sample.name.clone(), sample.labels.clone());
                let now = sample.count();
                let before = self.seen.insert(key, now).unwrap_or(0);
                assert!(now >= before, "{sample:?} was {before}");
            }
        }
    }
}

/// Two targets that Prometheus would scrape.
struct Pair<'a> {
    shared: &'a Shared,
    targets: [Target; 2],
    files: usize,
}

impl Pair<'_> {
    /// Scrapes whichever processes are ready, at least one, and all folders are shown by each.
    async fn scrape(&mut self, processes: [Option<&Exporter>; 2]) {
        let mut ready = 0;
        for (target, process) in self.targets.iter_mut().zip(processes) {
            let Some(process) = process else { continue };
            if process.status("/readyz").await != 200 {
                continue;
            }
            let metrics = process.metrics().await;
            let id = self.shared.folder.to_string();
            let counts = metrics.by_status("kb_folder_files", &id);
            assert_eq!(counts.len(), 5, "ready without counts");
            target.scraped(&metrics);
            ready += 1;
        }
        assert!(ready > 0, "a gap");
    }

    /// Adds failed files and scrapes, until all were counted by both.
    async fn live(&mut self, both: [&Exporter; 2]) {
        self.files += 1;
        let name = format!("{}.pdf", self.files);
        self.shared
            .portal
            .file(self.shared.folder, &name, Status::Failed);
        let id = self.shared.folder.to_string();
        loop {
            self.scrape(both.map(Some)).await;
            let key = self.targets.each_ref().map(|target| {
                let entered = target.seen.iter().find(|((name, labels), _)| {
                    name == "kb_folder_status_entries_total"
                        && labels["folder_id"] == id
                        && labels["status"] == "failed"
                });
                entered.map(|(_, entered)| *entered)
            });
            if key == [Some(self.files as u64); 2] {
                return;
            }
        }
    }

    /// Replaces the process of a target while the other one goes on.
    async fn replace(&mut self, target: usize, old: Exporter, other: &Exporter) -> Exporter {
        let processes = |own| match target {
            0 => [own, Some(other)],
            _ => [Some(other), own],
        };
        let stopping = old.stop();
        tokio::pin!(stopping);
        loop {
            tokio::select! {
                () = &mut stopping => break,
                () = self.scrape(processes(None)) => {}
            }
        }
        let files = format!("{}/files", self.shared.folder);
        // Its first counts have to wait.
        self.shared.portal.hold(&files);
        let new = self.shared.start().await;
        let listed = [("endpoint", "mine"), ("code", "200")];
        wait_for("the new process has the list of folders", async || {
            self.scrape(processes(Some(&new))).await;
            assert_eq!(new.status("/readyz").await, 503, "it has no counts");
            let metrics = new.metrics().await;
            metrics.value("kb_portal_requests_total", &listed)
        })
        .await;
        self.shared.portal.heal();
        wait_for("the new process is ready", async || {
            self.scrape(processes(Some(&new))).await;
            (new.status("/readyz").await == 200).then_some(())
        })
        .await;
        new
    }
}

#[tokio::test]
async fn a_rolling_restart_leaves_no_gap_and_lets_no_counter_fall() {
    let shared = Shared::new("enforce").await;
    shared.meet_long_ago().await;
    let (mut one, mut other) = tokio::join!(shared.start(), shared.start());
    for exporter in [&one, &other] {
        until_writable(exporter, true).await;
        shared.attempted(exporter, "accepted").await;
    }
    let mut pair = Pair {
        shared: &shared,
        targets: Default::default(),
        files: 0,
    };
    for _ in 0..2 {
        pair.live([&one, &other]).await;
        one = pair.replace(0, one, &other).await;
        pair.live([&one, &other]).await;
        other = pair.replace(1, other, &one).await;
        pair.live([&one, &other]).await;
    }
    assert_eq!(shared.sent(), 1);
    one.stop().await;
    other.stop().await;
}
