//! A portal in the same process. There are no sockets, so that a test can pause the time.

use std::net::SocketAddr;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use futures_util::future::BoxFuture;
use reqwest::{Request, Response};
use tower::ServiceExt as _;

use crate::portal::connection::Transport;

impl Transport for Router {
    fn send(&self, request: Request) -> BoxFuture<'_, reqwest::Result<Response>> {
        let portal = self.clone();
        Box::pin(async move {
            let request = axum::http::Request::<reqwest::Body>::try_from(request)?;
            let mut request = request.map(|_| Body::empty());
            let client = SocketAddr::from(([127, 0, 0, 1], 1));
            request.extensions_mut().insert(ConnectInfo(client));
            let answer = portal.oneshot(request).await;
            let answer = answer.unwrap_or_else(|never| match never {});
            let stream = |body: Body| reqwest::Body::wrap_stream(body.into_data_stream());
            Ok(answer.map(stream).into())
        })
    }
}
