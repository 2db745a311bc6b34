//! A portal under test, and requests to it.

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;
use tower::ServiceExt;
use uuid::Uuid;

use crate::{NewFile, Options, Simulator, Status, Switches, World};

pub(super) const FOLDERS: &str = "/api/admin/library-folders";

/// A portal with one empty folder, in which nothing moves by itself.
pub(super) struct Portal {
    simulator: Simulator,
    router: Router,
    pub folder: Uuid,
}

/// Status and body of an answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub status: StatusCode,
    pub body: Value,
}

impl Answer {
    /// Asserts a refusal by status and reason.
    #[track_caller]
    pub fn is_refused(&self, status: u16, reason: &str) {
        let error = &self.body["error"];
        assert!(error["message"].is_string(), "{error}");
        assert_eq!(error["details"]["reason"], reason);
        assert_eq!(self.status.as_u16(), status);
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

impl Portal {
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    pub fn with(change: impl FnOnce(&mut Switches)) -> Self {
        let mut options = Options {
            speed: 0.0,
            ..Options::default()
        };
        change(&mut options.switches);
        let simulator = Simulator::empty(options);
        Self {
            router: simulator.router(),
            folder: simulator.with(|world| world.add_folder("First")),
            simulator,
        }
    }

    /// Inspects the portal or changes it.
    pub fn world<T>(&self, act: impl FnOnce(&mut World) -> T) -> T {
        self.simulator.with(act)
    }

    /// Adds a file by name and status.
    pub fn add(&self, name: &str, status: Status) -> Uuid {
        let file = NewFile::new(name, status);
        self.world(|world| world.add_file(self.folder, &file))
            .unwrap()
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.call(&Method::GET, path, Some("Bearer kbk_demo")).await
    }

    pub async fn post(&self, path: &str) -> Answer {
        self.call(&Method::POST, path, Some("Bearer kbk_demo"))
            .await
    }

    pub async fn call(&self, method: &Method, path: &str, authorization: Option<&str>) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(value) = authorization {
            request = request.header("authorization", value);
        }
        let request = request.body(Body::empty()).unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let body = serde_json::from_slice(&body).unwrap();
        Answer { status, body }
    }

    /// A page of the first folder's files.
    pub async fn files(&self, query: &str) -> Answer {
        self.get(&format!("{FOLDERS}/{}/files{query}", self.folder))
            .await
    }

    /// A page of a folder's files, as large as can be.
    pub async fn page(&self, folder: Uuid, query: &str) -> Answer {
        self.get(&format!("{FOLDERS}/{folder}/files?pageSize=100&{query}"))
            .await
    }
}
