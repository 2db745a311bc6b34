//! The demo, as a visitor starts it: failed files come back while they watch.

use crate::support::exporter::Exporter;
use crate::support::workspace::program;
use kb_exposition::Sample;

#[tokio::test]
async fn failed_files_come_back_in_a_demo_under_enforce() {
    let mut demo = program();
    demo.args(["demo", "--reindex", "enforce"]);
    demo.args(["--portal.listen-address", "127.0.0.1:0"]);
    demo.args(["--portal.files", "6000"]);
    demo.args(["--portal.speed", "100"]);
    let exporter = Exporter::launch(&mut demo).await;
    // Its ledger is new: the first attempt is made after one cooldown.
    for name in [
        "kb_reindex_files_requeued_total",
        "kb_reindex_files_recovered_total",
    ] {
        exporter
            .metrics_when(name, |metrics| {
                metrics.all(name, &[]).map(Sample::count).sum::<u64>() > 0
            })
            .await;
    }
    exporter.stop().await;
}
