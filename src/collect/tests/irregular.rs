//! Collections that lie far or unevenly apart, in paused time.

use axum::http::StatusCode;
use axum::response::IntoResponse;

use super::*;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;

/// A portal in which nothing changes, which is collected on a schedule.
struct Still {
    simulator: Simulator,
    folders: Vec<Uuid>,
    refuses_list: Arc<AtomicBool>,
    publisher: Publisher,
}

impl Still {
    fn on(schedule: Schedule) -> Self {
        let (simulator, folders) = portal(["A", "B", "C"].map(|name| (name, &[][..])));
        let refuses_list = Arc::<AtomicBool>::default();
        let refuses = Arc::clone(&refuses_list);
        let answer = move |request: Request, next: Next| {
            let is_list = request.uri().path().ends_with("/mine");
            let is_refused = is_list && refuses.load(Ordering::Relaxed);
            async move {
                // The simulator notes what it refuses, too.
                let response = next.run(request).await;
                if is_refused {
                    StatusCode::INTERNAL_SERVER_ERROR.into_response()
                } else {
                    response
                }
            }
        };
        let router = simulator.router().layer(from_fn(answer));
        let story = Story::at(router, |config| config.request.retries = 0);
        let publisher = story.publisher.clone();
        story.run(schedule);
        Self {
            simulator,
            folders,
            refuses_list,
            publisher,
        }
    }

    /// Every path that was asked for, in order.
    fn asked(&self) -> Vec<String> {
        let paths = |world: &mut kb_simulator::World| {
            let requests = world.requests();
            requests.map(|request| request.path.clone()).collect()
        };
        self.simulator.with(paths)
    }

    fn lists(&self) -> usize {
        let asked = self.asked().into_iter();
        asked.filter(|path| path.ends_with("/mine")).count()
    }

    /// Fails where a folder was not read in each collection.
    fn was_read_each_time(&self) {
        let asked = self.asked();
        let collections = asked.split(|path| path.ends_with("/mine")).skip(1);
        for reads in collections {
            for folder in &self.folders {
                let id = folder.to_string();
                assert!(reads.iter().any(|path| path.contains(&id)), "{asked:?}");
            }
        }
    }
}

async fn seconds(seconds: u64) {
    sleep(Duration::from_secs(seconds)).await;
}

/// Collects at these hours from this one on, and once at the start.
fn at_hours(hours: &[i64]) -> Still {
    let this_hour = Moment::now().wall.as_millis() / 3_600_000;
    let hours = hours.iter().map(|hour| (this_hour + hour) % 24);
    let hours: Vec<_> = hours.map(|hour| hour.to_string()).collect();
    let line = format!("0 {} * * *", hours.join(","));
    Still::on(Schedule::parse(&line).unwrap())
}

#[tokio::test(start_paused = true)]
async fn every_collection_reads_every_folder_however_far_away_the_next_one_is() {
    for (hours, collections) in [(vec![2, 3, 4], 7), (vec![12], 2)] {
        let still = at_hours(&hours);
        seconds(29 * HOUR - MINUTE).await;
        assert_eq!(still.lists(), collections, "{hours:?}");
        still.was_read_each_time();
    }
    let as_rare_as_reads = Still::on(Schedule::Every(Duration::from_mins(10)));
    seconds(3 * HOUR).await;
    as_rare_as_reads.was_read_each_time();
}

#[tokio::test(start_paused = true)]
async fn a_list_that_failed_is_asked_again_after_a_minute_then_two_and_four() {
    let still = Still::on(Schedule::Every(Duration::from_hours(1)));
    still.refuses_list.store(true, Ordering::Relaxed);
    let mut passed = 0;
    for (minute, asked) in [(1, 1), (3, 2), (7, 3), (15, 4), (31, 5)] {
        seconds(minute * MINUTE - 30 - passed).await;
        assert_eq!(still.lists(), asked, "before {minute}");
        passed = minute * MINUTE + 10;
        seconds(40).await;
        assert_eq!(still.lists(), asked + 1, "at {minute}");
    }
    still.refuses_list.store(false, Ordering::Relaxed);
    seconds(2 * HOUR - passed + 10).await;
    assert_eq!(counted_in(&view_of(&still.publisher)), 3);
    assert_eq!(still.lists(), 8, "by the hour alone");
    still.refuses_list.store(true, Ordering::Relaxed);
    seconds(HOUR + MINUTE + 10).await;
    assert_eq!(still.lists(), 10, "after a minute again");
}
