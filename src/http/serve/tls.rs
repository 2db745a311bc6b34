//! Plain HTTP where TLS is expected.

use std::io;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// The first byte of a TLS handshake (RFC 8446, section 5.1).
const HANDSHAKE: u8 = 22;

/// The answer to a client that sends plain HTTP.
const PLAIN: &[u8] =
    b"HTTP/1.0 400 Bad Request\r\ncontent-type: text/plain\r\n\r\nThis port expects HTTPS.\n";

/// Waits for the first byte. If it is not of a handshake, the client gets an answer that says what is expected.
pub(super) async fn expect_handshake(stream: &mut TcpStream) -> io::Result<()> {
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
