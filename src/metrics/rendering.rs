//! The facts of one snapshot, rendered once and then only handed out.

use std::io::{self, Write};
use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::OnceCell;
use tokio::task::spawn_blocking;

use crate::metrics::gzip::{Deflater, Ending};
use crate::metrics::{ageing, facts};
use crate::model::{Moment, PortalName};
use crate::snapshot::Snapshot;

/// What a snapshot shows at one moment, as text. Immutable; swapped whole.
///
/// It is kept deflated, which takes an eighth of the room, and as plain text where that is asked for.
#[derive(Debug)]
pub(super) struct Rendering {
    /// The portals that it is about.
    pub portals: Vec<PortalName>,
    /// When it was begun.
    pub at: Moment,
    /// How long after that it stays true, unless something else is known.
    pub lasts: Option<Duration>,
    /// Its deflated text.
    pub deflated: Ending,
    text: OnceCell<Bytes>,
    snapshot: Weak<Snapshot>,
}

impl Rendering {
    /// Renders a snapshot, with its plain text or without it.
    pub fn of(snapshot: &Arc<Snapshot>, at: Moment, text: Text) -> prometheus::Result<Self> {
        let mut sink = Sink {
            deflater: Deflater::new(),
            text: match text {
                Text::PersistedFolder { room } => Some(Vec::with_capacity(room)),
                Text::Left => None,
            },
        };
        facts::write(&mut sink, snapshot, at)?;
        let portals = snapshot.portals.iter();
        Ok(Self {
            portals: portals.map(|portal| portal.name.clone()).collect(),
            at,
            lasts: ageing::lasts(snapshot, at),
            deflated: sink.deflater.finish()?,
            text: OnceCell::new_with(sink.text.map(Bytes::from)),
            snapshot: Arc::downgrade(snapshot),
        })
    }

    /// Whether it was rendered from this snapshot.
    pub fn is_of(&self, snapshot: &Arc<Snapshot>) -> bool {
        // Nothing else lives there as long as it is pointed to.
        self.snapshot.as_ptr() == Arc::as_ptr(snapshot)
    }

    /// Whether its plain text is there.
    #[cfg(test)]
    pub fn has_text(&self) -> bool {
        self.text.initialized()
    }

    /// Its plain text, which is inflated once where it was not kept.
    pub async fn text(self: Arc<Self>) -> io::Result<Bytes> {
        let inflate = async || {
            let rendering = Arc::clone(&self);
            let inflated = spawn_blocking(move || rendering.deflated.inflate()).await;
            inflated.map_err(io::Error::other)?.map(Bytes::from)
        };
        self.text.get_or_try_init(inflate).await.cloned()
    }
}

/// What becomes of the plain text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Text {
    /// It is kept.
    PersistedFolder {
        /// About so many bytes.
        room: usize,
    },
    /// It is not.
    Left,
}

struct Sink {
    deflater: Deflater,
    text: Option<Vec<u8>>,
}

impl Write for Sink {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let taken = self.deflater.write(text)?;
        if let Some(kept) = &mut self.text {
            kept.extend_from_slice(&text[..taken]);
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
