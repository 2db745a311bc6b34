//! A real Alertmanager on a port of its own, and a webhook that it notifies.

use std::fs;
use std::net::SocketAddr;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::Value;

use super::prometheus::{Running, data};
use super::server::serve;
use super::wait::wait_for;

/// Starts an Alertmanager with a configuration.
pub(crate) async fn start(config: &str) -> Running {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("alertmanager.yml");
    fs::write(&file, config).unwrap();
    // Debian's name of it.
    let mut command = Command::new("prometheus-alertmanager");
    command.arg("--config.file").arg(file);
    command.arg("--storage.path").arg(data(folder.path()));
    command.arg("--cluster.listen-address=");
    Running::start(command, folder).await
}

/// What Alertmanager notifies, in order of arrival.
pub(crate) struct Webhook {
    address: SocketAddr,
    told: Told,
}

type Told = Arc<Mutex<Vec<Value>>>;

impl Webhook {
    /// Listens on a free port of loopback until the test ends.
    pub(crate) async fn start() -> Self {
        let told = Told::default();
        let router = Router::new()
            .route("/", post(note))
            .with_state(Arc::clone(&told));
        let address = serve(router).await;
        Self { address, told }
    }

    /// Where it is to be notified.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Waits for an alert of a name in a state, `firing` or `resolved`.
    pub(crate) async fn told(&self, name: &str, status: &str) -> Value {
        wait_for(&format!("{name} is {status}"), async || {
            let alerts = self.all();
            let mut matching = alerts.into_iter();
            matching.find(|alert| alert["labels"]["alertname"] == name && alert["status"] == status)
        })
        .await
    }

    /// Every alert so far.
    pub(crate) fn all(&self) -> Vec<Value> {
        let alerts = |body: &Value| body["alerts"].as_array().cloned().unwrap_or_default();
        self.notifications().iter().flat_map(alerts).collect()
    }

    /// Every notification so far.
    pub(crate) fn notifications(&self) -> Vec<Value> {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.clone()
    }
}

async fn note(State(told): State<Told>, Json(body): Json<Value>) {
    told.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(body);
}
