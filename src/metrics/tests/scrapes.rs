//! The stories.

use proptest::prelude::*;

use super::*;
use crate::clock::Moment;
use crate::metrics::tests::portals::{STALE_AFTER, any_portal, failing, portal};

/// Too many for a scrape to wait until they are rendered.
const MANY: u128 = 1_500;

const FAILED: &str = "kb_folder_files{portal=\"main\",folder_id=";

/// Files that failed, by folder, which are the same in every folder of a snapshot.
fn failed(text: &str) -> Vec<u64> {
    let samples = text.lines().filter(|line| line.starts_with(FAILED));
    let samples = samples.filter(|line| line.contains("status=\"failed\""));
    samples.flat_map(|line| values(line, FAILED)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_gzip_form_is_one_member_of_the_plain_text(portal in any_portal()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let story = Story::begin(portal).await;
            let (packed, plain) = both_forms(story.scrape().await);
            assert_eq!(unpacked(&packed), plain);
            let snapshot = story.publisher.current();
            let config = ConfigFacts { reload_successful: true, loaded: Moment::now().wall };
            let once = super::super::render(&story.events, config, &snapshot, Moment::now());
            let once = String::from_utf8(once.unwrap()).unwrap();
            assert_eq!(facts(&once), facts(&plain));
        });
    }
}

fn both_forms(scrape: Scrape) -> (Vec<u8>, String) {
    let packed = scrape.gzip().unwrap().concat();
    let length = scrape.plain_len();
    let plain: Vec<_> = scrape.plain().map(Result::unwrap).collect();
    let plain = plain.concat();
    assert_eq!(plain.len() as u64, length);
    (packed, String::from_utf8(plain).unwrap())
}

/// The families that come from the snapshot.
fn facts(text: &str) -> Vec<&str> {
    let of_a_folder = |line: &&str| line.contains("kb_folder_") || line.contains("kb_error_");
    text.lines().filter(of_a_folder).collect()
}

#[tokio::test(start_paused = true)]
async fn counts_vanish_when_they_are_too_old_although_nothing_is_published() {
    let mut story = Story::begin(failing(portal(3, 7, Moment::now()))).await;
    assert_eq!(failed(&story.shown().await), [7, 7, 7]);
    let began = Moment::now().steady;
    story.go_on();
    // There is nothing else to wait for: the clock goes to when the renderer wakes.
    let text = story.shown_next().await;
    assert!(failed(&text).is_empty());
    assert_eq!(values(&text, "kb_folder_up").count(), 3);
    let late = began.elapsed().checked_sub(STALE_AFTER);
    assert!(
        late.is_some_and(|late| late < Duration::from_secs(1)),
        "{late:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_was_suspended_shows_no_old_counts() {
    let mut story = Story::begin(failing(portal(MANY, 7, Moment::now()))).await;
    story.go_on();
    assert!(!failed(&story.shown().await).is_empty());
    *story.suspended.lock().unwrap() = STALE_AFTER * 2;
    tokio::time::advance(Duration::from_millis(1)).await;
    assert!(failed(&story.shown().await).is_empty());
}

#[tokio::test]
async fn a_scrape_shows_what_was_published_before_it() {
    let mut story = Story::begin(portal(3, 0, Moment::now())).await;
    story.go_on();
    for number in 1..50 {
        story.publisher.publish(portal(3, number, Moment::now()));
        assert_eq!(failed(&story.shown().await), [number; 3]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_scrape_does_not_wait_until_much_is_rendered() {
    let mut story = Story::begin(portal(MANY, 1, Moment::now())).await;
    story.publisher.publish(portal(MANY, 2, Moment::now()));
    assert_eq!(failed(&story.shown().await)[0], 1);
    story.go_on();
    assert_eq!(failed(&story.shown_next().await)[0], 2);
    assert_eq!(failed(&story.shown().await)[0], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scrape_shows_one_snapshot_whole() {
    let mut story = Story::begin(portal(20, 0, Moment::now())).await;
    story.go_on();
    let newest = Arc::<AtomicU64>::default();
    let (publisher, counter) = (story.publisher.clone(), Arc::clone(&newest));
    let publishing = tokio::spawn(async move {
        loop {
            let number = counter.fetch_add(1, Ordering::SeqCst) + 1;
            publisher.publish(portal(20, number, Moment::now()));
            tokio::task::yield_now().await;
        }
    });
    let mut last = 0;
    for _ in 0..100 {
        let failed = failed(&story.shown().await);
        let number = failed[0];
        assert_eq!(failed, [number; 20]);
        assert!((last..=newest.load(Ordering::SeqCst)).contains(&number));
        last = number;
    }
    assert!(last > 0);
    publishing.abort();
}

#[tokio::test]
async fn a_portal_that_is_not_configured_any_more_has_no_series() {
    let mut story = Story::begin(portal(1, 1, Moment::now())).await;
    story.go_on();
    for portal in &story.publisher.current().portals {
        let _ = story.events.of(&portal.name);
    }
    assert!(story.shown().await.contains("kb_collection_runs_total{"));
    story.publisher.use_portals(&[]);
    let text = story.shown().await;
    assert!(!text.contains("portal=\"main\""), "{text}");
}
