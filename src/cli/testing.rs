//! A simulated portal in this process, for the tests of commands that collect once.

use std::net::Ipv4Addr;

use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use tempfile::TempDir;
use tokio::net::TcpListener;
use uuid::Uuid;

use crate::config::{BaseUrl, Config, HiddenPath, KeySource, Portal, Rate};
use crate::model::PortalName;
use kb_simulator::{Options, Simulator, Status, World};

/// The key that may use every folder.
pub(super) const KEY: &str = "kbk_scene";

/// A portal that answers, and a configuration that watches it.
pub(super) struct Scene {
    pub simulator: Simulator,
    pub config: Config,
    _key: TempDir,
}

/// What happens to the world when the first folder is asked for.
type Turn = fn(&mut World);

impl Scene {
    /// A portal with a folder of `done` files for each of `folders`.
    pub async fn new(folders: &[(&str, usize)]) -> Self {
        Self::with(folders, |_| {}, |_| {}).await
    }

    /// The same, in which something happens after the list was read and before a folder is.
    pub async fn with_turn(folders: &[(&str, usize)], turn: Turn) -> Self {
        Self::with(folders, |_| {}, turn).await
    }

    /// The same, of a portal with other options.
    pub async fn with(
        folders: &[(&str, usize)],
        change: impl FnOnce(&mut Options),
        turn: Turn,
    ) -> Self {
        let mut options = Options {
            key: KEY.to_owned(),
            speed: 0.0,
            ..Options::default()
        };
        change(&mut options);
        let simulator = Simulator::empty(options);
        for (name, files) in folders {
            simulator.with(|world| {
                let folder = world.add_folder(name);
                world.add_files(folder, &Status::Done, *files).unwrap();
            });
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = (simulator.clone(), turn);
        let router = simulator
            .router()
            .layer(from_fn_with_state(state, turn_at_first_folder));
        let served = simulator.clone();
        tokio::spawn(served.serve_router(router, listener, std::future::pending()));
        let (config, key) = config(&format!("http://{address}"));
        Self {
            simulator,
            config,
            _key: key,
        }
    }

    /// The ids of the folders, in the order in which they were made.
    pub fn folders(&self) -> Vec<Uuid> {
        self.simulator.with(|world| world.folder_ids())
    }
}

async fn turn_at_first_folder(
    State((simulator, turn)): State<(Simulator, Turn)>,
    request: Request,
    next: Next,
) -> Response {
    if request.uri().path().ends_with("/files") {
        simulator.with(turn);
    }
    next.run(request).await
}

fn config(address: &str) -> (Config, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    std::fs::write(&key, KEY).unwrap();
    let name = PortalName::new("main").unwrap();
    let base_url = BaseUrl::parse(address).unwrap();
    let portal = Portal::new(
        name,
        base_url,
        KeySource::File(HiddenPath::file("api_key_file", key)),
    );
    let mut config = Config::for_portal(portal);
    config.collect.max_requests_per_second = Rate(f64::INFINITY);
    config.request.retries = 0;
    (config, folder)
}
