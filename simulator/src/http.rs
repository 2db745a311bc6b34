//! The thin layer between HTTP and the state: a request is admitted, routed, answered and noted in the log.
//!
//! A request is answered under the lock at one moment, so what it shows is the state at the sequence number in the log.

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::Simulator;
use super::access::bearer;
use super::journal::Served;
use super::query::file_query;
use super::refusal::Refusal;
use super::route::{Action, Route};
use super::wire;
use super::world::World;

/// The portal as a router that can be nested and wrapped in layers.
pub(super) fn router(simulator: Simulator) -> Router {
    Router::new().fallback(serve).with_state(simulator)
}

/// An answer, and the number of files for the log.
struct Answer {
    status: StatusCode,
    body: Vec<u8>,
    files: usize,
}

impl Answer {
    fn new(status: StatusCode, body: &impl Serialize, files: usize) -> Self {
        match serde_json::to_vec(body) {
            Ok(body) => Self {
                status,
                body,
                files,
            },
            Err(error) => Self {
                status: StatusCode::INTERNAL_SERVER_ERROR,
                body: error.to_string().into_bytes(),
                files: 0,
            },
        }
    }

    fn ok(body: &impl Serialize, files: usize) -> Self {
        Self::new(StatusCode::OK, body, files)
    }
}

impl From<Refusal> for Answer {
    fn from(refusal: Refusal) -> Self {
        let (status, reason) = refusal.code();
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
        let body =
            json!({"error": {"message": refusal.to_string(), "details": {"reason": reason}}});
        Self::new(status, &body, 0)
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let kind = [(header::CONTENT_TYPE, "application/json; charset=utf-8")];
        (self.status, kind, self.body).into_response()
    }
}

/// The parts of a request.
struct Head {
    /// Empty, which no key is, when the header is not text.
    authorization: Option<String>,
    method: Method,
    path: String,
    query: String,
    route: Route,
}

impl Head {
    fn of(request: &Request, base_path: &str) -> Self {
        let authorization = request.headers().get(header::AUTHORIZATION);
        let path = request.uri().path();
        Self {
            authorization: authorization.map(|v| v.to_str().unwrap_or_default().to_owned()),
            method: request.method().clone(),
            path: path.to_owned(),
            query: request.uri().query().unwrap_or_default().to_owned(),
            route: Route::of(request.method(), path, base_path),
        }
    }

    /// The key, once it is found good for the request.
    fn admit(&self, world: &World) -> Result<&str, Refusal> {
        let key = world.access.admit(self.authorization.as_deref())?;
        if let Some(folder) = self.route.folder() {
            world.access.authorize(key, folder)?;
            world.folder(folder)?;
        }
        Ok(key)
    }
}

async fn serve(State(simulator): State<Simulator>, request: Request) -> Response {
    let head = simulator.with(|world| Head::of(&request, &world.options.base_path));
    let answer = simulator.with(|world| {
        let sequence = world.sequence();
        let answer = answer(world, &head).unwrap_or_else(Answer::from);
        note(world, head, sequence, &answer);
        answer
    });
    answer.into_response()
}

fn answer(world: &mut World, head: &Head) -> Result<Answer, Refusal> {
    let key = head.admit(world)?;
    match head.route {
        Route::Mine => Ok(Answer::ok(&wire::folders(world, key), 0)),
        Route::Folder(folder, action) => act(world, folder, action, &head.query),
        Route::NoFolder => Err(Refusal::FolderForbidden),
        Route::Refused => Err(Refusal::NotForKeys),
        Route::Nowhere => Err(Refusal::Nothing),
    }
}

fn act(world: &mut World, folder: Uuid, action: Action, query: &str) -> Result<Answer, Refusal> {
    Ok(match action {
        Action::Show => Answer::ok(&wire::folder(world.folder(folder)?), 0),
        Action::Files => {
            let page = world.list(folder, &file_query(query))?;
            Answer::ok(&page, page.data.len())
        }
        Action::ReindexFailed => {
            let files = world.reindex_failed(folder)?;
            Answer::ok(&wire::requeued(files), files)
        }
        Action::ReindexAll => {
            let files = world.reindex_all(folder)?;
            Answer::ok(&wire::requeued(files), files)
        }
    })
}

fn note(world: &mut World, head: Head, sequence: u64, answer: &Answer) {
    let served = Served {
        at: world.now(),
        sequence,
        key: head
            .authorization
            .as_deref()
            .and_then(bearer)
            .map(str::to_owned),
        method: head.method.to_string(),
        path: head.path,
        query: head.query,
        status: answer.status.as_u16(),
        folder: head.route.folder(),
        files: answer.files,
    };
    world.served.push(served);
}
