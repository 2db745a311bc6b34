//! A portal that answers whatever a test says, for what the simulated portal never does.

use std::ops::Deref;

use axum::Router;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};

use super::server::Server;

/// Where all paths of the interface begin.
const FOLDERS: &str = "/api/admin/library-folders/";

/// Answers the list of folders and the pages of their files; anything else is 404.
pub(crate) struct RawPortal(Server);

impl RawPortal {
    /// `files` answers for a folder id and a page, with the body or with none for a 404.
    pub(crate) async fn start(
        mine: String,
        files: impl Fn(&str, u64) -> Option<String> + Clone + Send + Sync + 'static,
    ) -> Self {
        let answer = move |uri: Uri| async move {
            let path = uri.path().strip_prefix(FOLDERS).unwrap_or_default();
            let body = match path.strip_suffix("/files") {
                Some(folder) => files(folder, page(&uri)),
                None => (path == "mine").then_some(mine),
            };
            respond(body)
        };
        Self(Server::start(Router::new().fallback(answer)).await)
    }

    /// The address that a configuration names.
    pub(crate) fn base_url(&self) -> String {
        format!("http://{}", self.0.address())
    }
}

impl Deref for RawPortal {
    type Target = Server;

    fn deref(&self) -> &Server {
        &self.0
    }
}

fn page(uri: &Uri) -> u64 {
    let query = uri.query().unwrap_or_default();
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    let page = pairs.find(|(name, _)| name == "page");
    page.map_or(1, |(_, number)| number.parse().unwrap())
}

fn respond(body: Option<String>) -> Response {
    match body {
        Some(body) => ([("content-type", "application/json")], body).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
