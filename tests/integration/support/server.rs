//! A portal's front: counts what it is asked, and is down, slow or refusing on command.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use tokio::net::TcpListener;
use tokio::sync::watch;

/// How requests whose path and query contain a text are treated; all others are answered.
#[derive(Clone)]
enum Fault {
    None,
    Held(String),
    Refused(String, StatusCode),
}

/// A router on an address of its own, until the test ends.
pub(crate) struct Server {
    address: SocketAddr,
    front: Arc<Front>,
}

struct Front {
    requests: Mutex<Vec<(Method, String)>>,
    fault: watch::Sender<Fault>,
}

impl Server {
    /// Serves a router on a free port of loopback.
    pub(crate) async fn start(router: Router) -> Self {
        let front = Arc::new(Front {
            requests: Mutex::default(),
            fault: watch::Sender::new(Fault::None),
        });
        let router = router.layer(from_fn_with_state(Arc::clone(&front), Front::pass));
        let service = router.into_make_service_with_connect_info::<SocketAddr>();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, service).await });
        Self { address, front }
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Holds back every answer to a path and query that contain a text, until [`Self::heal`].
    pub(crate) fn hold(&self, containing: &str) {
        self.set(Fault::Held(containing.to_owned()));
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

    /// Every path and query that was asked for, in order of arrival.
    pub(crate) fn requests(&self) -> Vec<String> {
        let requests = self.front.requests();
        requests.into_iter().map(|(_, target)| target).collect()
    }

    /// How many were asked for that contain a text.
    pub(crate) fn requests_with(&self, containing: &str) -> usize {
        let requests = self.requests();
        let matching = requests.iter().filter(|target| target.contains(containing));
        matching.count()
    }
}

impl Drop for Server {
    /// No test forgets to ask whether anything was written.
    fn drop(&mut self) {
        let requests = self.front.requests();
        let writes: Vec<_> = requests
            .iter()
            .filter(|(method, _)| method != Method::GET)
            .collect();
        if !thread::panicking() {
            assert!(writes.is_empty(), "the portal was written to: {writes:?}");
        }
    }
}

impl Front {
    fn requests(&self) -> Vec<(Method, String)> {
        let requests = self.requests.lock();
        requests.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, method: &Method, target: &str) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests.push((method.clone(), target.to_owned()));
    }

    async fn pass(State(front): State<Arc<Self>>, request: Request, next: Next) -> Response {
        let target = request.uri().path_and_query().unwrap().to_string();
        front.note(request.method(), &target);
        let mut faults = front.fault.subscribe();
        let held = |fault: &Fault| matches!(fault, Fault::Held(text) if target.contains(text));
        // The sender lives as long as the server; without it nobody waits for the answer.
        let fault = match faults.wait_for(|fault| !held(fault)).await {
            Ok(fault) => fault.clone(),
            Err(_) => Fault::None,
        };
        match fault {
            Fault::Refused(text, status) if target.contains(&text) => status.into_response(),
            _ => next.run(request).await,
        }
    }
}
