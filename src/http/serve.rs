//! Accepts connections and serves them, within limits for every client.
//!
//! Not `axum::serve`, which never disconnects a silent client.

mod places;

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use axum::serve::{Listener as _, ListenerExt as _};
use futures_util::StreamExt as _;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::clock::Moment;
use crate::http::refusal::{Refusal, RefusalLog};
use crate::http::web_config::WebConfigFile;

use places::{Network, Place, Places};

/// A head of a request that is not complete in so many bytes is answered with 431; the last read may bring as many again.
const MAX_HEAD: usize = 32 * 1024;

/// The first byte of a TLS handshake (RFC 8446, section 5.1).
const HANDSHAKE: u8 = 22;

/// The answer to a client that sends plain HTTP where TLS is expected.
const PLAIN: &[u8] =
    b"HTTP/1.0 400 Bad Request\r\ncontent-type: text/plain\r\n\r\nThis port expects HTTPS.\n";

/// Limits for the clients of a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many connections there may be at once.
    pub connections: usize,
    /// Of these, how many one client may have.
    pub share: usize,
    /// Further ones on which only probes are answered.
    pub probes: usize,
    /// How long a client may need to send the head of a request, and how long a connection may be idle between two requests.
    pub header_timeout: Duration,
    /// How long a client may read nothing of an answer.
    pub write_timeout: Duration,
    /// After this a connection is closed as at shutdown.
    pub lifetime: Duration,
    /// How long a running request may go on after that, and at shutdown.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 512,
            share: 256,
            probes: 32,
            header_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(15),
            lifetime: Duration::from_mins(5),
            drain: Duration::from_secs(5),
        }
    }
}

/// Serves until `shutdown`, then lets running requests end within [`Limits::drain`], and cuts those that do not.
///
/// Requests have their client in their extensions. A handler that panics ends its own connection alone. Logs the bound address as
/// `listening`. Fails only when the listener has no address; what goes wrong later is logged and survived.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    web_config: Option<Arc<WebConfigFile>>,
    shutdown: CancellationToken,
) -> io::Result<()> {
    let tls = || {
        let config = web_config.as_ref()?.current();
        config.tls.as_ref().map(|tls| Arc::clone(&tls.config))
    };
    tracing::info!(address = %listener.local_addr()?, tls = tls().is_some(), "listening");
    let mut listener = listener.tap_io(|stream| {
        // Otherwise the end of an answer may wait 40 ms until the client has acknowledged the rest.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "cannot disable Nagle's algorithm, answers may be late");
        }
    });
    let mut places = Places::new(limits);
    let refusals = RefusalLog::default();
    let connections = TaskTracker::new();
    while let Some((stream, peer)) = shutdown.run_until_cancelled(listener.accept()).await {
        // An IPv4 client of a listener for both has an address in the form of IPv6.
        let peer = SocketAddr::new(peer.ip().to_canonical(), peer.port());
        let now = Moment::now().steady;
        let Some(place) = places.take(Network::of(peer.ip()), now) else {
            refusals.add(Refusal::Connections, peer, now);
            continue;
        };
        let connection = Connection {
            peer,
            place,
            router: router.clone(),
            limits,
            shutdown: shutdown.clone(),
        };
        connections.spawn(connection.run(stream, tls()));
    }
    drop(listener);
    connections.close();
    connections.wait().await;
    Ok(())
}

/// The client of a connection, in the extensions of its requests.
#[derive(Debug, Clone, Copy)]
pub(super) struct Client {
    pub(super) peer: SocketAddr,
    pub(super) showed_certificate: bool,
    /// Whether the connection is one too many, so that only probes are answered.
    pub(super) only_probes: bool,
}

struct Connection {
    peer: SocketAddr,
    place: Arc<Place>,
    router: Router,
    limits: Limits,
    shutdown: CancellationToken,
}

impl Connection {
    /// Serves the connection until its end, or until it has to leave its place to another one.
    async fn run(self, stream: TcpStream, tls: Option<Arc<ServerConfig>>) {
        let (peer, close) = (self.peer, self.place.close.clone());
        let ended = close.run_until_cancelled(self.serve(stream, tls)).await;
        match ended {
            None => tracing::debug!(%peer, "a connection without a request left its place"),
            Some(Err(error)) => {
                tracing::debug!(%peer, error, "a connection ended with an error");
            }
            Some(Ok(())) => {}
        }
    }

    async fn serve(
        &self,
        mut stream: TcpStream,
        tls: Option<Arc<ServerConfig>>,
    ) -> Result<(), String> {
        let Some(config) = tls else {
            return self.answer_on(self.with_timeout(stream), false).await;
        };
        let time = self.limits.header_timeout;
        let handshake = async {
            expect_handshake(&mut stream).await?;
            let acceptor = tokio_rustls::TlsAcceptor::from(config);
            acceptor.accept(Box::pin(self.with_timeout(stream))).await
        };
        let stream = timeout(time, handshake).await;
        let stream = stream.map_err(|_| "the TLS handshake took too long".to_owned())?;
        let stream = stream.map_err(|error| format!("no TLS handshake: {error}"))?;
        let certificate = stream.get_ref().1.peer_certificates().is_some();
        self.answer_on(stream, certificate).await
    }

    fn with_timeout(&self, stream: TcpStream) -> TimeoutStream<TcpStream> {
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(self.limits.write_timeout));
        stream
    }

    async fn answer_on(
        &self,
        stream: impl AsyncRead + AsyncWrite,
        showed_certificate: bool,
    ) -> Result<(), String> {
        let client = Client {
            peer: self.peer,
            showed_certificate,
            only_probes: self.place.only_probes,
        };
        let service = service_fn(|request| self.answer(client, request));
        let stream = pin!(stream);
        let mut connection = pin!(
            http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(self.limits.header_timeout)
                .max_buf_size(MAX_HEAD)
                .serve_connection(TokioIo::new(stream), service)
        );
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            _ = timeout(self.limits.lifetime, self.shutdown.cancelled()) => {
                connection.as_mut().graceful_shutdown();
                let ended = timeout(self.limits.drain, connection).await;
                ended.map_err(|_| "a request took too long".to_owned())?
            }
        };
        ended.map_err(|error| error.to_string())
    }

    async fn answer(
        &self,
        client: Client,
        request: Request<Incoming>,
    ) -> Result<Response, Infallible> {
        let answering = self.place.answering();
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(client);
        let router = TowerToHyperService::new(self.router.clone());
        let response = router.call(request).await?;
        // The request ends with its answer.
        Ok(response.map(|body| {
            let pieces = body.into_data_stream();
            Body::from_stream(pieces.inspect(move |_| {
                let _ = &answering;
            }))
        }))
    }
}

/// Waits for the first byte. If it is not of a handshake, the client gets an answer that says what is expected.
async fn expect_handshake(stream: &mut TcpStream) -> io::Result<()> {
    let mut first = [0];
    if stream.peek(&mut first).await? == 0 || first[0] == HANDSHAKE {
        return Ok(());
    }
    // If a request were left unread, the system would discard the answer.
    let _ = stream.read(&mut [0; 4096]).await?;
    stream.write_all(PLAIN).await?;
    stream.shutdown().await?;
    Err(io::Error::other("plain HTTP where TLS is expected"))
}

#[cfg(test)]
mod tests;
