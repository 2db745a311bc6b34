//! What a scrape is answered with.

pub(super) mod portals;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _};
use proptest::prelude::*;

use super::*;
use crate::snapshot::{PortalView, Publisher};
use portals::{STALE_AFTER, any_portal, failing, portal};

const FAILED: &str = "kb_folder_files{portal=\"main\",folder_id=";

/// A process that shows one portal.
struct Story {
    publisher: Publisher,
    events: Events,
}

const LOADED: ConfigFacts = ConfigFacts {
    reload_successful: true,
    loaded: crate::model::Timestamp::from_millis(0),
};

impl Story {
    fn of(portal: PortalView) -> Self {
        let publisher = portals::publisher(&portal);
        publisher.publish(portal);
        Self {
            publisher,
            events: Events::new().unwrap(),
        }
    }

    /// What a scrape says.
    async fn shown(&self, now: Moment) -> String {
        let snapshot = self.publisher.current();
        let pieces = scrape(&snapshot, &self.events, LOADED, now).unwrap();
        let pieces: io::Result<Vec<Bytes>> = pieces.try_collect().await;
        String::from_utf8(pieces.unwrap().concat()).unwrap()
    }
}

/// Files that failed, by folder.
fn failed(text: &str) -> Vec<u64> {
    let samples = text.lines().filter(|line| line.starts_with(FAILED));
    let samples = samples.filter(|line| line.contains("status=\"failed\""));
    samples
        .map(|line| line.rsplit_once(' ').unwrap().1.parse().unwrap())
        .collect()
}

/// The families that come from the snapshot.
fn facts(text: &str) -> Vec<&str> {
    let of_a_folder = |line: &&str| line.contains("kb_folder_") || line.contains("kb_error_");
    text.lines().filter(of_a_folder).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_pieces_of_a_scrape_are_the_text_that_is_written_once(portal in any_portal()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let story = Story::of(portal);
        let now = Moment::now();
        let once = render(&story.events, LOADED, &story.publisher.current(), now);
        let once = String::from_utf8(once.unwrap()).unwrap();
        runtime.block_on(async {
            assert_eq!(facts(&once), facts(&story.shown(now).await));
        });
    }
}

#[tokio::test]
async fn counts_vanish_when_they_are_too_old_although_nothing_is_published() {
    let now = Moment::now();
    let story = Story::of(failing(portal(3, 7, now)));
    let after = |passed| Moment {
        steady: now.steady + passed,
        ..now
    };
    assert_eq!(failed(&story.shown(after(STALE_AFTER)).await), [7, 7, 7]);
    let late = story
        .shown(after(STALE_AFTER + Duration::from_millis(1)))
        .await;
    assert!(failed(&late).is_empty());
    assert_eq!(late.matches("\nkb_folder_up{").count(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scrape_shows_one_snapshot_whole_and_the_newest() {
    let story = Story::of(portal(20, 0, Moment::now()));
    let newest = Arc::<AtomicU64>::default();
    let (publisher, counter) = (story.publisher.clone(), Arc::clone(&newest));
    let publishing = tokio::spawn(async move {
        loop {
            let number = counter.load(Ordering::SeqCst) + 1;
            publisher.publish(portal(20, number, Moment::now()));
            counter.store(number, Ordering::SeqCst);
            tokio::task::yield_now().await;
        }
    });
    for _ in 0..100 {
        let known = newest.load(Ordering::SeqCst);
        let failed = failed(&story.shown(Moment::now()).await);
        assert_eq!(failed, [failed[0]; 20]);
        assert!(failed[0] >= known);
    }
    publishing.abort();
}

#[tokio::test]
async fn a_portal_that_is_not_configured_any_more_has_no_series() {
    let story = Story::of(portal(1, 1, Moment::now()));
    for portal in &story.publisher.current().portals {
        let _ = story.events.of(&portal.name);
    }
    let text = story.shown(Moment::now()).await;
    assert!(text.contains("kb_collection_runs_total{"));
    story.publisher.use_portals(&[]);
    let text = story.shown(Moment::now()).await;
    assert!(!text.contains("portal=\"main\""), "{text}");
}

#[tokio::test]
async fn whoever_reads_no_further_ends_the_writing() {
    let story = Story::of(portal(5_000, 1, Moment::now()));
    let snapshot = story.publisher.current();
    let scrape = scrape(&snapshot, &story.events, LOADED, Moment::now());
    let mut pieces = Box::pin(scrape.unwrap());
    pieces.next().await.unwrap().unwrap();
    assert!(Arc::strong_count(&snapshot) > 2, "it is being written");
    drop(pieces);
    while Arc::strong_count(&snapshot) > 2 {
        tokio::task::yield_now().await;
    }
}
