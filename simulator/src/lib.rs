//! A simulated portal: what kb-exporter asks of one (docs/portal.md) over HTTP, and a knowledge base behind it that lives.
//!
//! It stands in for the portal in the tests of kb-exporter, in its `demo` and as its `portal`. It depends on nothing of the exporter and has wire
//! types of its own, so that a misreading of the interface is not confirmed by its twin.
//!
//! # Layout
//!
//! - State, without HTTP: [`World`] with folders (`folder`), files (`document`, `format`), keys (`access`) and a log of every change and
//!   request (`journal`); `administer`, `inspect` and `listing` are what can be done to it and asked of it; `life`, `processing` and `people` move it,
//!   `populate` and `supply` make the starting world, `build` is for tests.
//!   A folder holds its files, or is `synthetic` and computes them: see [`World::add_synthetic_folder`].
//! - HTTP: `http` answers, `route` and `query` read requests, `wire` has the shapes of answers; [`faults`] spoils them.
//!
//! # Undocumented behaviour (docs/portal.md)
//!
//! Where a real portal may well differ, [`Switches`] has both ways. Beyond those:
//!
//! - A file's state is its own: folders that share it show the same one, and requeueing it in one requeues it in all.
//! - A replaced file keeps its `linkId` and has a new `id` and `createdAt`. `createdAt` is when the file came to this folder.
//! - Names are sorted by Unicode code points.
//! - A page or a size that is no positive number counts as absent; a page past the last one is empty.
//! - A key that is not known answers 401; a folder id that is no UUID, 403, like any folder outside the set; a path outside `/api/`, 404.
//! - `reindex-*` counts files, not links. Files that are being processed are requeued as well.

use std::convert::Infallible;
use std::fmt;
use std::future::{Future, IntoFuture};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::time::MissedTickBehavior;

mod access;
mod administer;
mod build;
mod document;
pub mod faults;
mod folder;
mod format;
mod http;
mod inspect;
mod journal;
mod life;
mod listing;
mod options;
mod people;
mod populate;
mod processing;
mod query;
mod reasons;
mod refusal;
mod route;
#[cfg(test)]
mod rules;
mod status;
mod supply;
mod synthetic;
mod wire;
mod world;

pub use build::NewFile;
pub use journal::{Change, Counts, Entry, FileState, Served};
pub use options::{
    DeletedFolders, EmptyPages, Equals, Options, Position, SortOrder, SortParameters, Switches,
    UpdatedAt,
};
pub use refusal::Refusal;
pub use status::Status;
pub use world::World;

const TICK: Duration = Duration::from_millis(100);

/// The longest time that one tick makes up for, so that a process that slept does not wake to a burst.
const LONGEST_TICK: Duration = Duration::from_secs(2);

/// The longest life of one tick at any speed, so that requests are answered in between.
const LONGEST_STEP: Duration = Duration::from_hours(24);

/// A simulated portal; clones share one world.
#[derive(Clone)]
pub struct Simulator {
    world: Arc<Mutex<World>>,
}

impl fmt::Debug for Simulator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Simulator").finish_non_exhaustive()
    }
}

impl Simulator {
    /// A portal with the starting world of its options.
    pub fn new(options: Options) -> Self {
        Self::of(World::populated(options))
    }

    /// A portal without folders, in which nobody brings files.
    pub fn empty(options: Options) -> Self {
        Self::of(World::new(options))
    }

    fn of(world: World) -> Self {
        Self {
            world: Arc::new(Mutex::new(world)),
        }
    }

    /// Reads or changes the world, while no request is answered.
    pub fn with<T>(&self, act: impl FnOnce(&mut World) -> T) -> T {
        act(&mut self.world.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The portal as a router, to be nested or wrapped in layers. Nothing moves by itself.
    pub fn router(&self) -> Router {
        http::router(self.clone())
    }

    /// Serves the portal and lets it live until shutdown; requests under way are answered first.
    ///
    /// # Errors
    ///
    /// When the listener fails for good.
    pub async fn serve(
        self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> std::io::Result<()> {
        let listener = listener.tap_io(|stream| {
            // Without it small answers may wait for an acknowledgement; the connection works all the same.
            let _ = stream.set_nodelay(true);
        });
        let router = self.router();
        let service = router.into_make_service_with_connect_info::<SocketAddr>();
        let server = axum::serve(listener, service).with_graceful_shutdown(shutdown);
        self.live_beside(server.into_future()).await
    }

    /// Lives until a server ends.
    async fn live_beside<T>(&self, server: impl Future<Output = T>) -> T {
        tokio::select! {
            result = server => result,
            never = self.live() => match never {},
        }
    }

    async fn live(&self) -> Infallible {
        let speed = self.with(|world| world.options.speed);
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut last = Instant::now();
        loop {
            ticks.tick().await;
            let passed = last.elapsed().min(LONGEST_TICK);
            last = Instant::now();
            if let Ok(life) = Duration::try_from_secs_f64(passed.as_secs_f64() * speed)
                && !life.is_zero()
            {
                self.with(|world| world.step(life.min(LONGEST_STEP)));
            }
        }
    }
}
