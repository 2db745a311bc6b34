//! Accepts connections and serves them, within limits for every client.
//!
//! Not `axum::serve`, which never disconnects a silent client.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::serve::Listener;
use axum::{BoxError, Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::http::refusal;
use crate::http::web_config::{WebConfig, WebConfigFile};

/// A head of a request that is not complete in this number of bytes is answered with 431; the last read may bring as many again.
const MAX_HEAD: usize = 32 * 1024;

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
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 512,
            from_one_network: 256,
            header_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(15),
            lifetime: Duration::from_mins(5),
        }
    }
}

/// Serves until `shutdown`, then until the running requests end.
///
/// Requests have the address of their client in their extensions. A handler that panics ends its own connection alone. Logs the bound address as
/// `listening`. Fails only when the listener has no address; what goes wrong later is logged and survived.
pub async fn serve(
    mut listener: TcpListener,
    router: Router,
    limits: Limits,
    web_config: Option<Arc<WebConfigFile>>,
    shutdown: CancellationToken,
) -> io::Result<()> {
    let config = || {
        let file = web_config.as_ref();
        file.map(|file| file.current()).unwrap_or_default()
    };
    let address = listener.local_addr()?;
    tracing::info!(%address, tls = config().tls.is_some(), "listening");
    let mut networks = BTreeMap::<IpAddr, Arc<()>>::new();
    let mut connections = JoinSet::new();
    loop {
        let accepted = shutdown.run_until_cancelled(Listener::accept(&mut listener));
        let Some((stream, peer)) = accepted.await else {
            break;
        };
        while connections.try_join_next().is_some() {}
        // An IPv4 client of a listener for both has an address in the form of IPv6.
        let peer = SocketAddr::new(peer.ip().to_canonical(), peer.port());
        networks.retain(|_, open| Arc::strong_count(open) > 1);
        let own = networks.entry(network_of(peer.ip())).or_default();
        let is_full = connections.len() >= limits.connections;
        if is_full || Arc::strong_count(own) > limits.from_one_network {
            refusal::log("too many connections", peer);
            continue;
        }
        let counted = Arc::clone(own);
        let connection = Connection {
            peer,
            router: router.clone().layer(Extension(peer)),
            limits,
            shutdown: shutdown.clone(),
        };
        let config = config();
        connections.spawn(async move {
            if let Err(error) = connection.serve(stream, &config).await {
                tracing::debug!(%peer, error, "a connection ended with an error");
            }
            drop(counted);
        });
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
    Ok(())
}

/// What one client can have of addresses: an IPv4 address, or the /64 in which an IPv6 host chooses its address itself.
fn network_of(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        IpAddr::V4(_) => address,
    }
}

struct Connection {
    peer: SocketAddr,
    router: Router,
    limits: Limits,
    shutdown: CancellationToken,
}

impl Connection {
    async fn serve(self, stream: TcpStream, config: &WebConfig) -> Result<(), BoxError> {
        // Otherwise the end of an answer may wait 40 ms until the client has acknowledged the rest.
        stream.set_nodelay(true)?;
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(self.limits.write_timeout));
        let stream = Box::pin(stream);
        let Some(tls) = &config.tls else {
            return self.answer_on(stream).await;
        };
        let handshake = TlsAcceptor::from(Arc::clone(&tls.config)).accept(stream);
        let stream = timeout(self.limits.header_timeout, handshake).await??;
        let certificates = stream.get_ref().1.peer_certificates();
        if !tls.admits(certificates.and_then(<[_]>::first)) {
            let reason = "the client certificate has none of client_allowed_sans";
            refusal::log(reason, self.peer);
            return Ok(());
        }
        self.answer_on(stream).await
    }

    async fn answer_on(
        self,
        stream: impl AsyncRead + AsyncWrite + Unpin + 'static,
    ) -> Result<(), BoxError> {
        let lifetime = self.limits.lifetime;
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.header_timeout)
            .max_buf_size(MAX_HEAD)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(self.router));
        let mut connection = pin!(connection);
        tokio::select! {
            ended = &mut connection => return Ok(ended?),
            _ = timeout(lifetime, self.shutdown.cancelled()) => {}
        }
        connection.as_mut().graceful_shutdown();
        Ok(timeout(lifetime, connection).await??)
    }
}

#[cfg(test)]
mod tests;
