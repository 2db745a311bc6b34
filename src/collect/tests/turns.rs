//! More folders than the rate allows to read in each interval, in paused time.

use std::sync::Mutex;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use uuid::Uuid;

use super::*;

/// Folders of one page each.
const FOLDERS: usize = 120;

/// Requests a second: a list and 20 reads or so fit into an interval of a second.
const RATE: f64 = 22.0;

/// Intervals in which every folder has its turn, at the latest: a sixth of the folders in each, and one for whatever is late.
const ROUND: usize = 7;

/// What a portal was asked, and what it refuses.
#[derive(Default)]
struct Front {
    asked: Mutex<Vec<String>>,
    /// Part of the path, and the answer.
    refused: Mutex<Vec<(String, StatusCode)>>,
}

impl Front {
    fn refuse(&self, part: &impl ToString, status: StatusCode) {
        let mut refused = self.refused.lock().unwrap();
        refused.push((part.to_string(), status));
    }

    fn heal(&self) {
        self.refused.lock().unwrap().clear();
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// How many of these requests have a text in their path.
pub(super) fn count(asked: &[String], part: &impl ToString) -> usize {
    let part = part.to_string();
    asked.iter().filter(|path| path.contains(&part)).count()
}

/// The longest number of collections without a read of a folder.
pub(super) fn longest_rest(folder: Uuid, asked: &[String]) -> usize {
    let folder = folder.to_string();
    let reads = (0..asked.len()).filter(|at| asked[*at].contains(&folder));
    let mut collections: Vec<_> = reads.map(|at| count(&asked[..at], &"/mine")).collect();
    collections.push(count(asked, &"/mine"));
    let rests = collections.windows(2).map(|pair| pair[1] - pair[0]);
    rests.max().unwrap_or(usize::MAX)
}

async fn pass(State(front): State<Arc<Front>>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let refused = front.refused.lock().unwrap().clone();
    let refused = refused.into_iter().find(|(part, _)| path.contains(part));
    front.asked.lock().unwrap().push(path);
    match refused {
        Some((_, status)) => status.into_response(),
        None => next.run(request).await,
    }
}

/// A portal whose folders hold one file each that is done, and a collector that reads it on a schedule.
pub(super) struct Crowd {
    simulator: Simulator,
    pub folders: Vec<Uuid>,
    front: Arc<Front>,
    publisher: Publisher,
}

impl Crowd {
    fn of(folders: usize, configure: impl FnOnce(&mut Config)) -> Self {
        Self::on(Schedule::Every(Duration::from_secs(1)), folders, configure)
    }

    pub fn on(schedule: Schedule, folders: usize, configure: impl FnOnce(&mut Config)) -> Self {
        let simulator = Simulator::empty(Options::default());
        let folders = (0..folders).map(|number| {
            simulator.with(|world| {
                let folder = world.add_folder(&format!("Folder {number}"));
                let done = &SimulatedStatus::Done;
                world.add_files(folder, done, 1).unwrap();
                folder
            })
        });
        let folders = folders.collect();
        let front = Arc::<Front>::default();
        let layer = from_fn_with_state(Arc::clone(&front), pass);
        let router = simulator.router().layer(layer);
        let unobserved = Arc::new(crate::portal::Unobserved);
        let story = Story::at(router, unobserved, |config| {
            config.collect.schedule = schedule.clone();
            config.collect.jitter = Duration::ZERO;
            // Far less than a round.
            config.collect.stale_after = Duration::from_secs(1);
            configure(config);
        });
        let publisher = story.publisher.clone();
        story.run(schedule);
        Self {
            simulator,
            folders,
            front,
            publisher,
        }
    }

    fn view(&self) -> Arc<PortalView> {
        view_of(&self.publisher)
    }

    pub fn asked(&self) -> Vec<String> {
        self.front.asked()
    }

    pub fn refuse(&self, part: &impl ToString, status: StatusCode) {
        self.front.refuse(part, status);
    }

    pub fn heal(&self) {
        self.front.heal();
    }

    pub fn up(&self) -> usize {
        counted_in(&self.view())
    }

    /// Waits for a number of seconds, in each of which every folder is counted and the last collection was a success.
    async fn all_is_well_for(&self, time: u64) {
        for _ in 0..time {
            seconds(1).await;
            assert_eq!(self.up(), self.folders.len());
            let view = self.view();
            let counted = view
                .folders
                .values()
                .filter(|folder| folder.counts.is_some());
            assert_eq!(counted.count(), self.folders.len());
            let run = view.collections.last_run.unwrap();
            assert_eq!(run.result, RunResult::Success);
        }
    }
}

pub(super) async fn seconds(seconds: u64) {
    sleep(Duration::from_secs(seconds)).await;
}

fn busy(config: &mut Config) {
    config.collect.max_requests_per_second = Rate(RATE);
    config.collect.quiet_every = Duration::from_secs(2);
}

#[tokio::test(start_paused = true)]
async fn quiet_folders_take_turns_within_the_rate_and_keep_their_counts_meanwhile() {
    let crowd = Crowd::of(FOLDERS, busy);
    seconds(2 * ROUND as u64).await;
    let before = crowd.front.asked().len();
    crowd.all_is_well_for(2 * ROUND as u64).await;
    let asked = crowd.front.asked();
    let sent = asked.len() - before;
    assert!((300..=353).contains(&sent), "{sent} requests in 16 seconds");
    for folder in &crowd.folders {
        let rest = longest_rest(*folder, &asked);
        assert!(rest <= ROUND, "{rest} collections without a read");
    }
}

#[tokio::test(start_paused = true)]
async fn folders_that_are_refused_take_one_request_each_and_leave_the_rate_to_the_others() {
    const TIME: usize = 16;
    let crowd = Crowd::of(18, |config| {
        config.collect.max_requests_per_second = Rate(RATE);
        config.collect.quiet_every = Duration::from_secs(8);
    });
    let (refused, others) = crowd.folders.split_at(3);
    for folder in refused {
        crowd.front.refuse(folder, StatusCode::FORBIDDEN);
    }
    // They wait, so their folders are read in each interval.
    crowd.simulator.with(|world| {
        for folder in others {
            let pending = &SimulatedStatus::Pending;
            world.add_files(*folder, pending, 1).unwrap();
        }
    });
    seconds(10).await;
    let settled = crowd.front.asked().len();
    seconds(TIME as u64).await;
    let asked = crowd.front.asked().split_off(settled);
    for folder in others {
        let reads = count(&asked, folder);
        assert!(reads >= TIME - 2, "{reads} reads in {TIME} collections");
    }
    for folder in refused {
        let reads = count(&asked, folder);
        assert!((1..=8).contains(&reads), "asked {reads} times");
    }
}
