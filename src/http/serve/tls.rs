//! TLS on a connection.

use std::io;
use std::sync::Arc;

use rustls::ServerConfig;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// The first byte of a TLS handshake (RFC 8446, section 5.1).
const HANDSHAKE: u8 = 22;

/// The answer to a client that sends plain HTTP where TLS is expected.
const PLAIN: &[u8] =
    b"HTTP/1.0 400 Bad Request\r\ncontent-type: text/plain\r\n\r\nThis port expects HTTPS.\n";

/// Makes the handshake. A client that sends plain HTTP gets an answer that says so.
pub(super) async fn handshake(
    mut stream: TcpStream,
    config: Arc<ServerConfig>,
) -> io::Result<TlsStream<TcpStream>> {
    let mut first = [0];
    if stream.peek(&mut first).await? == 1 && first[0] != HANDSHAKE {
        stream.write_all(PLAIN).await?;
        stream.shutdown().await?;
        return Err(io::Error::other("plain HTTP where TLS is expected"));
    }
    TlsAcceptor::from(config).accept(stream).await
}
