//! Faults: ways in which a portal, or the network before it, answers badly, switched on and off while it runs.
//!
//! A fault never keeps a request from the portal: the request log says what was asked and at which state it was looked at,
//! whatever the caller got to see. Connections that are refused are the exception.
//!
//! # Layout
//!
//! `scope` says which requests are struck. `line` is the network, with raw bytes in place of answers; `pages`, `lists` and `rows` change
//! what a good answer says; `body` and `bomb` replace it.

use std::fmt;
use std::future::{Future, IntoFuture, pending};
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

mod body;
mod bomb;
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

use super::{Simulator, stop_after};
use line::{Caller, FaultyListener, Order};
use scope::Asked;

/// Largest answer of the portal that is changed, in bytes.
const LARGEST: usize = 64 * 1024 * 1024;

/// One way to answer badly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The network breaks.
    Line(LineFault),
    /// The body is something else.
    Body(BodyFault),
    /// A status and nothing else.
    Status(u16, RetryAfter),
    /// A redirect of this status to another host, `http://…` without a path; the path stays.
    Redirect(u16, String),
    /// The list of folders is wrong.
    List(ListFault),
    /// Pages do not fit together.
    Page(PageFault),
    /// Rows are odd.
    Row(RowFault),
}

/// The header `Retry-After` of a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAfter {
    /// There is none.
    Absent,
    /// In seconds.
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
#[derive(Clone)]
pub struct Faults {
    active: Arc<Mutex<Active>>,
    refusing: watch::Sender<bool>,
}

struct Active {
    faults: Vec<(Scope, Fault)>,
    struck: u64,
    random: fastrand::Rng,
}

impl fmt::Debug for Faults {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Faults").finish_non_exhaustive()
    }
}

impl Faults {
    /// No fault yet. The seed decides what strikes by chance.
    #[must_use]
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
    #[must_use]
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
            let Active {
                faults,
                struck,
                random,
            } = active;
            let mut hits = faults
                .iter_mut()
                .filter_map(|(scope, fault)| scope.strikes(asked, random).then_some(fault));
            let fault = hits.next()?.clone();
            *struck += 1;
            Some(fault)
        })
    }
}

impl Simulator {
    /// Serves the portal with faults and lets it live until shutdown.
    ///
    /// # Errors
    ///
    /// When the listener has no address.
    pub async fn serve_with_faults(
        self,
        faults: Faults,
        listener: TcpListener,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        let router = faults.wrap(self.router());
        let listener = FaultyListener::new(listener, faults.refusing.subscribe())?;
        let service = router.into_make_service_with_connect_info::<Caller>();
        let stop = CancellationToken::new();
        let server = axum::serve(listener, service)
            .with_graceful_shutdown(stop_after(shutdown, stop.clone()));
        self.live_beside(server.into_future(), stop).await
    }
}

impl Faults {
    fn wrap(&self, router: Router) -> Router {
        router.layer(from_fn_with_state(self.clone(), pass))
    }
}

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
        fault.ask_otherwise(&asked, request.uri_mut());
    }
    let path = request.uri().path().to_owned();
    let answer = next.run(request).await;
    match fault {
        Fault::Line(fault) => {
            let Some(order) = fault.order() else {
                return slow(fault, answer).await;
            };
            caller.order(order);
            answer
        }
        Fault::Body(fault) => fault.replace(answer).await,
        Fault::Status(status, retry_after) => status_alone(status, retry_after),
        Fault::Redirect(status, to) => {
            (status_of(status), [(header::LOCATION, to + &path)]).into_response()
        }
        Fault::List(fault) => {
            let changed = change(answer, |list| fault.spoil(list)).await;
            rewrite(changed, |body| fault.spoil_text(body)).await
        }
        Fault::Page(fault) => change(answer, |page| fault.spoil(&asked, page)).await,
        Fault::Row(fault) => {
            let changed = change(answer, |answer| fault.spoil(answer)).await;
            rewrite(changed, |body| fault.spoil_text(body)).await
        }
    }
}

async fn slow(fault: LineFault, answer: Response) -> Response {
    match fault {
        LineFault::Drip => line::drip(answer).await,
        LineFault::Late(by) => {
            sleep(by).await;
            answer
        }
        _ => pending().await,
    }
}

fn status_alone(status: u16, retry_after: RetryAfter) -> Response {
    let mut response = status_of(status).into_response();
    let value = retry_after.value().and_then(|value| value.parse().ok());
    if let Some(value) = value {
        response.headers_mut().insert(header::RETRY_AFTER, value);
    }
    response
}

fn status_of(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Changes what a good answer says; others stay.
async fn change(answer: Response, change: impl FnOnce(&mut Value)) -> Response {
    rewrite(answer, |body| {
        let Ok(mut value) = serde_json::from_slice(&body) else {
            return body;
        };
        change(&mut value);
        value.to_string().into()
    })
    .await
}

/// Changes the body of a good answer; others stay.
async fn rewrite(answer: Response, change: impl FnOnce(Bytes) -> Bytes) -> Response {
    if answer.status() != StatusCode::OK {
        return answer;
    }
    let (mut head, body) = answer.into_parts();
    head.headers.remove(header::CONTENT_LENGTH);
    match to_bytes(body, LARGEST).await {
        Ok(body) => Response::from_parts(head, Body::from(change(body))),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

impl Caller {
    fn order(&self, order: Order) {
        self.line.set(order);
    }
}
