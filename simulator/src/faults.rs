//! Faults: ways in which a portal, or the network before it, answers badly, switched on and off while it runs.
//!
//! The portal sees each request all the same, and notes it in its log: a fault only changes what the caller receives. Connections that
//! are refused are the exception.
//!
//! # Layout
//!
//! `scope` says which requests are struck. `line` is the network, with raw bytes in place of answers; `pages`, `lists` and `rows` change
//! what a good answer says; `body` replaces it.

use std::future::{Future, IntoFuture};
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use axum::Router;
use axum::body::to_bytes;
use axum::extract::connect_info::MockConnectInfo;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderName, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;

mod body;
mod line;
mod lists;
mod pages;
mod rows;
mod scope;

pub use body::BodyFault;
pub use line::LineFault;
pub use lists::ListFault;
pub use pages::PageFault;
pub use rows::RowFault;
pub use scope::{Scope, Target};

use super::Simulator;
use line::{Caller, FaultyListener};
use rows::NO_UNICODE;
use scope::Asked;

/// Largest answer of the portal that is changed, in bytes.
const LARGEST: usize = 64 * 1024 * 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    Line(LineFault),
    Body(BodyFault),
    Status(u16, RetryAfter),
    /// A redirect of this status to another host, `http://…` without a path; the path stays.
    Redirect(u16, String),
    /// The list of folders is wrong.
    List(ListFault),
    /// Pages do not fit together.
    Page(PageFault),
    Row(RowFault),
}

/// The header `Retry-After` of a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAfter {
    Absent,
    Seconds(u64),
    /// As a date, so far from now.
    Date(Duration),
    /// As a word that says nothing.
    Nonsense,
}

impl RetryAfter {
    fn value(self) -> Option<String> {
        match self {
            Self::Absent => None,
            Self::Seconds(seconds) => Some(seconds.to_string()),
            Self::Date(from_now) => Some(httpdate::fmt_http_date(SystemTime::now() + from_now)),
            Self::Nonsense => Some("by and by".to_owned()),
        }
    }
}

/// The faults of one portal; clones share them.
#[derive(Clone, Debug)]
pub struct Faults {
    active: Arc<Mutex<Active>>,
    refusing: watch::Sender<bool>,
}

#[derive(Debug)]
struct Active {
    faults: Vec<(Scope, Fault)>,
    struck: u64,
    random: fastrand::Rng,
}

impl Faults {
    /// No fault yet. The seed decides what strikes by chance.
    pub fn new(seed: u64) -> Self {
        Self {
            active: Arc::new(Mutex::new(Active {
                faults: Vec::new(),
                struck: 0,
                random: fastrand::Rng::with_seed(seed),
            })),
            refusing: watch::Sender::new(false),
        }
    }

    /// Switches a fault on, behind those that are on already: the first whose scope fits a request strikes it.
    pub fn add(&self, scope: Scope, fault: Fault) {
        self.with(|active| active.faults.push((scope, fault)));
    }

    /// Switches all faults off, from the next request on.
    pub fn clear(&self) {
        self.with(|active| active.faults.clear());
    }

    /// Requests that were struck so far.
    pub fn struck(&self) -> u64 {
        self.with(|active| active.struck)
    }

    fn with<T>(&self, act: impl FnOnce(&mut Active) -> T) -> T {
        let mut active = self.active.lock().unwrap_or_else(PoisonError::into_inner);
        let result = act(&mut active);
        let refused = |fault: &Fault| *fault == Fault::Line(LineFault::Refused);
        let refusing = active.faults.iter().any(|(_, fault)| refused(fault));
        self.refusing.send_replace(refusing);
        result
    }

    /// The fault that strikes a request.
    fn strike(&self, asked: &Asked) -> Option<Fault> {
        self.with(|active| {
            let random = &mut active.random;
            let fault = active.faults.iter_mut().find_map(|(scope, fault)| {
                let strikes = scope.strikes(asked, random);
                strikes.then(|| fault.clone())
            })?;
            active.struck += 1;
            Some(fault)
        })
    }
}

impl Simulator {
    /// The portal as a router whose answers faults strike, to be wrapped in layers. It may be called without a connection: what the network would do
    /// to one does not happen then.
    pub fn router_with_faults(&self, faults: &Faults) -> Router {
        self.router()
            .layer(from_fn_with_state(faults.clone(), pass))
            .layer(MockConnectInfo(Caller::nowhere()))
    }

    /// Serves the portal by its [`Simulator::router_with_faults`], perhaps wrapped in layers, and lets it live until shutdown.
    ///
    /// # Errors
    ///
    /// When the listener has no address.
    pub async fn serve_with_faults(
        self,
        router: Router,
        faults: &Faults,
        listener: TcpListener,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        let listener = FaultyListener::new(listener, faults.refusing.subscribe())?;
        let service = router.into_make_service_with_connect_info::<Caller>();
        let server = axum::serve(listener, service).with_graceful_shutdown(shutdown);
        self.live_beside(server.into_future()).await
    }
}

/// Has the portal answer a request, and replaces or changes the answer if a fault strikes it.
async fn pass(
    State(faults): State<Faults>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    mut request: Request,
    next: Next,
) -> Response {
    request
        .extensions_mut()
        .insert(ConnectInfo::<SocketAddr>(caller.address));
    let asked = Asked::of(request.uri());
    let Some(fault) = faults.strike(&asked) else {
        return next.run(request).await;
    };
    if let Fault::Page(fault) = &fault {
        fault.change_request(&asked, request.uri_mut());
    }
    let path = request.uri().path().to_owned();
    let answer = next.run(request).await;
    match fault {
        Fault::Line(fault) => fault.replace(&caller, answer).await,
        Fault::Body(fault) => fault.replace(answer).await,
        Fault::Status(status, retry_after) => {
            with_header(status, header::RETRY_AFTER, retry_after.value())
        }
        Fault::Redirect(status, to) => with_header(status, header::LOCATION, Some(to + &path)),
        Fault::List(fault) => change(answer, |list| fault.change(list)).await,
        Fault::Page(fault) => change(answer, |page| fault.change(asked.page, page)).await,
        Fault::Row(fault) => change(answer, |answer| fault.change(answer)).await,
    }
}

fn with_header(status: u16, name: HeaderName, value: Option<String>) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    match value {
        Some(value) => (status, [(name, value)]).into_response(),
        None => status.into_response(),
    }
}

/// Changes what a good answer says; others stay.
async fn change(answer: Response, change: impl FnOnce(&mut Value)) -> Response {
    if answer.status() != StatusCode::OK {
        return answer;
    }
    let (mut head, body) = answer.into_parts();
    head.headers.remove(header::CONTENT_LENGTH);
    let body = to_bytes(body, LARGEST).await.unwrap_or_default();
    let Ok(mut value) = serde_json::from_slice(&body) else {
        return Response::from_parts(head, body.into());
    };
    change(&mut value);
    let text = value.to_string().replace(NO_UNICODE, "a \\ud800 b");
    Response::from_parts(head, text.into())
}
