//! The simulated portal in paused time: when what happens there, and when each request came.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::DATE;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use tokio::time::sleep;

use super::Millis;
use super::scene::Scene;
use crate::clock::Moment;

pub struct Portal {
    began: Moment,
    latency: Millis,
    /// Held by the request that is answered, if there may be only one.
    turn: Option<tokio::sync::Mutex<()>>,
    scene: Mutex<Scene>,
    pub asked: Mutex<Asked>,
}

#[derive(Debug, Default)]
pub struct Asked {
    /// When each request came.
    pub times: Vec<Millis>,
    pub refused: u64,
}

impl Portal {
    pub fn new(began: Moment, latency: Millis, serial: bool, scene: Scene) -> Arc<Self> {
        Arc::new(Self {
            began,
            latency,
            turn: serial.then(tokio::sync::Mutex::default),
            scene: Mutex::new(scene),
            asked: Mutex::default(),
        })
    }

    pub fn router(self: &Arc<Self>) -> Router {
        let router = self.with(|scene, _| scene.simulator.router_with_faults(&scene.faults));
        router.layer(from_fn_with_state(Arc::clone(self), answer))
    }

    /// The time of a moment. The calendar is not asked: on a busy machine it is off by the time for which the test had to wait.
    pub fn time(&self, moment: Moment) -> Millis {
        millis(moment.elapsed_since(self.began))
    }

    /// The portal as it is now.
    pub fn with<T>(&self, act: impl FnOnce(&mut Scene, Millis) -> T) -> T {
        let now = self.time(Moment::now());
        let mut scene = self.scene.lock().unwrap();
        scene.move_to(now);
        act(&mut scene, now)
    }
}

async fn answer(State(portal): State<Arc<Portal>>, request: Request, next: Next) -> Response {
    let now = portal.time(Moment::now());
    portal.asked.lock().unwrap().times.push(now);
    let _turn = match &portal.turn {
        Some(turn) => Some(turn.lock().await),
        None => None,
    };
    sleep(Duration::from_millis(portal.latency)).await;
    let date = portal.with(|scene, _| scene.simulator.with(|world| world.now()));
    let mut response = next.run(request).await;
    if response.status() == StatusCode::TOO_MANY_REQUESTS {
        portal.asked.lock().unwrap().refused += 1;
    }
    let date = date.format("%a, %d %b %Y %H:%M:%S GMT").to_string();
    response.headers_mut().insert(DATE, date.parse().unwrap());
    response
}

pub fn millis(duration: Duration) -> Millis {
    u64::try_from(duration.as_millis()).unwrap()
}
