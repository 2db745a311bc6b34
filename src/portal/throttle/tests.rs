//! Who waits for whom, and how long.

use std::num::NonZeroUsize;

use futures_util::{FutureExt, StreamExt, stream};
use tokio::time::{sleep, sleep_until};

use super::*;
use crate::config::{self, Config, Rate};
use crate::portal::lane::Demand;

const SECOND: Duration = Duration::from_secs(1);

fn portal(address: &str) -> Portal {
    config::testing::portal("main", address, "key")
}

/// The throttle of a portal, with limits that hold from now on.
fn limited(throttles: &Throttles, concurrency: usize, rate: f64) -> Arc<Throttle> {
    let portal = portal("https://portal.example");
    let collect = Collect {
        concurrency: NonZeroUsize::new(concurrency).unwrap(),
        max_requests_per_second: Rate(rate),
        ..Config::for_portal(portal.clone()).collect
    };
    throttles.of(&portal, &collect)
}

fn throttle(concurrency: usize, rate: f64) -> Arc<Throttle> {
    limited(&Throttles::default(), concurrency, rate)
}

/// Asks so often, eight at a time; each answer takes so long.
async fn ask(throttle: &Throttle, lane: &Lane, times: usize, took: Duration) {
    let requests = stream::iter(0..times).map(async |_| {
        let _admission = throttle.admit(lane, 1).await;
        sleep(took).await;
        lane.answered(took, 30 * SECOND);
    });
    requests.buffer_unordered(8).collect::<Vec<_>>().await;
}

#[test]
fn a_throttle_belongs_to_an_address() {
    let throttles = Throttles::default();
    let first = limited(&throttles, 2, 5.0);
    for (address, is_same) in [
        ("https://portal.example:443/", true),
        ("https://portal.example/other", false),
    ] {
        let portal = portal(address);
        let collect = Config::for_portal(portal.clone()).collect;
        let other = throttles.of(&portal, &collect);
        assert_eq!(Arc::ptr_eq(&first, &other), is_same, "{address}");
    }
}

#[tokio::test(start_paused = true)]
async fn slow_folders_leave_a_request_to_the_others_and_have_the_rest() {
    let throttle = throttle(8, 1e6);
    let lane = |is_large, is_slow| Lane::new(is_large, is_slow, &Arc::default());
    let slow = lane(false, true);
    let begun = Moment::now().steady;
    ask(&throttle, &slow, 70, 20 * SECOND).await;
    assert_eq!(begun.elapsed(), 200 * SECOND);
    for is_large in [false, true] {
        let (other, begun) = (lane(is_large, false), Moment::now().steady);
        let beside = async {
            ask(&throttle, &other, 1_000, SECOND / 20).await;
            begun.elapsed()
        };
        let (took, ()) = tokio::join!(beside, ask(&throttle, &slow, 70, 20 * SECOND));
        assert!(took <= 51 * SECOND, "{is_large}: {took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_waits_to_be_repeated_is_not_in_flight() {
    let throttle = throttle(2, 1e6);
    let resting = Lane::default();
    let rest = resting.rest(60 * SECOND, &"status 503");
    let others = async {
        let both = [Lane::default(), Lane::default()];
        let both = both
            .each_ref()
            .map(|lane| throttle.admit(lane, 1).now_or_never());
        assert!(both.iter().all(Option::is_some));
        assert_eq!(resting.demand(), Demand::Nothing);
    };
    tokio::join!(rest, others);
}

#[tokio::test(start_paused = true)]
async fn limits_that_change_hold_at_once_for_requests_that_wait_too() {
    let throttles = Throttles::default();
    let throttle = limited(&throttles, 1, 0.001);
    let (lane, begun) = (Lane::default(), Moment::now().steady);
    throttle.admit(&lane, 1).await;
    let faster = async {
        sleep(SECOND).await;
        limited(&throttles, 2, 0.5);
    };
    let (first, ()) = tokio::join!(throttle.admit(&lane, 1), faster);
    assert_eq!(begun.elapsed(), 2 * SECOND);
    let second = throttle.admit(&lane, 1).await;
    assert_eq!(begun.elapsed(), 4 * SECOND);
    limited(&throttles, 1, 0.2);
    drop(first);
    assert!(throttle.admit(&lane, 1).now_or_never().is_none());
    drop(second);
    throttle.admit(&lane, 1).await;
    assert_eq!(begun.elapsed(), 9 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn requests_in_a_row_wait_before_the_first_one_and_keep_the_rate() {
    let throttle = throttle(1, 0.5);
    let begun = Moment::now().steady;
    for (requests, seconds) in [(2, 2), (1, 4), (1, 6)] {
        throttle.admit(&Lane::default(), requests).await;
        assert_eq!(begun.elapsed().as_secs(), seconds);
    }
}

#[tokio::test(start_paused = true)]
async fn requests_that_are_given_up_while_they_wait_do_not_delay_the_next_one() {
    let throttle = throttle(4, 0.2);
    let (lane, begun) = (Lane::default(), Moment::now().steady);
    throttle.admit(&lane, 1).await;
    for _ in 0..100 {
        let given_up = tokio::time::timeout(SECOND / 50, throttle.admit(&lane, 1));
        assert!(given_up.await.is_err());
    }
    throttle.admit(&lane, 1).await;
    assert_eq!(begun.elapsed().as_secs(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_comes_a_millisecond_early_is_sent_at_once_and_moves_no_other() {
    let throttle = throttle(1, 5.0);
    let (lane, begun) = (Lane::default(), Moment::now().steady);
    throttle.admit(&lane, 1).await;
    for (comes, is_sent) in [(199, 199), (200, 400), (400, 600)] {
        sleep_until(begun + Duration::from_millis(comes)).await;
        throttle.admit(&lane, 1).await;
        assert_eq!(begun.elapsed(), Duration::from_millis(is_sent));
    }
}

#[tokio::test(start_paused = true)]
async fn requests_say_how_long_the_rate_held_them_back_which_may_fall_meanwhile() {
    let throttle = throttle(3, 1.0);
    let lane = Lane::default();
    throttle.admit(&lane, 1).await;
    let waits = || async { throttle.admit(&lane, 1).await.waited };
    let limited = async {
        for _ in 0..2 {
            throttle.limited();
        }
    };
    let (one, (), two) = tokio::join!(waits(), limited, waits());
    // The rate fell by a third.
    for waited in [one, two] {
        assert!(waited.abs_diff(3 * SECOND / 2) < SECOND / 100, "{waited:?}");
    }
}
