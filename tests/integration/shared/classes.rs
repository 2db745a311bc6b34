//! Classes of errors that replicas show.

use std::collections::BTreeMap;

use kb_simulator::{NewFile, Status};
use serde_json::json;

use super::scene::Shared;
use crate::support::exporter::Exporter;
use crate::support::postgres::Server;
use crate::support::postgres::proxy::Proxy;
use crate::support::wait::wait_for;

/// Failed files of the scene's folder by class, as a process shows them.
async fn by_class(exporter: &Exporter) -> BTreeMap<String, u64> {
    let metrics = exporter.metrics().await;
    let failed = metrics.all("kb_folder_file_errors", &[("status", "failed")]);
    failed
        .map(|sample| (sample.labels["error"].clone(), sample.count()))
        .collect()
}

fn fail(shared: &Shared, class: &str, files: u32) {
    for number in 0..files {
        let file = NewFile::new(format!("{class} {number}.pdf"), Status::Failed).because(class);
        shared.portal.add(shared.folder, &file);
    }
}

#[tokio::test]
async fn replicas_show_the_same_classes_also_when_they_saw_them_in_another_order() {
    let shared = Shared::with("off", |config| {
        config["errors"] = json!({"max_classes": 3, "max_classes_per_folder": 3});
    })
    .await;
    let proxy = Proxy::before(Server::shared().await.address()).await;
    let distant = shared.by(&shared.database.url_at(proxy.address()));
    proxy.lose();
    let early = Exporter::start(&distant).await;
    for class in ["alpha broke", "beta broke", "gamma broke"] {
        fail(&shared, class, 1);
    }
    wait_for("one has the first classes", async || {
        (by_class(&early).await.get("alpha broke") == Some(&1)).then_some(())
    })
    .await;
    for class in ["delta broke", "epsilon broke", "zeta broke"] {
        fail(&shared, class, 3);
    }
    // Nobody stored anything yet: it takes the largest.
    let late = shared.start().await;
    wait_for("the other has the largest classes", async || {
        (by_class(&late).await.get("zeta broke") == Some(&3)).then_some(())
    })
    .await;
    proxy.open();
    wait_for("the sum of the maxima is the number of files", async || {
        let [mut largest, other] = [by_class(&early).await, by_class(&late).await];
        let same = largest == other;
        for (class, files) in other {
            let largest = largest.entry(class).or_default();
            *largest = files.max(*largest);
        }
        // Two of the scene have no reason.
        (same && largest.values().sum::<u64>() == 2 + 3 + 9).then_some(())
    })
    .await;
    early.stop().await;
    late.stop().await;
}
