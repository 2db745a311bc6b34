//! Clients that guess, hang up, read nothing or are too many keep nobody else out.

use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use reqwest::RequestBuilder;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use super::{PASSWORD, Secured, users};
use crate::support::exporter::client;
use crate::support::prometheus::{Prometheus, scraping};
use crate::support::wait::{until, wait_for};

#[tokio::test]
async fn wrong_passwords_cost_little_and_keep_no_known_user_out() {
    let secured = Secured::start(&users(), &["--web.open-probes"]).await;
    let metrics = format!("http://{}/metrics", secured.address());
    let client = client();
    let status = async |request: RequestBuilder| request.send().await.unwrap().status();
    let known = || client.get(&metrics).basic_auth("alice", Some(PASSWORD));
    assert_eq!(status(known()).await, 200);
    let (began, mut guess) = (Instant::now(), 0);
    while began.elapsed() < Duration::from_secs(1) {
        guess += 1;
        let guessed = format!("guess {guess}");
        let guessed = client.get(&metrics).basic_auth("alice", Some(guessed));
        assert_eq!(status(guessed).await, 401);
        assert_eq!(status(known()).await, 200);
    }
    let refused = secured.exporter.output();
    let refused = refused.iter().filter(|line| line.contains("was refused"));
    let refused: Vec<_> = refused.collect();
    assert_eq!(refused.len(), 1, "one line a minute");
    assert!(refused[0].contains("127.0.0.1"), "{refused:?}");
    let counted = super::known(&client, &metrics).await;
    let line = |code: u16| format!(r#"total{{code="{code}",handler="/metrics"}} "#);
    let line = |code, count: u32| format!("{}{count}\n", line(code));
    assert!(counted.contains(&line(401, guess)), "{counted}");
    assert!(counted.contains(&line(200, guess + 1)), "{counted}");
}

/// Asks for a path on a connection of its own, which stays open and is not read.
async fn send(secured: &Secured, host: u8, head: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, host], 0).into()).unwrap();
    let mut stream = socket.connect(secured.address()).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

#[tokio::test]
async fn a_real_prometheus_that_gives_up_before_its_password_was_checked_gets_in() {
    // The check and its rest take longer than Prometheus waits.
    let hash = bcrypt::hash(PASSWORD, 10).unwrap();
    let text = format!("basic_auth_users:\n  alice: {hash}\n");
    let secured = Secured::start(&text, &["--web.open-probes"]).await;
    // Clients that guess and hang up, behind the same address as Prometheus and elsewhere.
    for (host, guess) in [
        (1, "YWxpY2U6MQ=="),
        (1, "YWxpY2U6Mg=="),
        (2, "YWxpY2U6Mw=="),
    ] {
        let head =
            format!("GET /metrics HTTP/1.1\r\nhost: x\r\nauthorization: Basic {guess}\r\n\r\n");
        send(&secured, host, &head).await;
    }
    let mut config = scraping(secured.address());
    let password = json!({"username": "alice", "password": PASSWORD});
    config["scrape_configs"][0]["basic_auth"] = password;
    let prometheus = Prometheus::start(&config, tempfile::tempdir().unwrap(), &[]).await;
    until("Prometheus gets in", async || {
        let up = prometheus.query("up").await;
        up.iter().any(|up| up["value"][1] == "1")
    })
    .await;
}

#[tokio::test]
async fn clients_that_read_nothing_or_send_half_a_request_silence_nobody_else() {
    let secured = Secured::start("", &[]).await;
    let from = |host: u8| {
        let client = reqwest::Client::builder().no_proxy();
        // Each request makes a connection of its own.
        let client = client.pool_max_idle_per_host(0);
        client
            .local_address(IpAddr::from([127, 0, 0, host]))
            .build()
    };
    let (other, own) = (from(1).unwrap(), from(2).unwrap());
    let url = |path: &str| format!("http://{}{path}", secured.address());
    let mut clients = Vec::new();
    for head in [
        "GET /metrics HTTP/1.1\r\nhost: ",
        "GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n",
        "",
    ] {
        // The last one that is refused shows that all this time no silent client was cut.
        until("others are answered while one is too many", async || {
            for _ in 0..400 {
                clients.push(send(&secured, 2, head).await);
            }
            for path in ["/metrics", "/livez", "/readyz", "/"] {
                let status = other.get(url(path)).send().await.unwrap().status();
                assert!(
                    status.is_success() || path == "/readyz",
                    "{head:?}: {path} {status}"
                );
            }
            own.get(url("/livez")).send().await.is_err()
        })
        .await;
    }
    wait_for("those that are silent are cut", async || {
        own.get(url("/livez")).send().await.ok()
    })
    .await;
}

/// Whoever is not refused for this is asked for the password.
#[tokio::test]
async fn a_page_of_another_site_cannot_reload() {
    let secured = Secured::start(&users(), &["--web.enable-lifecycle"]).await;
    let url = format!("http://{}/-/reload", secured.address());
    for (headers, expected) in [
        (&[("host", "kb:15732")][..], 401),
        (&[("sec-fetch-site", "same-origin")], 401),
        (&[("sec-fetch-site", "none")], 401),
        (&[("sec-fetch-site", "same-site")], 403),
        (&[("sec-fetch-site", "cross-site")], 403),
        (&[("host", "kb:1"), ("origin", "http://kb:1")], 401),
        (&[("host", "kb:1"), ("origin", "https://kb:1")], 401),
        (&[("host", "kb:1"), ("origin", "http://kb:2")], 403),
        (&[("host", "kb:1"), ("origin", "http://evil.example")], 403),
        (&[("host", "kb:1"), ("origin", "null")], 403),
        (&[("origin", "http://evil.example")], 403),
        // Behind a proxy that changes the host.
        (
            &[
                ("host", "kb"),
                ("origin", "https://kb.example"),
                ("sec-fetch-site", "same-origin"),
            ],
            401,
        ),
    ] {
        let request = client().post(&url);
        let request = headers.iter().fold(request, |request, (name, value)| {
            request.header(*name, *value)
        });
        let status = request.send().await.unwrap().status();
        assert_eq!(status, expected, "{headers:?}");
    }
}

#[tokio::test]
async fn an_address_without_a_host_is_every_address_of_the_machine() {
    let secured = Secured::start("", &["--web.listen-address", ":0"]).await;
    let port = wait_for("it listens everywhere", async || {
        let lines = secured.exporter.output().into_iter();
        let lines = lines.filter_map(|line| serde_json::from_str::<Value>(&line).ok());
        let addresses = lines.filter_map(|line| line["address"].as_str()?.parse().ok());
        let mut addresses = addresses.filter(|at: &SocketAddr| at.ip().is_unspecified());
        addresses.next().map(|address| address.port())
    })
    .await;
    let has_ipv6 = TcpListener::bind("[::1]:0").await.is_ok();
    let hosts = ["127.0.0.1", "[::1]"].into_iter();
    for host in hosts.take(1 + usize::from(has_ipv6)) {
        let url = format!("http://{host}:{port}/livez");
        let response = client().get(url).send().await.unwrap();
        assert_eq!(response.status(), 200, "{host}");
    }
}
