//! How a request reaches a portal: over HTTP, and in tests without a network.

use std::future::Future;
use std::pin::Pin;

use reqwest::{Request, Response, Result};

/// Sends one request and returns the head of the answer.
pub(crate) trait Transport: Send + Sync {
    fn send(&self, request: Request) -> Sending<'_>;
}

type Sending<'a> = Pin<Box<dyn Future<Output = Result<Response>> + Send + 'a>>;

impl Transport for reqwest::Client {
    fn send(&self, request: Request) -> Sending<'_> {
        Box::pin(self.execute(request))
    }
}

/// A portal in the same process. There are no sockets, so that a test can pause the time.
#[cfg(test)]
impl Transport for axum::Router {
    fn send(&self, request: Request) -> Sending<'_> {
        use axum::body::Body;
        use axum::extract::ConnectInfo;
        use tower::ServiceExt as _;

        let portal = self.clone();
        Box::pin(async move {
            let request = axum::http::Request::<reqwest::Body>::try_from(request)?;
            let mut request = request.map(|_| Body::empty());
            let client = std::net::SocketAddr::from(([127, 0, 0, 1], 1));
            request.extensions_mut().insert(ConnectInfo(client));
            let answer = portal
                .oneshot(request)
                .await
                .unwrap_or_else(|never| match never {});
            let stream = |body: Body| reqwest::Body::wrap_stream(body.into_data_stream());
            Ok(answer.map(stream).into())
        })
    }
}
