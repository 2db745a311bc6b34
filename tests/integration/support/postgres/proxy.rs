//! Stands between a PostgreSQL server and its clients, and is slow, cut or closed on command.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::time::sleep;

use super::frames::{Message, Messages};

/// What becomes of what is sent.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    Open,
    /// Each message comes so much later.
    Slow(Duration),
    /// Nothing arrives, and nobody is told.
    Lost,
    /// No connection is made.
    Closed,
}

/// When a connection is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The server does not receive the COMMIT.
    BeforeCommit,
    /// The server has committed, and the client does not receive the answer.
    AfterCommit,
}

#[derive(Debug, Clone)]
struct State {
    way: Way,
    /// Increased by each cut of all connections.
    cuts: usize,
    /// A cut at the end of the next transaction with a statement that contains a text.
    at_commit: Option<(Cut, String)>,
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
        self.set(Way::Open);
    }

    /// Lets each message in each direction take so much longer.
    pub(crate) fn slow_down(&self, by: Duration) {
        self.set(Way::Slow(by));
    }

    /// Passes nothing on; connections stay open.
    pub(crate) fn lose(&self) {
        self.set(Way::Lost);
    }

    /// Ends all connections and makes no new one.
    pub(crate) fn close(&self) {
        self.set(Way::Closed);
        self.cut();
    }

    /// Ends all connections; new ones can be made.
    pub(crate) fn cut(&self) {
        self.shared.state.send_modify(|state| state.cuts += 1);
    }

    /// Ends the connection on which the next transaction commits that has a statement which contains a text.
    pub(crate) fn cut_at_commit(&self, cut: Cut, containing: &str) {
        let at_commit = Some((cut, containing.to_owned()));
        self.shared
            .state
            .send_modify(|state| state.at_commit = at_commit);
    }

    /// How many connections were cut at a commit.
    pub(crate) fn commits_cut(&self) -> usize {
        self.shared.commits.load(Ordering::SeqCst)
    }

    fn set(&self, way: Way) {
        self.shared.state.send_modify(|state| state.way = way);
    }
}

impl Shared {
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
        from: impl AsyncRead + Unpin,
        mut to: impl AsyncWrite + Unpin,
        muted: &Muted,
    ) -> io::Result<()> {
        let mut messages = Messages::new(from);
        let mut transaction = String::new();
        loop {
            let message = messages.next().await?;
            self.pace().await;
            match self.cut_at(&message, &mut transaction) {
                None => to.write_all(&message.bytes).await?,
                Some(Cut::BeforeCommit) => return Ok(()),
                Some(Cut::AfterCommit) => {
                    muted.is_on.store(true, Ordering::SeqCst);
                    to.write_all(&message.bytes).await?;
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

    /// Waits as long as a message takes now.
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

    /// The cut that is due at a message. `transaction` has the statements before it.
    fn cut_at(&self, message: &Message, transaction: &mut String) -> Option<Cut> {
        let statement = message.statement.as_deref()?;
        if !begins_with(statement, "COMMIT") {
            if begins_with(statement, "BEGIN") {
                transaction.clear();
            }
            transaction.push_str(statement);
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
        let (cut, _) = due?;
        self.commits.fetch_add(1, Ordering::SeqCst);
        Some(cut)
    }
}

/// A connection whose client hears nothing more.
#[derive(Default)]
struct Muted {
    is_on: AtomicBool,
    answered: Notify,
}

fn begins_with(statement: &str, word: &str) -> bool {
    let begin = statement.trim_start().get(..word.len());
    begin.is_some_and(|begin| begin.eq_ignore_ascii_case(word))
}
