//! The names, types and labels that dashboards and alerts hang on.

mod families;

use std::fs;

use crate::support::exporter::{self, Exporter};
use crate::support::portal::Portal;
use crate::support::promtool;
use crate::support::workspace::Workspace;
use kb_exposition::Exposition;

use families::{Family, families};
use kb_simulator::{NewFile, Status};
use serde_json::json;

/// Everything happens that has a metric of its own.
#[tokio::test]
async fn every_family_is_there_with_its_type_and_labels_and_no_other() {
    let portal = Portal::start().await;
    let inbox = portal.folder("Inbox");
    let lost = portal.folder("Lost");
    portal.file(inbox, "failed.pdf", Status::Failed);
    let mut workspace = Workspace::each_second(&[("main", portal.base_url())]);
    workspace.change(|config| config["reindex"] = json!({"mode": "dry_run"}));
    let web_config = workspace.path("web.yml");
    fs::write(&web_config, "").unwrap();
    let mut command = workspace.command();
    let command = command.arg("run").arg("--web.config.file").arg(web_config);
    let exporter = Exporter::launch(command).await;
    exporter.collected().await;
    let arrived = portal.file(inbox, "arrived.pdf", Status::Pending);
    exporter
        .metrics_when("the file is seen waiting", |metrics| {
            metrics
                .folder(inbox)
                .by_status("kb_folder_files")
                .get("pending")
                == Some(&1)
        })
        .await;
    portal.set(inbox, arrived, Status::Done);
    portal.world(|world| world.delete_folder(lost)).unwrap();
    let metrics = exporter
        .metrics_when("the file was timed, and the folder left", |metrics| {
            metrics.count("kb_folder_indexing_seconds_count", &[]) == Some(1)
                && metrics.all("kb_folder_unavailable", &[]).count() == 1
        })
        .await;
    exporter.stop().await;
    for family in families() {
        let kind = metrics.types.get(family.name).map(String::as_str);
        assert_eq!(kind, Some(family.kind), "{}", family.name);
        let samples: Vec<_> = family.samples(&metrics).collect();
        assert!(!samples.is_empty(), "{}", family.name);
        for sample in samples {
            let labels = sample.labels.keys().map(String::as_str);
            let labels: Vec<_> = labels.filter(|label| *label != "le").collect();
            let mut expected = family.labels.clone();
            expected.sort_unstable();
            assert_eq!(labels, expected, "{}", family.name);
        }
    }
    let known = |name: &str| families().any(|family| family.name == name);
    let others: Vec<_> = metrics.types.keys().filter(|name| !known(name)).collect();
    assert!(others.is_empty(), "{others:?}");
    promtool::has_nothing_to_say(&metrics.text);
    let buckets = metrics.all("kb_folder_indexing_seconds_bucket", &[]);
    let bounds: Vec<_> = buckets.map(|bucket| &*bucket.labels["le"]).collect();
    assert_eq!(
        bounds,
        ["60", "300", "900", "3600", "14400", "86400", "+Inf"]
    );
}

#[tokio::test]
async fn counters_begin_at_0_before_the_portal_has_answered() {
    let portal = Portal::start().await;
    portal.hold("/mine");
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let metrics = Exporter::start(&workspace).await.metrics().await;
    for result in ["success", "partial", "failure", "skipped"] {
        let runs = metrics.count("kb_collection_runs_total", &[("result", result)]);
        assert_eq!(runs, Some(0), "{result}");
    }
    for endpoint in ["mine", "folder", "files", "reindex_failed"] {
        let labels = [("endpoint", endpoint)];
        let retries: Vec<_> = metrics.all("kb_portal_retries_total", &labels).collect();
        assert!(!retries.is_empty());
        assert!(retries.iter().all(|retries| retries.count() == 0));
        let asked = metrics.count("kb_portal_request_duration_seconds_count", &labels);
        assert_eq!(asked, Some(0), "{endpoint}");
    }
    let throttled = metrics.value("kb_portal_throttle_seconds_total", &[]);
    assert_eq!(throttled, Some(0.0));
    assert_eq!(metrics.value("kb_portal_up", &[]), Some(0.0));
}

#[tokio::test]
async fn a_scraper_that_accepts_gzip_gets_the_same_in_fewer_bytes() {
    let portal = Portal::start().await;
    for number in 0..50 {
        portal.folder(&format!("Folder {number}"));
    }
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let exporter = Exporter::start(&workspace).await;
    exporter.collected().await;
    let plain = exporter.get("/metrics").await;
    assert_eq!(plain.headers()["content-type"], "text/plain; version=0.0.4");
    assert!(!plain.headers().contains_key("content-encoding"));
    assert_eq!(plain.headers()["vary"], "accept-encoding");
    let plain = plain.text().await.unwrap();
    let packed = exporter.get_accepting("/metrics", "gzip").await;
    assert_eq!(packed.headers()["content-encoding"], "gzip");
    assert_eq!(packed.headers()["vary"], "accept-encoding");
    assert_eq!(
        packed.headers()["content-type"],
        "text/plain; version=0.0.4"
    );
    let packed = packed.bytes().await.unwrap();
    assert!(packed.len() * 5 < plain.len(), "{}", packed.len());
    let url = format!("http://{}/metrics", exporter.address());
    let unpacked = exporter::unpacking_client().get(url).send().await.unwrap();
    let unpacked = unpacked.text().await.unwrap();
    assert_eq!(without_process(&unpacked), without_process(&plain));
}

/// What does not change from one scrape to the next.
fn without_process(text: &str) -> Vec<&str> {
    let lines = text.lines();
    let of_the_process = ["process_", "kb_exporter_http_requests_total"];
    let changes = |line: &&str| of_the_process.iter().any(|name| line.starts_with(name));
    lines.filter(|line| !changes(line)).collect()
}

#[tokio::test]
async fn the_exposition_of_a_small_portal() {
    let portal = Portal::start().await;
    let inbox = portal.folder("Inbox \"new\"");
    portal.folder("Archive");
    for (number, status) in Status::KNOWN.into_iter().enumerate() {
        let reason = ["no text layer", "looks like an instruction"].get(number.wrapping_sub(3));
        let file = NewFile {
            name: format!("{number}.pdf"),
            size: 1_000 << number,
            status,
            error: reason.map(|reason| (*reason).to_owned()),
            ..NewFile::default()
        };
        portal.add(inbox, &file);
    }
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let exporter = Exporter::start(&workspace).await;
    exporter.collected().await;
    let decided = [("decision", "hold"), ("reason", "off")];
    let metrics = exporter
        .until_value("kb_reindex_decisions_total", &decided, 2.0)
        .await;
    let lines: Vec<_> = metrics.text.lines().map(redacted).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

/// A line without what differs from one run to the next: times, durations, the process, the build.
fn redacted(line: &str) -> String {
    const VARIES: [&str; 5] = [
        "_seconds",
        "kb_exporter_http_requests_total",
        "process_",
        "kb_exporter_build_info",
        "_throttle_",
    ];
    let name = line.split(['{', ' ']).next().unwrap();
    // How many writes there were depends on how fast they are.
    let counted = name.ends_with("_count") && !name.starts_with("kb_state_write_");
    if line.starts_with('#') || counted || !VARIES.iter().any(|part| name.contains(part)) {
        return line.to_owned();
    }
    let (series, _) = line.rsplit_once(' ').unwrap();
    if name == "kb_exporter_build_info" {
        return format!("{name}{{…}} 1");
    }
    format!("{series} …")
}

impl Family {
    /// The samples of the family, those of a histogram included.
    fn samples<'a>(
        &'a self,
        metrics: &'a Exposition,
    ) -> impl Iterator<Item = &'a kb_exposition::Sample> {
        metrics.samples.iter().filter(|sample| {
            let suffix = sample.name.strip_prefix(self.name);
            match suffix {
                Some("") => true,
                Some("_bucket" | "_sum" | "_count") => self.kind == "histogram",
                _ => false,
            }
        })
    }
}
