//! Answers requests from a world, with a latency, and notes them.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::DATE;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, SecondsFormat, Utc};
use tokio::time::sleep;
use uuid::Uuid;

use super::Millis;
use super::folder::{File, Folder};
use super::world::World;
use crate::clock::Moment;
use crate::model::Status;

/// What a kind of portal does in its own way.
#[derive(Debug, Clone)]
pub struct Traits {
    pub latency: Millis,
    /// Answers one request after the other.
    pub serial: bool,
    pub page_size: usize,
    /// How far its clock is behind.
    pub clock_behind: Millis,
    /// The share of requests that it answers with 429.
    pub refused_share: f64,
}

impl Default for Traits {
    fn default() -> Self {
        Self {
            latency: 50,
            serial: false,
            page_size: 100,
            clock_behind: 0,
            refused_share: 0.0,
        }
    }
}

pub struct Portal {
    traits: Traits,
    began: Moment,
    world: Mutex<World>,
    turn: tokio::sync::Mutex<()>,
    pub asked: Mutex<Asked>,
}

#[derive(Debug)]
pub struct Asked {
    /// When each request came.
    pub times: Vec<Millis>,
    pub refused: u64,
    random: fastrand::Rng,
}

impl Portal {
    pub fn new(traits: Traits, world: World) -> Arc<Self> {
        Arc::new(Self {
            traits,
            began: Moment::now(),
            world: Mutex::new(world),
            turn: tokio::sync::Mutex::default(),
            asked: Mutex::new(Asked {
                times: Vec::new(),
                refused: 0,
                random: fastrand::Rng::with_seed(1),
            }),
        })
    }

    pub fn router(self: &Arc<Self>) -> Router {
        Router::new().fallback(answer).with_state(Arc::clone(self))
    }

    fn now(&self) -> Millis {
        millis(Moment::now().elapsed_since(self.began))
    }

    /// The time of a moment. The calendar is not asked: on a busy machine it is off by the time for which the test had to wait.
    pub fn time(&self, moment: Moment) -> Millis {
        millis(moment.elapsed_since(self.began))
    }

    /// The world as it is now.
    pub fn with<T>(&self, act: impl FnOnce(&mut World, Millis) -> T) -> T {
        let now = self.now();
        let mut world = self.world.lock().unwrap();
        world.move_to(now);
        act(&mut world, now)
    }

    /// A time of the world, by the portal's clock.
    fn clock(&self, time: i64) -> DateTime<Utc> {
        let behind = i64::try_from(self.traits.clock_behind).unwrap();
        self.began.wall.moved(time - behind).into()
    }

    /// Notes a request, which may be refused at random.
    fn note(&self) -> Result<(), StatusCode> {
        let now = self.now();
        let mut asked = self.asked.lock().unwrap();
        asked.times.push(now);
        let is_good = asked.random.f64() >= self.traits.refused_share;
        is_good.then_some(()).ok_or(StatusCode::TOO_MANY_REQUESTS)
    }

    async fn wait(&self) {
        let turn = self.turn.lock().await;
        let _turn = self.traits.serial.then_some(turn);
        sleep(Duration::from_millis(self.traits.latency)).await;
    }

    /// A page of the folder's files; none if it is refused.
    fn page(&self, folder: &mut Folder, query: &str, now: Millis) -> Option<String> {
        let mut fields = query.split('&').filter_map(|field| field.split_once('='));
        let number = fields.find(|(name, _)| *name == "page")?.1.parse().ok()?;
        if folder.has(|quirk| quirk.refuses(number, now)) {
            return None;
        }
        let by_status = query.contains("sortBy=indexStatus");
        let size = self.traits.page_size;
        let (files, total) = folder.page(by_status, number, size, now);
        let mut body = String::from(r#"{"data":["#);
        for at in files {
            self.row(folder, at, &mut body);
        }
        body.truncate(body.trim_end_matches(',').len());
        let pages = total.div_ceil(size);
        let _ = write!(
            body,
            r#"],"pagination":{{"page":{number},"pageSize":{size},"total":{total},"totalPages":{pages}}}}}"#
        );
        Some(body)
    }

    fn row(&self, folder: &Folder, at: u32, body: &mut String) {
        let file = folder.files[at as usize];
        let File { name, hidden, .. } = file;
        let Some(status) = file.status.filter(|_| !hidden) else {
            return;
        };
        let created = self.clock(file.created);
        let created = created.to_rfc3339_opts(SecondsFormat::Millis, true);
        let error = match status {
            Status::Failed | Status::Flagged => "\"it could not be read\"",
            _ => "null",
        };
        let status = status.as_str();
        let _ = write!(
            body,
            r#"{{"linkId":"00000000-0000-4000-8000-{at:012x}","id":"00000000-0000-4000-9000-{at:012x}","filename":"{name:010} {at}.pdf","fileSize":1000,"mimeType":"application/pdf","indexStatus":"{status}","indexError":{error},"createdAt":"{created}"}},"#
        );
    }

    fn body(&self, path: &str, query: &str) -> Result<String, StatusCode> {
        self.with(|world, now| {
            if path.ends_with("/mine") {
                return Ok(list(world, now));
            }
            let mut folders = world.folders.iter_mut();
            let id = path.rsplit('/').nth(1).map(Uuid::try_parse);
            let asked = folders.find(|folder| id == Some(Ok(folder.id)));
            let folder = asked.filter(|folder| is_listed(folder, now));
            let folder = folder.ok_or(StatusCode::FORBIDDEN)?;
            self.page(folder, query, now)
                .ok_or(StatusCode::TOO_MANY_REQUESTS)
        })
    }
}

fn list(world: &World, now: Millis) -> String {
    let listed = world.folders.iter().filter(|folder| is_listed(folder, now));
    let rows: Vec<_> = listed
        .map(|folder| {
            let (id, files) = (folder.id, folder.file_count());
            format!(r#"{{"id":"{id}","name":"{id}","fileCount":{files}}}"#)
        })
        .collect();
    let total = rows.len();
    let rows = rows.join(",");
    format!(r#"{{"data":[{rows}],"meta":{{"total":{total}}}}}"#)
}

fn is_listed(folder: &Folder, now: Millis) -> bool {
    !folder.has(|quirk| quirk.is_unlisted(now))
}

async fn answer(State(portal): State<Arc<Portal>>, request: Request) -> Response {
    let noted = portal.note();
    portal.wait().await;
    let uri = request.uri();
    let query = uri.query().unwrap_or_default();
    let body = noted.and_then(|()| portal.body(uri.path(), query));
    if body == Err(StatusCode::TOO_MANY_REQUESTS) {
        portal.asked.lock().unwrap().refused += 1;
    }
    let now = portal.now().try_into().unwrap();
    let date = portal.clock(now).format("%a, %d %b %Y %H:%M:%S GMT");
    let mut response = body.into_response();
    let date = date.to_string().parse().unwrap();
    response.headers_mut().insert(DATE, date);
    response
}

pub fn millis(duration: Duration) -> Millis {
    u64::try_from(duration.as_millis()).unwrap()
}
