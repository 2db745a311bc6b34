//! The network before the portal: connections that are refused, cut, silent, or say something else.

use std::convert::Infallible;
use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::connect_info::Connected;
use axum::response::Response;
use axum::serve::{IncomingStream, Listener};
use futures_util::stream;
use http_body_util::BodyExt;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::time::sleep;

/// Connections that wait to be accepted.
const BACKLOG: u32 = 1_024;

/// Between two attempts to have the address, or two drops of a dripping body.
const PAUSE: Duration = Duration::from_millis(50);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineFault {
    /// No connection is accepted, whatever the scope is, and those that are there are reset.
    Refused,
    /// The connection is reset in place of an answer.
    Reset,
    /// It is closed in place of an answer.
    Closed,
    NoHttp,
    /// The head of the answer ends half-way.
    HalfHead,
    /// The body is shorter than its length says.
    CutBody,
    /// The body comes in chunks and the last one does not.
    CutChunks,
    Silent,
    /// The body comes byte by byte, slowly.
    Drip,
    /// The answer comes so much later.
    Late(Duration),
}

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

impl LineFault {
    /// Does what the network does in place of the answer.
    pub(super) async fn replace(self, caller: &Caller, answer: Response) -> Response {
        let text = match self {
            Self::Silent => pending().await,
            Self::Drip => return drip(answer).await,
            Self::Late(by) => {
                sleep(by).await;
                return answer;
            }
            Self::Refused | Self::Reset => {
                caller.order.set(Order::Reset);
                return answer;
            }
            Self::Closed => String::new(),
            Self::NoHttp => "220 mail.example ESMTP\r\n".to_owned(),
            Self::HalfHead => HEAD[..HEAD.len() - 10].to_owned(),
            Self::CutBody => format!("{HEAD}content-length: 100000\r\n\r\n{{\"data\":["),
            Self::CutChunks => {
                format!("{HEAD}transfer-encoding: chunked\r\n\r\n9\r\n{{\"data\":[\r\n")
            }
        };
        caller.order.set(Order::Say(text.into()));
        answer
    }
}

async fn drip(answer: Response) -> Response {
    let (head, body) = answer.into_parts();
    let body = body.collect().await;
    let body = body
        .map(http_body_util::Collected::to_bytes)
        .unwrap_or_default();
    let drops = stream::unfold(body, |mut body| async {
        sleep(PAUSE).await;
        let drop = (!body.is_empty()).then(|| body.split_to(1))?;
        Some((Ok::<_, Infallible>(drop), body))
    });
    Response::from_parts(head, Body::from_stream(drops))
}

#[derive(Debug, Default)]
enum Order {
    /// It writes what the server writes.
    #[default]
    Pass,
    Reset,
    /// It writes this instead, and is closed.
    Say(Bytes),
}

/// The order of one connection, given by a request on it.
#[derive(Clone, Debug, Default)]
struct Orders(Arc<Mutex<Order>>);

impl Orders {
    fn set(&self, order: Order) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = order;
    }
}

/// Who asks, and on which connection.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    pub address: SocketAddr,
    order: Orders,
}

impl Caller {
    /// One without a connection.
    pub fn nowhere() -> Self {
        Self {
            address: ([127, 0, 0, 1], 0).into(),
            order: Orders::default(),
        }
    }
}

impl Connected<IncomingStream<'_, FaultyListener>> for Caller {
    fn connect_info(stream: IncomingStream<'_, FaultyListener>) -> Self {
        Self {
            address: *stream.remote_addr(),
            order: stream.io().order.clone(),
        }
    }
}

pub(super) struct Line {
    stream: TcpStream,
    order: Orders,
}

impl Line {
    /// Obeys: an error ends the connection, `None` lets it go on.
    fn obey(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Error>> {
        let mut order = self.order.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *order {
            Order::Pass => return Poll::Ready(None),
            Order::Reset => {
                // Without it the connection is closed in order, which is a fault as well.
                let _ = self.stream.set_zero_linger();
            }
            Order::Say(text) => {
                while !text.is_empty() {
                    match Pin::new(&mut self.stream).poll_write(context, text) {
                        Poll::Ready(Ok(written)) => drop(text.split_to(written)),
                        Poll::Ready(Err(error)) => return Poll::Ready(Some(error)),
                        Poll::Pending => return Poll::Pending,
                    }
                }
            }
        }
        Poll::Ready(Some(io::ErrorKind::ConnectionAborted.into()))
    }
}

impl AsyncRead for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Line {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.obey(context) {
            Poll::Ready(None) => Pin::new(&mut self.stream).poll_write(context, bytes),
            Poll::Ready(Some(error)) => Poll::Ready(Err(error)),
            Poll::Pending => Poll::Pending,
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Accepts connections, and refuses them while `refusing` is true.
pub(super) struct FaultyListener {
    address: SocketAddr,
    /// None for a moment, while it changes.
    socket: Option<Socket>,
    refusing: watch::Receiver<bool>,
}

enum Socket {
    Listening(TcpListener),
    /// Bound, so that nobody else gets the address, and not listening.
    Deaf(TcpSocket),
}

impl FaultyListener {
    pub fn new(listener: TcpListener, refusing: watch::Receiver<bool>) -> io::Result<Self> {
        Ok(Self {
            address: listener.local_addr()?,
            socket: Some(Socket::Listening(listener)),
            refusing,
        })
    }

    /// Makes the socket listen, or not.
    fn turn(&mut self, refusing: bool) -> io::Result<()> {
        let bound = match self.socket.take() {
            Some(Socket::Listening(listener)) if !refusing => {
                self.socket = Some(Socket::Listening(listener));
                return Ok(());
            }
            Some(Socket::Deaf(socket)) => socket,
            Some(Socket::Listening(listener)) => {
                drop(listener);
                bind(self.address)?
            }
            None => bind(self.address)?,
        };
        self.socket = Some(if refusing {
            Socket::Deaf(bound)
        } else {
            Socket::Listening(bound.listen(BACKLOG)?)
        });
        Ok(())
    }
}

fn bind(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

impl Listener for FaultyListener {
    type Io = Line;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Line, SocketAddr) {
        loop {
            let refusing = *self.refusing.borrow_and_update();
            if self.turn(refusing).is_err() {
                // Somebody has the address for a moment.
                sleep(PAUSE).await;
                continue;
            }
            let Some(Socket::Listening(listener)) = &self.socket else {
                // The sender lives as long as the server.
                let _ = self.refusing.changed().await;
                continue;
            };
            tokio::select! {
                _ = self.refusing.changed() => {}
                accepted = listener.accept() => if let Ok((stream, peer)) = accepted {
                    // Without it small answers may wait for an acknowledgement; the connection works all the same.
                    let _ = stream.set_nodelay(true);
                    return (Line { stream, order: Orders::default() }, peer);
                }
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}
