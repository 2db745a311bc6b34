//! The thin layer between HTTP and the state: a request is admitted, routed, answered and noted in the log.
//!
//! A request is answered under the lock at one moment, so what it shows is the state at the sequence number in the log. An upload's
//! body is read in between, without the lock.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::Router;
use axum::extract::{ConnectInfo, DefaultBodyLimit, FromRequest, Multipart, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use uuid::Uuid;

use super::Simulator;
use super::access::Call;
use super::form::{self, Form};
use super::journal::Served;
use super::query::{contents_query, file_query};
use super::refusal::Refusal;
use super::route::{Endpoint, Route};
use super::upload::MAX_FILES;
use super::wire::{
    ContentsAnswer, Data, ErrorAnswer, FileList, FolderList, Requeued, SingleFolder, Success,
    UploadAnswer,
};
use super::world::World;

/// The portal as a router that can be nested and wrapped in layers. Without [`ConnectInfo`] a caller counts as `127.0.0.1`.
pub(super) fn router(simulator: Simulator) -> Router {
    let limits = simulator.with(|world| world.options.limits);
    let largest = limits.document.max(limits.media);
    let body = usize::try_from(largest).unwrap_or(usize::MAX);
    Router::new()
        .fallback(serve)
        .layer(DefaultBodyLimit::max(body.saturating_mul(MAX_FILES + 1)))
        .with_state(simulator)
}

/// What is answered, and what the logs note of it.
struct Outcome {
    status: StatusCode,
    body: Vec<u8>,
    files: usize,
}

impl Outcome {
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

impl From<Refusal> for Outcome {
    fn from(refusal: Refusal) -> Self {
        Self::new(status_of(&refusal), &ErrorAnswer::from(&refusal), 0)
    }
}

impl IntoResponse for Outcome {
    fn into_response(self) -> Response {
        let kind = [(header::CONTENT_TYPE, "application/json; charset=utf-8")];
        (self.status, kind, self.body).into_response()
    }
}

fn status_of(refusal: &Refusal) -> StatusCode {
    match refusal {
        Refusal::KeyMissing
        | Refusal::KeyMalformed
        | Refusal::KeyUnknown
        | Refusal::KeyRevoked
        | Refusal::KeyExpired => StatusCode::UNAUTHORIZED,
        Refusal::Address(_) | Refusal::FolderForbidden | Refusal::NotForKeys => {
            StatusCode::FORBIDDEN
        }
        Refusal::FolderGone | Refusal::FileUnknown | Refusal::Nothing => StatusCode::NOT_FOUND,
        Refusal::Body(_)
        | Refusal::FilesComputed
        | Refusal::FilesHeld
        | Refusal::NoFiles
        | Refusal::TooManyFiles
        | Refusal::PathCount { .. }
        | Refusal::PathLeaves(_)
        | Refusal::FileName
        | Refusal::Extension(_)
        | Refusal::Content(_)
        | Refusal::MailType(_)
        | Refusal::TooLarge { .. } => StatusCode::BAD_REQUEST,
    }
}

/// What is known of a request before its body.
struct Head {
    address: IpAddr,
    /// Empty, which no key is, when the header is not text.
    authorization: Option<String>,
    method: Method,
    path: String,
    query: String,
}

impl Head {
    fn of(request: &Request) -> Self {
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
        let authorization = request.headers().get(header::AUTHORIZATION);
        Self {
            address: peer.map_or(Ipv4Addr::LOCALHOST.into(), |peer| {
                peer.0.ip().to_canonical()
            }),
            authorization: authorization.map(|v| v.to_str().unwrap_or_default().to_owned()),
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
            query: request.uri().query().unwrap_or_default().to_owned(),
        }
    }

    /// The endpoint that a request may use, and its key.
    fn admit(&self, world: &World) -> Result<(Endpoint, &str), Refusal> {
        let key = self.key(world)?;
        let endpoint = match self.route(world) {
            Route::Open(endpoint) => endpoint,
            Route::NoFolder => return Err(Refusal::FolderForbidden),
            Route::Refused => return Err(Refusal::NotForKeys),
            Route::Nowhere => return Err(Refusal::Nothing),
        };
        if let Some(folder) = endpoint.folder() {
            world.access.authorize(key, folder)?;
            world.folder(folder)?;
        }
        Ok((endpoint, key))
    }

    /// Whether this is an upload whose body is to be read.
    fn is_upload(&self, world: &World) -> bool {
        self.method == Method::POST && matches!(self.admit(world), Ok((Endpoint::Upload(_), _)))
    }

    fn route(&self, world: &World) -> Route {
        Route::of(&self.method, &self.path, &world.options.base_path)
    }

    fn key(&self, world: &World) -> Result<&str, Refusal> {
        let authorization = self.authorization.as_deref();
        world.access.admit(self.address, authorization, world.now())
    }
}

async fn serve(State(simulator): State<Simulator>, request: Request) -> Response {
    let head = Head::of(&request);
    let form = if simulator.with(|world| head.is_upload(world)) {
        Some(read_form(request).await)
    } else {
        None
    };
    let outcome = simulator.with(|world| answer_and_note(world, &head, form));
    outcome.into_response()
}

async fn read_form(request: Request) -> Result<Form, Refusal> {
    match Multipart::from_request(request, &()).await {
        Ok(multipart) => form::read(multipart).await,
        Err(rejection) => Err(Refusal::Body(rejection.body_text())),
    }
}

fn answer_and_note(world: &mut World, head: &Head, form: Option<Result<Form, Refusal>>) -> Outcome {
    let sequence = world.sequence();
    let admitted = head.admit(world);
    let outcome = admitted
        .and_then(|(endpoint, key)| answer(world, endpoint, key, &head.query, form))
        .unwrap_or_else(Outcome::from);
    note(world, head, sequence, &outcome);
    outcome
}

fn answer(
    world: &mut World,
    endpoint: Endpoint,
    key: &str,
    query: &str,
    form: Option<Result<Form, Refusal>>,
) -> Result<Outcome, Refusal> {
    match endpoint {
        Endpoint::Mine => {
            let folders = world.own_folders(key);
            let mut list = FolderList::from(folders);
            if !world.options.switches.reports_file_counts {
                list.forget_file_counts();
            }
            Ok(Outcome::ok(&list, 0))
        }
        Endpoint::Folder(id) => {
            let shape = world.options.switches.folder_shape;
            Ok(Outcome::ok(&SingleFolder::new(world.folder(id)?, shape), 0))
        }
        Endpoint::Contents(id) => {
            let (path, page) = contents_query(query);
            let contents = world.contents(id, &path, page)?;
            let files = contents.files.rows.len();
            Ok(Outcome::ok(&ContentsAnswer::new(&path, contents), files))
        }
        Endpoint::Files(id) => {
            let page = world.list(id, &file_query(query))?;
            let files = page.rows.len();
            Ok(Outcome::ok(&FileList::from(page), files))
        }
        Endpoint::Upload(id) => upload(world, id, form),
        Endpoint::Delete(id, file) => {
            world.delete_file(id, file.ok_or(Refusal::FileUnknown)?)?;
            let data = Success { success: true };
            Ok(Outcome::ok(&Data { data }, 1))
        }
        Endpoint::ReindexFailed(id) => {
            let files = world.reindex_failed(id)?;
            Ok(requeued(world, files))
        }
        Endpoint::ReindexAll(id) => {
            let files = world.reindex_all(id)?;
            Ok(requeued(world, files))
        }
    }
}

fn upload(
    world: &mut World,
    folder: Uuid,
    form: Option<Result<Form, Refusal>>,
) -> Result<Outcome, Refusal> {
    let Form { files, paths } = form.unwrap_or(Err(Refusal::NoFiles))?;
    let receipt = world.upload(folder, files, paths)?;
    let data = UploadAnswer::from(&receipt);
    Ok(Outcome::new(
        StatusCode::CREATED,
        &Data { data },
        receipt.files.len(),
    ))
}

fn requeued(world: &World, files: usize) -> Outcome {
    let data = Requeued::new(files, world.options.switches.reindex_answer);
    Outcome::ok(&Data { data }, files)
}

fn note(world: &mut World, head: &Head, sequence: u64, outcome: &Outcome) {
    let at = world.now();
    let status = outcome.status.as_u16();
    let folder = match head.route(world) {
        Route::Open(endpoint) => endpoint.folder(),
        Route::NoFolder | Route::Refused | Route::Nowhere => None,
    };
    let authorization = head.authorization.as_deref();
    let files = outcome.files;
    let call = Call {
        at,
        status,
        folder,
        files,
    };
    world.access.note_call(authorization, call);
    world.served.push(Served {
        at,
        sequence,
        address: head.address,
        method: head.method.to_string(),
        path: head.path.clone(),
        query: head.query.clone(),
        status,
    });
}
