//! Stands between a PostgreSQL server and its clients, and is slow or cut on command.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::time::sleep;

/// What becomes of what is sent.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    Open,
    /// What is sent at once comes so much later.
    Slow(Duration),
    /// Nothing arrives, and nobody is told.
    Lost,
    /// No connection is made.
    Closed,
}

/// What happens at the end of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtCommit {
    /// The connection is cut, and the server does not receive the COMMIT.
    CutBefore,
    /// The connection is cut when the server has committed, and the client does not receive the answer.
    CutAfter,
    /// The same, and no connection is made from then on.
    CloseAfter,
    /// The COMMIT and all that comes later is kept back, as by [`Proxy::lose`].
    LoseBefore,
    /// The answer and all that comes later is kept back.
    LoseAfter,
}

#[derive(Debug, Clone)]
struct State {
    way: Way,
    /// Increased by each cut of all connections.
    cuts: usize,
    /// For the next transaction with a statement that contains a text.
    at_commit: Option<(AtCommit, String)>,
}

struct Shared {
    server: SocketAddr,
    state: watch::Sender<State>,
    commits: AtomicUsize,
}

/// A proxy on an address of its own, until the test ends.
pub(crate) struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Proxy {
    /// Passes everything on to a server.
    pub(crate) async fn before(server: SocketAddr) -> Self {
        let state = State {
            way: Way::Open,
            cuts: 0,
            at_commit: None,
        };
        let shared = Arc::new(Shared {
            server,
            state: watch::Sender::new(state),
            commits: AtomicUsize::new(0),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let own = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(Arc::clone(&own).serve(client));
            }
        });
        Self { address, shared }
    }

    /// Where clients find it.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Passes everything on again, at once.
    pub(crate) fn open(&self) {
        self.shared.set(Way::Open);
    }

    /// Lets everything in each direction take so much longer.
    pub(crate) fn slow_down(&self, by: Duration) {
        self.shared.set(Way::Slow(by));
    }

    /// Passes nothing on; connections stay open.
    pub(crate) fn lose(&self) {
        self.shared.set(Way::Lost);
    }

    /// Ends all connections; new ones can be made.
    pub(crate) fn cut(&self) {
        self.shared.state.send_modify(|state| state.cuts += 1);
    }

    /// Interferes once: with the next transaction that has a statement which contains a text.
    pub(crate) fn at_commit(&self, what: AtCommit, containing: &str) {
        let at_commit = Some((what, containing.to_owned()));
        self.shared
            .state
            .send_modify(|state| state.at_commit = at_commit);
    }

    /// With how many transactions it interfered.
    pub(crate) fn commits(&self) -> usize {
        self.shared.commits.load(Ordering::SeqCst)
    }
}

impl Shared {
    fn set(&self, way: Way) {
        self.state.send_modify(|state| state.way = way);
    }

    /// Connects a client with the server until one of them goes, or the connection is cut.
    async fn serve(self: Arc<Self>, mut client: TcpStream) {
        let mut state = self.state.subscribe();
        let State { way, cuts, .. } = state.borrow_and_update().clone();
        if way == Way::Closed {
            return;
        }
        let Ok(mut server) = TcpStream::connect(self.server).await else {
            return;
        };
        // Small messages that wait for each other would take 40 ms.
        client.set_nodelay(true).unwrap();
        server.set_nodelay(true).unwrap();
        let (from_client, to_client) = client.split();
        let (from_server, to_server) = server.split();
        let muted = Muted::default();
        let ended = async { state.wait_for(|state| state.cuts != cuts).await.is_ok() };
        tokio::select! {
            _ = ended => {}
            _ = self.pass_up(from_client, to_server, &muted) => {}
            _ = self.pass_down(from_server, to_client, &muted) => {}
        }
    }

    async fn pass_up(
        &self,
        mut from: impl AsyncRead + Unpin,
        mut to: impl AsyncWrite + Unpin,
        muted: &Muted,
    ) -> io::Result<()> {
        let mut buffer = vec![0; 64 << 10];
        let mut transaction = String::new();
        loop {
            let length = from.read(&mut buffer).await?;
            if length == 0 {
                return Ok(());
            }
            let sent = &buffer[..length];
            self.pace().await;
            let due = self.due_at(&String::from_utf8_lossy(sent), &mut transaction);
            if due == Some(AtCommit::CloseAfter) {
                self.set(Way::Closed);
            }
            match due {
                None => to.write_all(sent).await?,
                Some(AtCommit::CutBefore) => return Ok(()),
                Some(AtCommit::LoseBefore) => {
                    self.set(Way::Lost);
                    self.pace().await;
                    to.write_all(sent).await?;
                }
                Some(AtCommit::LoseAfter) => {
                    self.set(Way::Lost);
                    to.write_all(sent).await?;
                }
                Some(AtCommit::CutAfter | AtCommit::CloseAfter) => {
                    muted.is_on.store(true, Ordering::SeqCst);
                    to.write_all(sent).await?;
                    muted.answered.notified().await;
                    return Ok(());
                }
            }
        }
    }

    async fn pass_down(
        &self,
        mut from: impl AsyncRead + Unpin,
        mut to: impl AsyncWrite + Unpin,
        muted: &Muted,
    ) -> io::Result<()> {
        let mut buffer = vec![0; 64 << 10];
        loop {
            let length = from.read(&mut buffer).await?;
            if length == 0 {
                return Ok(());
            }
            if muted.is_on.load(Ordering::SeqCst) {
                muted.answered.notify_one();
                continue;
            }
            self.pace().await;
            to.write_all(&buffer[..length]).await?;
        }
    }

    /// Waits as long as what is sent at once takes now.
    async fn pace(&self) {
        let mut state = self.state.subscribe();
        let way = state.borrow_and_update().way;
        match way {
            Way::Slow(by) => sleep(by).await,
            // The sender lives as long as this.
            Way::Lost => drop(state.wait_for(|state| state.way != Way::Lost).await),
            Way::Open | Way::Closed => {}
        }
    }

    /// What is due when a client sends something. `transaction` has what it sent before, since it began one. Its COMMIT comes alone: before,
    /// it waits for an answer.
    fn due_at(&self, sent: &str, transaction: &mut String) -> Option<AtCommit> {
        if sent.contains("BEGIN") {
            transaction.clear();
        }
        transaction.push_str(sent);
        if !sent.contains("COMMIT\0") {
            return None;
        }
        let mut due = None;
        self.state.send_if_modified(|state| {
            let at_commit = state.at_commit.as_ref();
            if at_commit.is_some_and(|(_, text)| transaction.contains(text)) {
                due = state.at_commit.take();
            }
            due.is_some()
        });
        transaction.clear();
        let (due, _) = due?;
        self.commits.fetch_add(1, Ordering::SeqCst);
        Some(due)
    }
}

/// A connection whose client hears nothing more.
#[derive(Default)]
struct Muted {
    is_on: AtomicBool,
    answered: Notify,
}
