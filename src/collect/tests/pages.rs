//! Pages of files that hide some: a list that ends at a limit, as that of a search engine does.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use serde_json::Value;

use super::*;
use crate::snapshot::{FolderView, Unreadable};

/// A portal with one folder, whose pages are changed.
fn portal(done: usize, change: impl Fn(u64, &mut Value) + Clone + Send + Sync + 'static) -> Router {
    let simulator = Simulator::empty(Options::default());
    simulator.with(|world| {
        let folder = world.add_folder("Inbox");
        for (status, files) in [(SimulatedStatus::Done, done), (SimulatedStatus::Failed, 30)] {
            world.add_files(folder, &status, files).unwrap();
        }
    });
    changed(simulator.router(), change)
}

/// A portal whose pages of files are changed: `change` gets the number of the page as well.
pub(super) fn changed(
    router: Router,
    change: impl Fn(u64, &mut Value) + Clone + Send + Sync + 'static,
) -> Router {
    let changed = move |request: Request, next: Next| {
        let change = change.clone();
        async move {
            let is_list = request.uri().path().ends_with("/files");
            let response = next.run(request).await;
            if !is_list {
                return response;
            }
            let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
            let mut page: Value = serde_json::from_slice(&body).unwrap();
            change(page["pagination"]["page"].as_u64().unwrap(), &mut page);
            Response::new(Body::from(page.to_string()))
        }
    };
    router.layer(from_fn(changed))
}

/// The folder after a number of collections, one a minute.
async fn collected(router: Router, times: u32) -> Arc<FolderView> {
    let minute = Duration::from_mins(1);
    let story = Story::at(router, Arc::new(crate::portal::Unobserved), |config| {
        config.collect.jitter = Duration::ZERO;
    });
    let publisher = story.publisher.clone();
    story.run(Schedule::Every(minute));
    sleep(minute * times).await;
    let view = view_of(&publisher);
    Arc::clone(view.folders.values().next().unwrap())
}

const LIMIT: u64 = 500;

/// The total ends at the limit, and so do the rows.
fn capped() -> Router {
    portal(675, |number, page| {
        let total = &mut page["pagination"]["total"];
        *total = total.as_u64().unwrap().min(LIMIT).into();
        if number * 100 > LIMIT {
            page["data"] = Value::Array(Vec::new());
        }
    })
}

#[tokio::test(start_paused = true)]
async fn files_beyond_the_total_are_said_once_the_list_of_folders_contradicts_it() {
    for times in [4, 7] {
        let folder = collected(capped(), times).await;
        let counts = folder.counts.as_ref().unwrap();
        assert_eq!(counts.files.total(), LIMIT);
        assert!(!counts.look.consistent, "the total is another one");
        assert_eq!(
            folder.counts.as_ref().unwrap().look.missing_files,
            705 - LIMIT
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_folder_whose_pages_end_before_its_total_is_not_counted_which_is_said() {
    let router = portal(675, |number, page| {
        if number * 100 > LIMIT {
            page["data"] = Value::Array(Vec::new());
        }
    });
    let folder = collected(router, 2).await;
    let FolderState::Unavailable(Unreadable { message, .. }) = &folder.state else {
        panic!("{:?}", folder.state);
    };
    let says = "reports 705 files in the folder: a list that ends early is not counted";
    assert!(message.ends_with(says), "{message}");
}
