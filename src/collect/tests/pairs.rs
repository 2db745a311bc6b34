//! Two pages of a folder that are asked for at once and answered otherwise: whatever the two answers are, the read comes to its end, and
//! the other folders are counted.

use std::sync::Mutex;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use tokio::sync::Notify;

use super::*;
use crate::config::Strategy;

/// How a page is answered, each time that it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Page {
    Well,
    Status(u16),
    /// The connection ends in the middle of the answer.
    Dropped,
}

const PAGES: [Page; 7] = [
    Page::Well,
    Page::Status(401),
    Page::Status(403),
    Page::Status(404),
    Page::Status(429),
    Page::Status(503),
    Page::Dropped,
];

/// The two ways to read a folder: `auto` takes one of them.
const STRATEGIES: [Strategy; 2] = [Strategy::Full, Strategy::Sorted];

/// How long a request waits for a parallel one.
const TOGETHER: Duration = Duration::from_millis(300);

/// One retry after half a second at most, for each of a few reads of the folder.
const RETRY_BUDGET: Duration = Duration::from_mins(1);

/// Collections that are tried at once.
const AT_ONCE: usize = 6;

/// Strikes the first two pages of a folder that are asked for at once.
struct Front {
    folder: String,
    pair: [Page; 2],
    struck: Mutex<Vec<String>>,
    together: Notify,
}

impl Front {
    fn with<T>(&self, act: impl FnOnce(&mut Vec<String>) -> T) -> T {
        act(&mut self.struck.lock().unwrap())
    }

    fn is_complete(&self) -> bool {
        self.with(|struck| struck.len() == 2)
    }

    /// How a page of the folder is answered.
    async fn answer(&self, page: &str) -> Page {
        let complete = self.with(|struck| {
            if struck.len() < 2 && !struck.iter().any(|other| other == page) {
                struck.push(page.to_owned());
            }
            struck.len() == 2
        });
        if complete {
            self.together.notify_waiters();
        } else {
            let alone = tokio::time::timeout(TOGETHER, self.together.notified()).await;
            if alone.is_err() && !self.is_complete() {
                self.with(Vec::clear);
                return Page::Well;
            }
        }
        let at = self.with(|struck| struck.iter().position(|other| other == page));
        at.map_or(Page::Well, |at| self.pair[at])
    }
}

async fn pass(State(front): State<Arc<Front>>, request: Request, next: Next) -> Response {
    let target = request.uri().to_string();
    if !target.contains(&front.folder) {
        return next.run(request).await;
    }
    match front.answer(&target).await {
        Page::Well => next.run(request).await,
        Page::Status(status) => StatusCode::from_u16(status).unwrap().into_response(),
        Page::Dropped => {
            let broken = std::io::Error::other("dropped");
            let parts = [Ok(Bytes::from_static(b"{\"data\":[")), Err(broken)];
            Body::from_stream(stream::iter(parts)).into_response()
        }
    }
}

/// Collects once, and fails if that does not end in time, or not as it should.
async fn collect(strategy: Strategy, pair: [Page; 2]) {
    let simulator = Simulator::empty(Options {
        speed: 0.0,
        ..Options::default()
    });
    let struck = simulator.with(|world| {
        let struck = world.add_folder("Struck");
        for status in SimulatedStatus::KNOWN {
            world.add_files(struck, &status, 60).unwrap();
        }
        for number in 0..4 {
            let beside = world.add_folder(&format!("Beside {number}"));
            world
                .add_files(beside, &SimulatedStatus::Done, 101)
                .unwrap();
        }
        struck
    });
    let front = Arc::new(Front {
        folder: format!("{struck}/files"),
        pair,
        struck: Mutex::default(),
        together: Notify::new(),
    });
    let router: Router = simulator
        .router()
        .layer(from_fn_with_state(Arc::clone(&front), pass));
    let mut story = Story::at(router, Arc::new(crate::portal::Unobserved), |config| {
        config.collect.strategy = strategy;
        config.collect.concurrency = std::num::NonZeroUsize::new(4).unwrap();
        config.request.retries = 1;
    });
    let ended = tokio::time::timeout(RETRY_BUDGET, story.collector.once()).await;
    let case = format!("{strategy:?}, {pair:?}");
    assert!(ended.is_ok(), "{case}: not within {RETRY_BUDGET:?}");
    assert!(
        front.is_complete(),
        "{case}: no two pages were asked for at once"
    );
    let view = story.view();
    for folder in view.folders.values() {
        let beside = folder.name.label().starts_with("Beside");
        let counted = folder.state == FolderState::Counted;
        let well = pair.iter().all(|page| *page == Page::Well);
        assert!(counted || !(beside || well), "{case}: {folder:?}");
        assert_ne!(folder.state, FolderState::Unseen, "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn every_pair_of_answers_on_two_pages_at_once_comes_to_an_end_and_holds_up_no_other_folder() {
    let pairs = PAGES.map(|first| PAGES.map(|second| [first, second]));
    let cases = STRATEGIES.iter().flat_map(|strategy| {
        let pairs = pairs.as_flattened().iter();
        pairs.map(move |pair| (*strategy, *pair))
    });
    let mut collections = stream::iter(cases)
        .map(|(strategy, pair)| tokio::spawn(collect(strategy, pair)))
        .buffer_unordered(AT_ONCE);
    while let Some(collected) = collections.next().await {
        collected.unwrap();
    }
}
