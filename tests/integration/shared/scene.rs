//! A portal with failed files, a database, and the processes that use both.

use std::fs;
use std::ops::Deref;
use std::path::Path;

use serde_json::{Value, json};

use super::ledger;
use crate::reindex::scene::{LONG_AGO, Scene};
use crate::support::exporter::{Exporter, STORES};
use crate::support::postgres::Server;
use crate::support::postgres::database::Database;
use crate::support::postgres::proxy::Proxy;
use crate::support::wait::until;
use crate::support::workspace::Workspace;
use kb_exposition::Exposition;

/// How long a process may act after it renewed its lease: the shortest time that can be configured.
pub(super) const LEASE: &str = "2s";

/// A [`Scene`] whose processes share a database.
pub(super) struct Shared {
    scene: Scene,
    pub(super) database: Database,
}

impl Shared {
    /// A folder in which files failed, in which failed files may be sent back at once, and a database on the server of all tests.
    pub(super) async fn new(mode: &str) -> Self {
        Self::with(mode, |_| {}).await
    }

    /// The same with other settings.
    pub(super) async fn with(mode: &str, change: impl FnOnce(&mut Value)) -> Self {
        Self::on(Server::shared().await, mode, change).await
    }

    /// The same with a database on a server.
    pub(super) async fn on(server: &Server, mode: &str, change: impl FnOnce(&mut Value)) -> Self {
        let database = server.database();
        let mut scene = Scene::with(mode, change).await;
        use_url(&mut scene.workspace, &database.url());
        Self { scene, database }
    }

    /// What another process is started with that reaches the database by another URL.
    pub(super) fn by(&self, url: &str) -> Workspace {
        let mut workspace = self.workspace.variant(|_| {});
        use_url(&mut workspace, url);
        workspace
    }

    /// What another process is started with whose way to the database leads through a proxy, with a lease.
    pub(super) async fn distant(&self, lease: &str) -> (Proxy, Workspace) {
        let proxy = Proxy::before(Server::shared().await.address()).await;
        let mut workspace = self.by(&self.database.url_at(proxy.address()));
        workspace.change(|config| config["state"]["lease"] = lease.into());
        (proxy, workspace)
    }

    /// Lets a process meet the portal, and that be long ago. No process runs.
    pub(super) async fn meet_long_ago(&self) {
        let exporter = self.start().await;
        let is_met = async || ledger::has_met(&self.database);
        until("the portal is met", is_met).await;
        exporter.stop().await;
        ledger::age(&self.database, LONG_AGO);
    }

    /// Starts a process that waits for the one that reads the portal.
    pub(super) async fn start_standby(&self) -> Exporter {
        let exporter = self.start().await;
        until_active(&exporter, false).await;
        exporter
    }

    /// Starts a process, and waits until it reads the portal and no other does.
    pub(super) async fn start_active(&self) -> Exporter {
        let before = ledger::holder(&self.database);
        let exporter = self.start().await;
        self.taken_over(&before).await;
        exporter
    }

    /// Waits until another process than before has the lease.
    pub(super) async fn taken_over(&self, holder: &str) {
        let is_other = async || ledger::holder(&self.database) != holder;
        until("another process has the lease", is_other).await;
    }
}

impl Deref for Shared {
    type Target = Scene;

    fn deref(&self) -> &Scene {
        &self.scene
    }
}

fn use_url(workspace: &mut Workspace, url: &str) {
    let file = workspace.path("database-url");
    write_url(&file, url);
    workspace.change(|config| config["state"] = json!({"postgres_url_file": file, "lease": LEASE}));
}

pub(super) fn write_url(file: &Path, url: &str) {
    fs::write(file, format!("{url}\n")).unwrap();
}

/// What `/metrics` says when the state and the ledger are writable, or neither is.
pub(super) async fn until_writable(exporter: &Exporter, yes: bool) -> Exposition {
    exporter.until_writable(&STORES, yes).await
}

/// What `/metrics` says when a process reads the one portal, or waits for another one.
pub(super) async fn until_active(exporter: &Exporter, yes: bool) -> Exposition {
    let expected = if yes { 1.0 } else { 0.0 };
    exporter
        .metrics_when(&format!("the process is active: {yes}"), |metrics| {
            let active = metrics.value("kb_portal_active", &[]) == Some(expected);
            let is_shown = metrics.all("kb_portal_up", &[]).count() > 0;
            active && is_shown == yes
        })
        .await
}
