//! The portal on a real listener: life at a speed, the caller's address, and the end at shutdown.

use std::future::pending;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use reqwest::Client;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::support::FOLDERS;
use crate::faults::{Fault, Faults, LineFault, Scope, Target};
use crate::{Options, Simulator};

struct Served {
    simulator: Simulator,
    mine: String,
    stop: CancellationToken,
    task: JoinHandle<std::io::Result<()>>,
}

async fn serve(speed: f64) -> Served {
    let simulator = Simulator::new(Options {
        speed,
        folders: 3,
        files: 500,
        ..Options::default()
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let portal = simulator.clone();
    let task = tokio::spawn(portal.serve(listener, stop.clone().cancelled_owned()));
    Served {
        simulator,
        mine: format!("http://{address}{FOLDERS}/mine"),
        stop,
        task,
    }
}

impl Served {
    async fn status(&self, client: &Client) -> StatusCode {
        let request = client.get(&self.mine).bearer_auth("kbk_demo");
        request.send().await.unwrap().status()
    }

    async fn ends(self) {
        self.stop.cancel();
        let ended = tokio::time::timeout(Duration::from_secs(5), self.task).await;
        ended.expect("ends at shutdown").unwrap().unwrap();
    }
}

fn client() -> Client {
    // With the exporter, `reqwest` is built without a default of its own. Fails where it is installed already.
    drop(rustls::crypto::ring::default_provider().install_default());
    Client::new()
}

#[tokio::test]
async fn an_answer_may_come_late() {
    let late = Duration::from_millis(60);
    let simulator = Simulator::empty(Options::default());
    let faults = Faults::new(1);
    faults.add(
        Scope::nth(Target::List, 1),
        Fault::Line(LineFault::Late(late)),
    );
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mine = format!("http://{}{FOLDERS}/mine", listener.local_addr().unwrap());
    let router = simulator.router();
    let served = simulator.serve_with_faults(router, faults, listener, pending());
    let served = tokio::spawn(served);
    let asked = Instant::now();
    let answer = client().get(&mine).bearer_auth("kbk_demo").send().await;
    assert_eq!(answer.unwrap().status(), StatusCode::OK);
    assert!(asked.elapsed() >= late);
    served.abort();
}

#[tokio::test]
async fn it_answers_over_http_and_ends_at_shutdown_with_a_connection_open() {
    let served = serve(0.0).await;
    let client = client();
    assert_eq!(served.status(&client).await, StatusCode::OK);
    served.ends().await;
}

#[tokio::test]
async fn it_lives_as_fast_as_its_speed_says() {
    let served = serve(10_000.0).await;
    let changed = async {
        while served.simulator.with(|world| world.sequence()) < 100 {
            tokio::task::yield_now().await;
        }
    };
    let lived = tokio::time::timeout(Duration::from_secs(20), changed).await;
    lived.expect("files arrive and are processed");
    served.ends().await;
}
