//! Who waits for whom, and how long.

use std::num::NonZeroUsize;

use super::*;
use crate::clock::Moment;
use crate::config::{BaseUrl, Config, HiddenPath, KeySource, Portal};

const SECOND: Duration = Duration::from_secs(1);

fn limits(concurrency: usize, rate: Rate) -> Collect {
    let portal = Portal::new(
        PortalName::new("main").unwrap(),
        BaseUrl::parse("https://portal.example").unwrap(),
        KeySource::File(HiddenPath::file("api_key_file", "key")),
    );
    Collect {
        concurrency: NonZeroUsize::new(concurrency).unwrap(),
        max_requests_per_second: rate,
        ..Config::for_portal(portal).collect
    }
}

fn throttle(concurrency: usize, rate: Rate) -> Throttle {
    Throttle::new(PortalName::new("main").unwrap(), &limits(concurrency, rate))
}

async fn admit<'a>(throttle: &'a Throttle, lane: &Lane) -> Admission<'a> {
    throttle.admit(lane, 1).await
}

async fn waits(throttle: &Throttle, lane: &Lane) -> bool {
    let moment = Duration::from_millis(20);
    let waiting = tokio::time::timeout(moment, admit(throttle, lane));
    waiting.await.is_err()
}

const LIMIT: Duration = Duration::from_secs(30);

/// One request that is answered after a time.
async fn ask(throttle: &Throttle, lane: &Lane, took: Duration) {
    let _admission = admit(throttle, lane).await;
    tokio::time::sleep(took).await;
    throttle.answered(lane, Answer::Good, took, LIMIT);
}

/// Asks for the pages of a folder, eight at a time.
async fn read_pages(throttle: &Throttle, lane: &Lane, pages: usize, took: Duration) {
    use futures_util::{StreamExt, stream};
    let pages = stream::iter(0..pages).map(|_| ask(throttle, lane, took));
    pages.buffer_unordered(8).collect::<Vec<_>>().await;
}

#[tokio::test]
async fn no_more_than_the_limit_are_in_flight() {
    let (throttle, lane) = (throttle(1, Rate::Unlimited), Lane::default());
    let first = admit(&throttle, &lane).await;
    assert!(waits(&throttle, &lane).await);
    drop(first);
    assert!(!waits(&throttle, &lane).await);
}

#[tokio::test(start_paused = true)]
async fn folders_that_are_answered_slowly_do_not_block_the_others() {
    let throttle = throttle(2, Rate::Unlimited);
    let (slow, usual) = (Lane::default(), Lane::default());
    ask(&throttle, &slow, 16 * SECOND).await;
    let _hanging = admit(&throttle, &slow).await;
    assert!(waits(&throttle, &slow).await);
    assert!(!waits(&throttle, &usual).await);
}

#[tokio::test(start_paused = true)]
async fn a_slow_folder_has_its_fair_share_beside_others_and_nearly_all_when_alone() {
    let throttle = throttle(8, Rate::Unlimited);
    let (slow, usual) = (Lane::default(), Lane::default());
    ask(&throttle, &slow, 20 * SECOND).await;
    let begun = Moment::now().steady;
    read_pages(&throttle, &slow, 70, 20 * SECOND).await;
    assert_eq!(begun.elapsed(), 200 * SECOND);
    let begun = Moment::now().steady;
    let beside = async {
        read_pages(&throttle, &usual, 8_000, SECOND / 20).await;
        begun.elapsed()
    };
    let (took, ()) = tokio::join!(beside, read_pages(&throttle, &slow, 24, 20 * SECOND));
    // Half of the requests in flight, after those that are there first.
    assert!(took < 140 * SECOND, "{took:?}");
    let slow = begun.elapsed();
    assert!(slow <= 140 * SECOND, "{slow:?}");
}

#[tokio::test(start_paused = true)]
async fn a_folder_that_is_always_limited_lowers_the_rate_once() {
    let throttle = throttle(2, Rate::PerSecond(5.0));
    let (limited, usual) = (Lane::default(), Lane::default());
    let mut lowered = Vec::new();
    for number in 0..100 {
        let (lane, answer) = if number % 4 == 0 {
            (&limited, Answer::Limited)
        } else {
            (&usual, Answer::Good)
        };
        let _admission = admit(&throttle, lane).await;
        throttle.answered(lane, answer, SECOND / 20, LIMIT);
        lowered.push(throttle.with_pace(|pace| pace.lowered()));
    }
    assert_eq!(lowered[0], Some(3.25));
    let rises = |before: &Option<f64>, after: &Option<f64>| after.is_none() || before <= after;
    assert!(lowered.is_sorted_by(rises), "{lowered:?}");
}

#[tokio::test(start_paused = true)]
async fn limits_that_change_hold_at_once() {
    let throttle = throttle(1, Rate::PerSecond(0.001));
    let lane = Lane::default();
    drop(admit(&throttle, &lane).await);
    throttle.configure(&limits(2, Rate::PerSecond(5.0)));
    let begun = Moment::now().steady;
    throttle.with_pace(|pace| *pace = Pace::new(Rate::PerSecond(5.0)));
    let both = [admit(&throttle, &lane).await, admit(&throttle, &lane).await];
    assert_eq!(begun.elapsed(), SECOND / 5);
    throttle.configure(&limits(1, Rate::PerSecond(0.5)));
    drop(both);
    let begun = Moment::now().steady;
    let one = admit(&throttle, &lane).await;
    assert!(waits(&throttle, &lane).await);
    drop(one);
    let _next = admit(&throttle, &lane).await;
    assert!(begun.elapsed() >= 2 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn requests_in_a_row_wait_before_the_first_one_and_keep_the_rate() {
    let throttle = throttle(1, Rate::PerSecond(0.5));
    let begun = Moment::now().steady;
    let row = throttle.admit(&Lane::default(), 2).await;
    assert_eq!(
        begun.elapsed().as_secs(),
        2,
        "the second one may be sent too"
    );
    drop(row);
    admit(&throttle, &Lane::default()).await;
    assert_eq!(begun.elapsed().as_secs(), 4);
}

#[tokio::test(start_paused = true)]
async fn requests_that_are_given_up_while_they_wait_do_not_delay_the_next_one() {
    let throttle = throttle(4, Rate::PerSecond(0.2));
    let lane = Lane::default();
    let begun = Moment::now().steady;
    admit(&throttle, &lane).await;
    for _ in 0..100 {
        assert!(waits(&throttle, &lane).await);
    }
    admit(&throttle, &lane).await;
    assert_eq!(begun.elapsed().as_secs(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_comes_a_millisecond_early_is_sent_at_once_and_moves_no_other() {
    let throttle = throttle(1, Rate::PerSecond(5.0));
    let (lane, begun) = (Lane::default(), Moment::now().steady);
    admit(&throttle, &lane).await;
    for (comes, is_sent) in [(199, 199), (200, 400), (400, 600)] {
        tokio::time::sleep_until(begun + Duration::from_millis(comes)).await;
        admit(&throttle, &lane).await;
        assert_eq!(begun.elapsed(), Duration::from_millis(is_sent));
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_waits_waits_longer_after_429() {
    let throttle = throttle(2, Rate::PerSecond(1.0));
    let lane = Lane::default();
    let begun = Moment::now().steady;
    let first = admit(&throttle, &lane).await;
    let limited = async {
        tokio::time::sleep(SECOND / 2).await;
        throttle.answered(&lane, Answer::Limited, SECOND / 2, LIMIT);
        drop(first);
    };
    tokio::join!(admit(&throttle, &lane), limited);
    // The rate fell half a second after the first request.
    assert_eq!(begun.elapsed().as_millis(), 500 + 1_539);
}

#[tokio::test(start_paused = true)]
async fn requests_say_how_long_they_waited() {
    let throttle = throttle(3, Rate::PerSecond(1.0));
    let lane = Lane::default();
    let (one, two, three) = tokio::join!(
        admit(&throttle, &lane),
        admit(&throttle, &lane),
        admit(&throttle, &lane)
    );
    let waited = [one, two, three].map(|admission| admission.waited);
    assert_eq!(waited, [Duration::ZERO, SECOND, 2 * SECOND]);
}
