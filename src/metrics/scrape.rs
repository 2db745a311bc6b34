//! The answer to a scrape. It is written while it is sent, so that it never exists as a whole: the writer waits for the client.

use std::io::{self, BufWriter, Write};

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, stream};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use crate::metrics::{Events, Facts, families};

/// Bytes of a piece. One is sent while another one is written.
const PIECE: usize = 64 * 1024;

/// Writes the metrics in pieces. An error in between ends the stream.
pub fn scrape(
    events: &Events,
    facts: Facts,
) -> prometheus::Result<impl Stream<Item = io::Result<Bytes>> + Send + use<>> {
    // After the snapshot was taken, so that every event that it results from is counted.
    let beginning = super::events_of(events, &facts)?;
    let (sender, mut pieces) = mpsc::channel(1);
    let writing = spawn_blocking(move || {
        let mut client = BufWriter::with_capacity(PIECE, Client(sender));
        client.write_all(&beginning)?;
        families::write(&mut client, &facts)?;
        client.flush()
    });
    // A client must not take a part for the whole.
    let failed = async move {
        let written = writing
            .await
            .unwrap_or_else(|panic| Err(io::Error::other(panic)));
        written.err().map(Err)
    };
    let pieces = stream::poll_fn(move |context| pieces.poll_recv(context)).map(Ok);
    let failed = stream::once(failed).filter_map(async |failed| failed);
    Ok(pieces.chain(Box::pin(failed)))
}

/// Whoever asked. Each write is a piece, and fails when nobody reads any more.
struct Client(mpsc::Sender<Bytes>);

impl Write for Client {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let sent = self.0.blocking_send(Bytes::copy_from_slice(piece));
        sent.map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
