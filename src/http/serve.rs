//! Accepts connections and serves them, within limits for every client.
//!
//! Not `axum::serve`, which never disconnects a silent client.

mod accept;
mod tls;

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::response::Response;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::http::guard::ShowedCertificate;
use crate::http::web_config::WebConfigFile;

use accept::accept;

/// The largest head of a request, in bytes; a larger one is answered with 431.
const MAX_HEAD: usize = 32 * 1024;

/// Limits for the clients of a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections served at once. Others wait in the system's queue: a late scrape is better than one that fails.
    pub connections: usize,
    /// How long a client may need to send the head of a request, and how long a connection may be idle between two requests.
    pub header_timeout: Duration,
    /// After this a connection is closed as at shutdown, so that a client that never reads its answer does not hold it for ever.
    pub lifetime: Duration,
    /// How long a running request may go on after that, and at shutdown.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 512,
            header_timeout: Duration::from_secs(10),
            lifetime: Duration::from_mins(5),
            drain: Duration::from_secs(5),
        }
    }
}

/// Serves until `shutdown`, then lets running requests end within [`Limits::drain`], and cuts those that do not.
///
/// Handlers can extract `ConnectInfo<SocketAddr>`. A handler that panics ends its own connection alone. Logs the bound address as
/// `listening`. Fails only when the listener has no address; what goes wrong later is logged and survived.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    web_config: Option<Arc<WebConfigFile>>,
    shutdown: CancellationToken,
) -> io::Result<()> {
    let tls = || web_config.as_ref()?.current().tls.clone();
    tracing::info!(address = %listener.local_addr()?, tls = tls().is_some(), "listening");
    let permits = Arc::new(Semaphore::new(
        limits.connections.min(Semaphore::MAX_PERMITS),
    ));
    let connections = TaskTracker::new();
    while let Some((permit, stream, peer)) = shutdown
        .run_until_cancelled(next_connection(&listener, &permits))
        .await
    {
        let (router, shutdown, tls) = (router.clone(), shutdown.clone(), tls());
        connections.spawn(async move {
            match tls {
                None => serve_connection(stream, peer, None, router, limits, shutdown).await,
                Some(tls) => serve_tls(stream, peer, tls, router, limits, shutdown).await,
            }
            drop(permit);
        });
    }
    drop(listener);
    connections.close();
    connections.wait().await;
    Ok(())
}

async fn next_connection(
    listener: &TcpListener,
    permits: &Arc<Semaphore>,
) -> (OwnedSemaphorePermit, TcpStream, SocketAddr) {
    let permit = Arc::clone(permits)
        .acquire_owned()
        .await
        .expect("the semaphore is never closed");
    let (stream, peer) = accept(|| listener.accept()).await;
    // Otherwise the end of an answer may wait 40 ms until the client has acknowledged the rest.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%peer, %error, "cannot disable Nagle's algorithm, answers may be late");
    }
    (permit, stream, peer)
}

/// Makes the TLS handshake within the header timeout, and serves.
async fn serve_tls(
    stream: TcpStream,
    peer: SocketAddr,
    config: Arc<ServerConfig>,
    router: Router,
    limits: Limits,
    shutdown: CancellationToken,
) {
    let handshake = timeout(limits.header_timeout, tls::handshake(stream, config));
    match handshake.await {
        Ok(Ok(stream)) => {
            let certificate = stream.get_ref().1.peer_certificates().is_some();
            let certificate = Some(ShowedCertificate(certificate));
            serve_connection(stream, peer, certificate, router, limits, shutdown).await;
        }
        Ok(Err(error)) => tracing::debug!(%peer, %error, "a TLS handshake failed"),
        Err(_) => tracing::debug!(%peer, "a TLS handshake took too long"),
    }
}

async fn serve_connection(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    peer: SocketAddr,
    certificate: Option<ShowedCertificate>,
    router: Router,
    limits: Limits,
    shutdown: CancellationToken,
) {
    let service = service_fn(move |request| answer(router.clone(), peer, certificate, request));
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.header_timeout)
            .max_buf_size(MAX_HEAD)
            .serve_connection(TokioIo::new(stream), service)
    );
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        _ = timeout(limits.lifetime, shutdown.cancelled()) => {
            connection.as_mut().graceful_shutdown();
            let Ok(ended) = timeout(limits.drain, connection).await else {
                tracing::debug!(%peer, "a request timed out: its connection is closed");
                return;
            };
            ended
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "a connection ended with an error");
    }
}

async fn answer(
    router: Router,
    peer: SocketAddr,
    certificate: Option<ShowedCertificate>,
    request: Request<Incoming>,
) -> Result<Response, Infallible> {
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(ConnectInfo(peer));
    if let Some(certificate) = certificate {
        request.extensions_mut().insert(certificate);
    }
    TowerToHyperService::new(router).call(request).await
}

#[cfg(test)]
mod tests;
