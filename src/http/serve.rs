//! Accepts connections and serves them, within limits for every client.
//!
//! Not `axum::serve`, which never disconnects a silent client.

mod limit;

use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use axum::serve::Listener;
use axum::{BoxError, Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustls::ServerConfig;
use rustls::pki_types::CertificateDer;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::http::refusal::RefusalLog;
use crate::http::web_config::WebConfigFile;

use limit::{Network, Open};

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
    /// How many connections there may be at once; further ones are refused.
    pub connections: usize,
    /// Of these, how many one client may have.
    pub from_one_network: usize,
    /// How long a client may need to send the head of a request, and how long a connection may be idle between two requests.
    pub header_timeout: Duration,
    /// How long a client may read nothing of an answer.
    pub write_timeout: Duration,
    /// After this a connection is closed, with the answer that is sent; after twice this it is cut.
    pub lifetime: Duration,
    /// How long a running request may go on at shutdown.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 512,
            from_one_network: 256,
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
    mut listener: TcpListener,
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
    let mut open = Open::default();
    let refusals = RefusalLog::default();
    let mut connections = JoinSet::new();
    loop {
        let accepted = shutdown.run_until_cancelled(Listener::accept(&mut listener));
        let Some((stream, peer)) = accepted.await else {
            break;
        };
        while connections.try_join_next().is_some() {}
        // An IPv4 client of a listener for both has an address in the form of IPv6.
        let peer = SocketAddr::new(peer.ip().to_canonical(), peer.port());
        let Some(admitted) = open.admit(Network::of(peer.ip()), limits) else {
            refusals.add("too many connections", peer);
            continue;
        };
        let connection = Connection {
            peer,
            router: router.clone(),
            limits,
            shutdown: shutdown.clone(),
        };
        let tls = tls();
        connections.spawn(async move {
            if let Err(error) = connection.serve(stream, tls).await {
                tracing::debug!(%peer, error, "a connection ended with an error");
            }
            drop(admitted);
        });
    }
    drop(listener);
    // What does not end in time is cut when the tasks are dropped.
    let ended = async { while connections.join_next().await.is_some() {} };
    let _ = timeout(limits.drain, ended).await;
    Ok(())
}

/// The client of a connection, in the extensions of its requests.
#[derive(Debug, Clone)]
pub(super) struct Client {
    pub(super) peer: SocketAddr,
    pub(super) certificate: Option<CertificateDer<'static>>,
}

struct Connection {
    peer: SocketAddr,
    router: Router,
    limits: Limits,
    shutdown: CancellationToken,
}

impl Connection {
    async fn serve(
        self,
        stream: TcpStream,
        tls: Option<Arc<ServerConfig>>,
    ) -> Result<(), BoxError> {
        // Otherwise the end of an answer may wait 40 ms until the client has acknowledged the rest.
        stream.set_nodelay(true)?;
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(self.limits.write_timeout));
        let mut stream = Box::pin(stream);
        let Some(config) = tls else {
            return self.answer_on(stream, None).await;
        };
        let handshake = async {
            expect_handshake(&mut stream).await?;
            TlsAcceptor::from(config).accept(stream).await
        };
        let stream = timeout(self.limits.header_timeout, handshake).await??;
        let certificates = stream.get_ref().1.peer_certificates();
        let certificate = certificates.and_then(<[_]>::first).cloned();
        self.answer_on(stream, certificate).await
    }

    async fn answer_on(
        self,
        stream: impl AsyncRead + AsyncWrite + Unpin + 'static,
        certificate: Option<CertificateDer<'static>>,
    ) -> Result<(), BoxError> {
        let (peer, lifetime) = (self.peer, self.limits.lifetime);
        let router = self.router.layer(Extension(Client { peer, certificate }));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.header_timeout)
            .max_buf_size(MAX_HEAD)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
        let mut connection = pin!(connection);
        tokio::select! {
            ended = &mut connection => return Ok(ended?),
            _ = timeout(lifetime, self.shutdown.cancelled()) => {}
        }
        connection.as_mut().graceful_shutdown();
        Ok(timeout(lifetime, connection).await??)
    }
}

/// Waits for the first byte. If it is not of a handshake, the client gets an answer that says what is expected.
async fn expect_handshake(stream: &mut Pin<Box<TimeoutStream<TcpStream>>>) -> io::Result<()> {
    let mut first = [0];
    if stream.get_ref().peek(&mut first).await? == 0 || first[0] == HANDSHAKE {
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
