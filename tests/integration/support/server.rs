//! A portal's front: notes what it is asked, and holds back answers on command.

use std::future::pending;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::SystemTime;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use kb_simulator::Simulator;
use kb_simulator::faults::Faults;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::wait::until;

/// The end of the one path that may be posted to.
pub(crate) const REINDEX_FAILED: &str = "/reindex-failed";

/// Requests that wait: those whose path and query contain a text, but for the first ones since the server was started.
struct Held {
    containing: String,
    passes: usize,
}

/// One request, as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) at: SystemTime,
    pub(crate) method: Method,
    /// Path and query.
    pub(crate) target: String,
}

/// A simulated portal on an address of its own, until the test ends.
pub(crate) struct Server {
    address: SocketAddr,
    front: Arc<Front>,
    /// Whether failed files may be reindexed; nothing else may ever be changed.
    may_reindex: AtomicBool,
}

struct Front {
    requests: Mutex<Vec<Asked>>,
    held: watch::Sender<Vec<Held>>,
}

/// Serves a router on a free port of loopback, until the test ends.
pub(crate) async fn serve(router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

impl Server {
    /// Serves a simulated portal with faults of its own, on a free port of loopback.
    pub(crate) async fn before(simulator: &Simulator, faults: &Faults) -> Self {
        let front = Arc::new(Front {
            requests: Mutex::default(),
            held: watch::Sender::default(),
        });
        let router = simulator.router_with_faults(faults);
        let router = router.layer(from_fn_with_state(Arc::clone(&front), Front::pass));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (simulator, faults) = (simulator.clone(), faults.clone());
        tokio::spawn(async move {
            let served = simulator.serve_with_faults(router, &faults, listener, pending());
            served.await
        });
        Self {
            address,
            front,
            may_reindex: AtomicBool::new(false),
        }
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// From now on failed files may be reindexed.
    pub(crate) fn allow_reindex_failed(&self) {
        self.may_reindex.store(true, Ordering::Relaxed);
    }

    /// Holds back every answer to a path and query that contain a text, until [`Self::release`].
    pub(crate) fn hold(&self, containing: &str) {
        self.hold_after(containing, 0);
    }

    /// The same for all but the next ones. Returns the number of requests up to the last of these.
    pub(crate) fn hold_after(&self, containing: &str, next: usize) -> usize {
        let passes = self.requests_with(containing) + next;
        let containing = containing.to_owned();
        let held = Held { containing, passes };
        self.front.held.send_modify(|all| all.push(held));
        passes
    }

    /// Gives all answers that are held back.
    pub(crate) fn release(&self) {
        self.front.held.send_replace(Vec::new());
    }

    /// Everything that was asked for, in order of arrival.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.front.requests().clone()
    }

    /// How many were asked for that would change something.
    pub(crate) fn written(&self) -> usize {
        let requests = self.front.requests();
        let written = requests.iter().filter(|asked| asked.method != Method::GET);
        written.count()
    }

    /// Waits until more than this number were asked for that contain a text.
    pub(crate) async fn until_asked(&self, containing: &str, times: usize) {
        let what = format!("more than {times} requests with {containing}");
        until(&what, async || self.requests_with(containing) > times).await;
    }

    /// How many were asked for that contain a text.
    pub(crate) fn requests_with(&self, containing: &str) -> usize {
        number_with(&self.front.requests(), containing)
    }
}

impl Drop for Server {
    /// No test forgets to ask whether anything was written.
    fn drop(&mut self) {
        if thread::panicking() {
            return;
        }
        let may_reindex = self.may_reindex.load(Ordering::Relaxed);
        let is_admitted = |asked: &Asked| {
            let reindexes = asked.method == Method::POST && asked.target.ends_with(REINDEX_FAILED);
            asked.method == Method::GET || (may_reindex && reindexes)
        };
        let requests = self.front.requests();
        let wrong: Vec<_> = requests
            .iter()
            .filter(|asked| !is_admitted(asked))
            .collect();
        assert!(wrong.is_empty(), "the portal was written to: {wrong:?}");
    }
}

impl Front {
    fn requests(&self) -> MutexGuard<'_, Vec<Asked>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a request, and returns how many there are by now.
    fn note(&self, method: &Method, target: &str) -> usize {
        let mut requests = self.requests();
        requests.push(Asked {
            at: SystemTime::now(),
            method: method.clone(),
            target: target.to_owned(),
        });
        requests.len()
    }

    /// Whether the request with this number waits.
    fn waits(&self, held: &Held, target: &str, number: usize) -> bool {
        let of_these = || number_with(&self.requests()[..number], &held.containing);
        target.contains(&held.containing) && of_these() > held.passes
    }

    async fn pass(State(front): State<Arc<Self>>, request: Request, next: Next) -> Response {
        let target = request.uri().path_and_query().unwrap().to_string();
        let number = front.note(request.method(), &target);
        let mut held = front.held.subscribe();
        let waits = |held: &Held| front.waits(held, &target, number);
        // Without the sender, which lives as long as the server, nobody waits for the answer.
        let _ = held.wait_for(|held| !held.iter().any(waits)).await;
        next.run(request).await
    }
}

fn number_with(requests: &[Asked], containing: &str) -> usize {
    let matching = requests
        .iter()
        .filter(|asked| asked.target.contains(containing));
    matching.count()
}
