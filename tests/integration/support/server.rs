//! A portal's front: counts what it is asked, and is down, slow or refusing on command.

use std::future::pending;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use kb_simulator::Simulator;
use kb_simulator::faults::Faults;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::writes::Writes;

/// How requests whose path and query contain a text are treated; all others are answered.
#[derive(Clone)]
enum Fault {
    None,
    /// All but the first so many, since the server was started, wait.
    Held(String, usize),
    Refused(String, StatusCode),
}

/// One request, as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) at: SystemTime,
    pub(crate) method: Method,
    /// Path and query.
    pub(crate) target: String,
}

/// A router on an address of its own, until the test ends.
pub(crate) struct Server {
    address: SocketAddr,
    front: Arc<Front>,
    writes: Writes,
}

struct Front {
    requests: Mutex<Vec<Asked>>,
    /// Those that are no reads.
    written: AtomicUsize,
    fault: watch::Sender<Fault>,
}

impl Server {
    /// Serves a router on a free port of loopback.
    pub(crate) async fn start(router: Router) -> Self {
        let (server, router, listener) = Self::prepared(router).await;
        tokio::spawn(async move { axum::serve(listener, router).await });
        server
    }

    /// Serves a simulated portal with faults of its own.
    pub(crate) async fn before(simulator: &Simulator, faults: &Faults) -> Self {
        let (server, router, listener) = Self::prepared(simulator.router()).await;
        let (simulator, faults) = (simulator.clone(), faults.clone());
        tokio::spawn(simulator.serve_with_faults(router, faults, listener, pending()));
        server
    }

    async fn prepared(router: Router) -> (Self, Router, TcpListener) {
        let front = Arc::new(Front {
            requests: Mutex::default(),
            written: AtomicUsize::default(),
            fault: watch::Sender::new(Fault::None),
        });
        let router = router.layer(from_fn_with_state(Arc::clone(&front), Front::pass));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = Self {
            address,
            front,
            writes: Writes::default(),
        };
        (server, router, listener)
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// What may be written.
    pub(crate) fn writes(&self) -> &Writes {
        &self.writes
    }

    /// Holds back every answer to a path and query that contain a text, until [`Self::heal`].
    pub(crate) fn hold(&self, containing: &str) {
        self.hold_after(containing, 0);
    }

    /// The same for all but the first so many since it was started.
    pub(crate) fn hold_after(&self, containing: &str, passes: usize) {
        self.set(Fault::Held(containing.to_owned(), passes));
    }

    /// Answers to such a path and query with a status and nothing else, until [`Self::heal`].
    pub(crate) fn refuse(&self, containing: &str, status: u16) {
        let status = StatusCode::from_u16(status).unwrap();
        self.set(Fault::Refused(containing.to_owned(), status));
    }

    /// Answers as it should again, also what is held back.
    pub(crate) fn heal(&self) {
        self.set(Fault::None);
    }

    fn set(&self, fault: Fault) {
        self.front.fault.send_replace(fault);
    }

    /// Everything that was asked for, in order of arrival.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.front.requests().clone()
    }

    /// Every path and query that was asked for, in order of arrival.
    pub(crate) fn requests(&self) -> Vec<String> {
        let asked = self.asked().into_iter();
        asked.map(|asked| asked.target).collect()
    }

    /// How many were asked for that would change something.
    pub(crate) fn written(&self) -> usize {
        self.front.written.load(Ordering::Relaxed)
    }

    /// How many were asked for that contain a text.
    pub(crate) fn requests_with(&self, containing: &str) -> usize {
        number_with(&self.front.requests(), containing)
    }
}

impl Drop for Server {
    /// No test forgets to ask whether anything was written.
    fn drop(&mut self) {
        let asked = self.front.requests();
        let asked = asked.iter();
        self.writes
            .judge(asked.map(|asked| (asked.method.as_str(), asked.target.as_str())));
    }
}

impl Front {
    fn requests(&self) -> MutexGuard<'_, Vec<Asked>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a request down, and returns how many there are by now.
    fn note(&self, method: &Method, target: &str) -> usize {
        if method != Method::GET {
            self.written.fetch_add(1, Ordering::Relaxed);
        }
        let mut requests = self.requests();
        requests.push(Asked {
            at: SystemTime::now(),
            method: method.clone(),
            target: target.to_owned(),
        });
        requests.len()
    }

    /// Whether a fault holds back the request with this number.
    fn holds(&self, fault: &Fault, target: &str, number: usize) -> bool {
        let Fault::Held(text, passes) = fault else {
            return false;
        };
        target.contains(text) && number_with(&self.requests()[..number], text) > *passes
    }

    async fn pass(State(front): State<Arc<Self>>, request: Request, next: Next) -> Response {
        let target = request.uri().path_and_query().unwrap().to_string();
        let number = front.note(request.method(), &target);
        let mut faults = front.fault.subscribe();
        let goes_on = |fault: &Fault| !front.holds(fault, &target, number);
        // The sender lives as long as the server; without it nobody waits for the answer.
        let fault = match faults.wait_for(goes_on).await {
            Ok(fault) => fault.clone(),
            Err(_) => Fault::None,
        };
        match fault {
            Fault::Refused(text, status) if target.contains(&text) => status.into_response(),
            _ => next.run(request).await,
        }
    }
}

fn number_with(requests: &[Asked], containing: &str) -> usize {
    let matching = requests
        .iter()
        .filter(|asked| asked.target.contains(containing));
    matching.count()
}
