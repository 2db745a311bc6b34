//! Clients that are silent, slow or too many, over real connections.

use super::*;
use crate::clock::Moment;
use axum::body::Body;
use axum::routing::get;
use futures_util::stream;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::sleep;

const PATIENCE: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(300);
const HELLO: &str = "GET / HTTP/1.1\r\nhost: test\r\n\r\n";

struct Server {
    address: SocketAddr,
    shutdown: CancellationToken,
    task: JoinHandle<io::Result<()>>,
}

async fn start(router: Router, change: impl FnOnce(&mut Limits)) -> Server {
    let mut limits = Limits::default();
    change(&mut limits);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let shutdown = CancellationToken::new();
    let task = tokio::spawn(serve(listener, router, limits, None, shutdown.clone()));
    Server {
        address,
        shutdown,
        task,
    }
}

impl Server {
    async fn connect(&self, sent: &str) -> TcpStream {
        let mut client = TcpStream::connect(self.address).await.unwrap();
        client.write_all(sent.as_bytes()).await.unwrap();
        client
    }

    async fn get(&self, path: &str) -> String {
        let request = format!("GET {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n");
        rest(&mut self.connect(&request).await).await
    }

    async fn end(self) {
        self.shutdown.cancel();
        timeout(PATIENCE, self.task)
            .await
            .expect("an end")
            .unwrap()
            .unwrap();
    }
}

/// What is received until the server closes the connection; a reset counts as an end.
async fn rest(client: &mut TcpStream) -> String {
    let mut received = Vec::new();
    let _ = timeout(PATIENCE, client.read_to_end(&mut received))
        .await
        .expect("an end of the connection");
    String::from_utf8(received).unwrap()
}

fn hello() -> Router {
    Router::new().route("/", get(async || "hello"))
}

#[tokio::test]
async fn a_client_that_drips_its_head_is_cut() {
    let server = start(hello(), |limits| limits.header_timeout = SHORT).await;
    let (mut reader, mut writer) = server
        .connect("GET / HTTP/1.1\r\nhost: ")
        .await
        .into_split();
    let drip = async {
        while writer.write_all(b"x").await.is_ok() {
            sleep(SHORT / 10).await;
        }
    };
    let cut = async { reader.read(&mut [0; 16]).await.unwrap_or(0) };
    tokio::select! {
        read = timeout(PATIENCE, cut) => assert_eq!(read, Ok(0)),
        () = drip => {}
    }
    server.end().await;
}

#[tokio::test]
async fn a_head_that_is_too_large_is_refused() {
    let server = start(hello(), |_| {}).await;
    let request = format!("GET / HTTP/1.1\r\nx: {}", "x".repeat(2 * MAX_HEAD));
    let mut client = TcpStream::connect(server.address).await.unwrap();
    let (mut reader, mut writer) = client.split();
    let mut line = [0; 12];
    let (_, read) = tokio::join!(
        writer.write_all(request.as_bytes()),
        reader.read_exact(&mut line)
    );
    assert_eq!((read.unwrap(), &line), (12, b"HTTP/1.1 431"));
    server.end().await;
}

#[tokio::test]
async fn a_running_request_may_finish_at_shutdown_and_no_new_one_starts() {
    let (running, finish) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (entered, leave) = (running.clone(), finish.clone());
    let router = Router::new().route(
        "/",
        get(async move || {
            entered.notify_one();
            leave.notified().await;
            "finished"
        }),
    );
    let server = start(router, |_| {}).await;
    let mut client = server.connect(HELLO).await;
    running.notified().await;
    server.shutdown.cancel();
    let refused = async { while TcpStream::connect(server.address).await.is_ok() {} };
    timeout(PATIENCE, refused)
        .await
        .expect("the listener to close");
    finish.notify_one();
    assert!(rest(&mut client).await.ends_with("finished"));
    server.end().await;
}

#[tokio::test]
async fn a_silent_connection_does_not_hold_up_shutdown() {
    let server = start(hello(), |_| {}).await;
    let mut client = server.connect("").await;
    server.get("/").await;
    server.end().await;
    assert_eq!(rest(&mut client).await, "");
}

/// A path whose answer never ends.
fn endless() -> Router {
    let endless = || stream::repeat_with(|| Ok::<_, io::Error>(vec![b'x'; 65_536]));
    hello().route("/endless", get(async move || Body::from_stream(endless())))
}

const ENDLESS: &str = "GET /endless HTTP/1.1\r\nhost: test\r\n\r\n";

#[tokio::test]
async fn a_client_that_reads_nothing_is_disconnected() {
    let server = start(endless(), |limits| limits.write_timeout = SHORT).await;
    let mut greedy = server.connect(ENDLESS).await;
    greedy.readable().await.unwrap();
    let start = Moment::now().steady;
    // What it does not read is in the buffers of the system. Then the server waits no longer.
    let cut = async { while greedy.write_all(b"x").await.is_ok() {} };
    timeout(PATIENCE, cut).await.expect("an end");
    assert!(start.elapsed() >= SHORT);
    server.end().await;
}

#[tokio::test]
async fn a_client_that_reads_without_end_is_disconnected() {
    let server = start(endless(), |limits| limits.lifetime = SHORT).await;
    let mut greedy = server.connect(ENDLESS).await;
    let mut buffer = vec![0; 65_536];
    let read = async { while greedy.read(&mut buffer).await.is_ok_and(|read| read > 0) {} };
    timeout(PATIENCE, read).await.expect("an end");
    server.end().await;
}

/// A client from an address of this machine, if it is served.
async fn connect_from(server: &Server, host: u8) -> Option<TcpStream> {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, host], 0).into()).unwrap();
    let mut client = socket.connect(server.address).await.unwrap();
    client.write_all(HELLO.as_bytes()).await.ok()?;
    client.read_exact(&mut [0; 12]).await.ok()?;
    Some(client)
}

#[tokio::test]
async fn connections_beyond_those_of_a_client_and_those_of_all_are_refused_until_one_ends() {
    let server = start(hello(), |limits| {
        (limits.connections, limits.from_one_network) = (3, 2);
    })
    .await;
    let mut clients = Vec::new();
    for (host, expected) in [(2, true), (2, true), (2, false), (3, true), (4, false)] {
        let client = connect_from(&server, host).await;
        assert_eq!(client.is_some(), expected, "from {host}");
        clients.push(client);
    }
    clients.clear();
    let again = async { while connect_from(&server, 4).await.is_none() {} };
    timeout(PATIENCE, again).await.expect("an answer");
    server.end().await;
}

#[tokio::test]
async fn a_panic_ends_its_own_connection_alone() {
    let panics = || -> &'static str { panic!("on purpose") };
    let router = hello().route("/panic", get(async move || panics()));
    let server = start(router, |_| {}).await;
    assert_eq!(server.get("/panic").await, "");
    assert!(server.get("/").await.ends_with("hello"));
    server.end().await;
}

#[test]
fn the_addresses_of_one_client_are_one_network() {
    let network = |address: &str| network_of(address.parse().unwrap());
    for (one, other, same) in [
        ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2", true),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", false),
        ("192.0.2.1", "192.0.2.2", false),
    ] {
        assert_eq!(network(one) == network(other), same, "{one} {other}");
    }
}
