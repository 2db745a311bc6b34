//! A real Prometheus has an answer to every question, and nothing to say against it.

use std::collections::BTreeMap;

use serde_json::Value;
use tempfile::TempDir;

use kb_simulator::faults::Target;

use crate::support::exporter::Exporter;
use crate::support::history;
use crate::support::portal::Portal;
use crate::support::prometheus::Prometheus;
use crate::support::workspace::Workspace;
use kb_exposition::Exposition;

use super::queries::{asked_by, replaced};
use super::{committed, panels, targets, variables};

/// A server that knows six hours of a demo.
struct Demo {
    prometheus: Prometheus,
    now: f64,
}

impl Demo {
    /// Starts a demo with flags, and takes what it says when that is ready.
    async fn of(flags: &[&str], ready: impl Fn(&Exposition) -> bool) -> Self {
        Self::from(Exporter::demo(flags).await, ready).await
    }

    /// Takes what is said of a portal when there is this number of samples of a name.
    async fn at(portal: &Portal, name: &str, samples: usize) -> Self {
        let workspace = Workspace::each_second(&[("main", portal.base_url())]);
        let exporter = Exporter::start(&workspace).await;
        let ready = |metrics: &Exposition| metrics.all(name, &[]).count() == samples;
        Self::from(exporter, ready).await
    }

    /// Takes what an exporter says when that is ready.
    async fn from(exporter: Exporter, ready: impl Fn(&Exposition) -> bool) -> Self {
        let metrics = exporter.metrics_when("the demo has happened", ready).await;
        exporter.stop().await;
        let folder: TempDir = tempfile::tempdir().unwrap();
        let now = history::write(&metrics, folder.path());
        let config = serde_json::json!({"global": {"scrape_interval": "1m"}});
        let prometheus = Prometheus::start(&config, folder, &[]).await;
        Self { prometheus, now }
    }

    /// Asks, and fails where there is a warning, an error or no answer.
    async fn answers(&self, path: &str, parameters: &[(&str, &str)]) {
        let answer = crate::support::wait::wait_for("Prometheus is ready", async || {
            self.prometheus.ask(path, parameters).await
        })
        .await;
        assert_eq!(answer["status"], "success", "{answer}: {parameters:?}");
        for remark in ["warnings", "infos"] {
            assert_eq!(answer.get(remark), None, "{parameters:?}");
        }
        let data = &answer["data"];
        let list = data.get("result").unwrap_or(data).as_array().unwrap();
        assert!(!list.is_empty(), "no answer: {parameters:?}");
    }

    async fn answers_the_panels(&self) {
        for board in committed() {
            for target in panels(&board).flat_map(targets) {
                self.answers_target(target).await;
            }
        }
    }

    async fn answers_target(&self, target: &Value) {
        let query = with_all(&replaced(target["expr"].as_str().unwrap()));
        let now = self.now.to_string();
        if target["instant"] == true {
            let parameters = [("query", &*query), ("time", &*now)];
            self.answers("query", &parameters).await;
        } else {
            let start = (self.now - 6.0 * 3600.0).to_string();
            let parameters = [
                ("query", &*query),
                ("start", &*start),
                ("end", &*now),
                ("step", "60"),
            ];
            self.answers("query_range", &parameters).await;
        }
    }

    async fn answers_the_variables(&self) {
        let now = self.now.to_string();
        let start = (self.now - 6.0 * 3600.0).to_string();
        for board in committed() {
            for variable in variables(&board) {
                let (expression, label) = asked_by(variable);
                let expression = with_all(&expression);
                if let Some(label) = label {
                    let path = format!("label/{label}/values");
                    let parameters = [
                        ("match[]", &*expression),
                        ("start", &*start),
                        ("end", &*now),
                    ];
                    self.answers(&path, &parameters).await;
                } else {
                    let parameters = [("query", &*expression), ("time", &*now)];
                    self.answers("query", &parameters).await;
                }
            }
        }
    }
}

/// A query with every variable at All.
pub(super) fn with_all(query: &str) -> String {
    ["job", "instance", "portal", "folder"]
        .iter()
        .fold(query.to_owned(), |text, name| {
            text.replace(&format!("\"${name}\""), "\".+\"")
        })
}

#[tokio::test]
async fn every_query_and_variable_has_an_answer_in_a_demo_that_has_a_past() {
    let flags = [
        "--portal.folders",
        "6",
        "--portal.files",
        "600",
        "--portal.speed",
        "60",
        "--reindex",
        "enforce",
    ];
    let demo = Demo::of(&flags, |metrics| {
        let indexed = metrics.all("kb_folder_indexing_seconds_count", &[]).count();
        let held = metrics.all("kb_reindex_hold", &[]).count();
        indexed > 0 && held > 0
    })
    .await;
    demo.answers_the_variables().await;
    demo.answers_the_panels().await;
}

#[tokio::test]
async fn every_query_has_an_answer_where_no_folder_has_a_file() {
    let portal = Portal::start().await;
    portal.world(|world| {
        for name in ["Inbox", "Archive"] {
            world.add_synthetic_folder(name, &BTreeMap::new());
        }
    });
    // There is one as soon as a folder was counted twice.
    let demo = Demo::at(&portal, "kb_folder_count_interval_seconds", 2).await;
    demo.answers_the_panels().await;
}

#[tokio::test]
async fn every_query_has_an_answer_where_a_portal_has_no_folder() {
    let portal = Portal::start().await;
    let read = "kb_collection_last_success_timestamp_seconds";
    Demo::at(&portal, read, 1).await.answers_the_panels().await;
}

#[tokio::test]
async fn every_query_has_an_answer_where_a_portal_could_never_be_read() {
    let portal = Portal::start().await;
    portal.refuse(Target::List, 503);
    let ended = "kb_collection_last_run_timestamp_seconds";
    Demo::at(&portal, ended, 1).await.answers_the_panels().await;
}
