//! Two processes with the same configuration are replaced one after the other: a short gap, and no counter falls.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use kb_simulator::Status;

use super::scene::{Shared, until_active};
use crate::support::exporter::Exporter;
use kb_exposition::Exposition;

/// Counters that are stored, by name and labels.
#[derive(Default)]
struct Seen(BTreeMap<(String, BTreeMap<String, String>), u64>);

impl Seen {
    /// Takes in a scrape of the process that is active. No counter is below what any process showed.
    fn scraped(&mut self, metrics: &Exposition) {
        for name in [
            "kb_folder_status_entries_total",
            "kb_reindex_attempts_total",
        ] {
            for sample in metrics.all(name, &[]) {
                let key = (sample.name.clone(), sample.labels.clone());
                let now = sample.count();
                let before = self.0.insert(key, now).unwrap_or(0);
                assert!(now >= before, "{sample:?} was {before}");
            }
        }
    }
}

/// Lets one more file fail, and waits until its entry is shown.
async fn live(shared: &Shared, active: &Exporter, seen: &mut Seen, files: u64) {
    let name = format!("{files}.pdf");
    shared.portal.file(shared.folder, &name, Status::Failed);
    let id = shared.folder.to_string();
    let metrics = active
        .metrics_when("the entry is shown", |metrics| {
            metrics.by_status("kb_folder_status_entries_total", &id)["failed"] == files
        })
        .await;
    seen.scraped(&metrics);
}

#[tokio::test]
async fn a_rolling_restart_leaves_a_short_gap_and_lets_no_counter_fall() {
    let shared = Shared::new("enforce").await;
    shared.meet_long_ago().await;
    let mut active = shared.start_active().await;
    shared.attempted(&active, "accepted").await;
    let mut standby = shared.start_standby().await;
    let mut seen = Seen::default();
    for files in 1..=4 {
        live(&shared, &active, &mut seen, files).await;
        let stopped = Instant::now();
        active.stop().await;
        seen.scraped(&until_active(&standby, true).await);
        let gap = stopped.elapsed();
        assert!(gap < Duration::from_secs(3), "{gap:?}");
        active = standby;
        standby = shared.start_standby().await;
    }
    live(&shared, &active, &mut seen, 5).await;
    assert_eq!(shared.sent(), 1);
    active.stop().await;
    standby.stop().await;
}
