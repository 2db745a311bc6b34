//! The messages that a PostgreSQL client sends, as far as a proxy must understand them.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

/// The version in the first message of a session; other numbers ask for encryption or cancel.
const PROTOCOL: u32 = 3 << 16;

/// Longer messages are no messages, but TLS for example.
const LONGEST: usize = 64 << 20;

/// A message with its header.
pub(super) struct Message {
    pub bytes: Vec<u8>,
    /// The text of the statement in it.
    pub statement: Option<String>,
    /// Whether the client waits for an answer after it.
    pub ends_round: bool,
}

/// The messages of a client, in order.
pub(super) struct Messages<R> {
    reader: R,
    /// Messages have a type only after the session has begun.
    has_begun: bool,
}

impl<R: AsyncRead + Unpin> Messages<R> {
    pub fn new(reader: R) -> Self {
        Self {
            reader,
            has_begun: false,
        }
    }

    /// The next message. An error also where the client has gone.
    pub async fn next(&mut self) -> io::Result<Message> {
        let mut bytes = Vec::new();
        if self.has_begun {
            bytes.push(self.reader.read_u8().await?);
        }
        let kind = bytes.first().copied();
        let length = self.reader.read_u32().await?;
        bytes.extend(length.to_be_bytes());
        let rest = usize::try_from(length).unwrap().checked_sub(4);
        let rest = rest.filter(|rest| *rest <= LONGEST);
        let rest = rest.ok_or(io::ErrorKind::InvalidData)?;
        let header = bytes.len();
        bytes.resize(header + rest, 0);
        self.reader.read_exact(&mut bytes[header..]).await?;
        let body = &bytes[header..];
        self.has_begun |= body.starts_with(&PROTOCOL.to_be_bytes());
        let statement = kind.and_then(|kind| statement(kind, body));
        let ends_round = matches!(kind, None | Some(b'Q' | b'S'));
        Ok(Message {
            bytes,
            statement,
            ends_round,
        })
    }
}

/// The statement of a message `Query`, or of a `Parse`, where it stands after a name.
fn statement(kind: u8, body: &[u8]) -> Option<String> {
    let mut texts = body.split(|byte| *byte == 0);
    let text = match kind {
        b'Q' => texts.next(),
        b'P' => texts.nth(1),
        _ => None,
    };
    Some(String::from_utf8_lossy(text?).into_owned())
}
