//! A portal under test, and requests to it.

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Method, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;
use std::net::SocketAddr;
use tower::ServiceExt;
use uuid::Uuid;

use crate::{NewFile, Options, Simulator, Status, Switches};

pub(super) const FOLDERS: &str = "/api/admin/library-folders";

/// A portal with one empty folder, in which nothing moves by itself.
pub(super) struct Portal {
    pub simulator: Simulator,
    pub router: Router,
    pub folder: Uuid,
}

/// Status and body of an answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub status: StatusCode,
    pub body: Value,
}

impl Answer {
    pub fn reason(&self) -> &str {
        self.body["error"]["details"]["reason"].as_str().unwrap()
    }

    /// Asserts a refusal by status and reason.
    #[track_caller]
    pub fn is_refused(&self, status: u16, reason: &str) {
        assert_eq!((self.status.as_u16(), self.reason()), (status, reason));
    }

    /// One field of each row of `data`.
    pub fn column(&self, field: &str) -> Vec<String> {
        let rows = self.body["data"].as_array().unwrap().iter();
        rows.map(|row| match &row[field] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
        .collect()
    }
}

/// The counters uploaded, deduplicated, replaced, alreadyInFolder.
pub(super) fn counters(answer: &Answer) -> [u64; 4] {
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.body);
    ["uploaded", "deduplicated", "replaced", "alreadyInFolder"]
        .map(|name| answer.body["data"][name].as_u64().unwrap())
}

pub(super) struct Part {
    head: String,
    content: Vec<u8>,
}

pub(super) fn file(name: &str, content: &[u8]) -> Part {
    typed_file(name, "application/octet-stream", content)
}

pub(super) fn typed_file(name: &str, content_type: &str, content: &[u8]) -> Part {
    Part {
        head: format!("name=\"files\"; filename=\"{name}\"\r\nContent-Type: {content_type}"),
        content: content.to_vec(),
    }
}

pub(super) fn text(field: &str, value: &str) -> Part {
    Part {
        head: format!("name=\"{field}\""),
        content: value.as_bytes().to_vec(),
    }
}

impl Portal {
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    pub fn with_switches(change: impl FnOnce(&mut Switches)) -> Self {
        Self::with(|options| change(&mut options.switches))
    }

    pub fn with(change: impl FnOnce(&mut Options)) -> Self {
        let mut options = Options {
            speed: 0.0,
            ..Options::default()
        };
        change(&mut options);
        let simulator = Simulator::empty(options);
        Self {
            router: simulator.router(),
            folder: simulator.with(|world| world.add_folder("First")),
            simulator,
        }
    }

    /// Adds a file by name, path and status.
    pub fn add(&self, name: &str, path: &str, status: Status) -> Uuid {
        let file = NewFile {
            name: name.to_owned(),
            path: path.to_owned(),
            status,
            ..NewFile::default()
        };
        self.simulator
            .with(|world| world.add_file(self.folder, &file))
            .unwrap()
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.call(&Method::GET, path).await
    }

    pub async fn call(&self, method: &Method, path: &str) -> Answer {
        self.call_with(method, path, Some("Bearer kbk_demo")).await
    }

    pub async fn call_with(
        &self,
        method: &Method,
        path: &str,
        authorization: Option<&str>,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(value) = authorization {
            request = request.header("authorization", value);
        }
        self.send(request.body(Body::empty()).unwrap()).await
    }

    /// A page of the first folder's files.
    pub async fn files(&self, query: &str) -> Answer {
        self.get(&format!("{FOLDERS}/{}/files{query}", self.folder))
            .await
    }

    pub async fn upload(&self, parts: impl IntoIterator<Item = Part>) -> Answer {
        self.upload_to(self.folder, parts).await
    }

    pub async fn upload_to(&self, folder: Uuid, parts: impl IntoIterator<Item = Part>) -> Answer {
        let mut body = Vec::new();
        for part in parts {
            let head = format!(
                "--edge\r\nContent-Disposition: form-data; {}\r\n\r\n",
                part.head
            );
            body.extend_from_slice(head.as_bytes());
            body.extend_from_slice(&part.content);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(b"--edge--\r\n");
        let request = Request::post(format!("{FOLDERS}/{folder}/files"))
            .header("authorization", "Bearer kbk_demo")
            .header("content-type", "multipart/form-data; boundary=edge")
            .body(Body::from(body));
        self.send(request.unwrap()).await
    }

    pub async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let body = serde_json::from_slice(&body).unwrap();
        Answer { status, body }
    }

    /// Sends a request for the folder list from an address.
    pub async fn call_from(&self, address: &str, authorization: Option<&str>) -> Answer {
        let peer: SocketAddr = address.parse().unwrap();
        let mut request = Request::get(format!("{FOLDERS}/mine")).extension(ConnectInfo(peer));
        if let Some(value) = authorization {
            request = request.header("authorization", value);
        }
        self.send(request.body(Body::empty()).unwrap()).await
    }
}
