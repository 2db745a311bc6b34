//! A portal whose file list ends at a limit, as that of a search engine does, though the list of folders knows better.

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use serde_json::Value;

use super::*;
use crate::model::Status;
use crate::snapshot::FolderView;

const LIMIT: u64 = 500;

/// What the portal does with rows beyond the limit: it counts none of them.
#[derive(Clone, Copy)]
enum Rows {
    Listed,
    Left,
}

async fn cap(State(rows): State<Rows>, request: Request, next: Next) -> Response {
    let is_list = request.uri().path().ends_with("/files");
    let response = next.run(request).await;
    if !is_list {
        return response;
    }
    let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    let mut page: Value = serde_json::from_slice(&body).unwrap();
    let pagination = &mut page["pagination"];
    let total = pagination["total"].as_u64().unwrap();
    let number = pagination["page"].as_u64().unwrap();
    pagination["total"] = total.min(LIMIT).into();
    if let (Rows::Left, true) = (rows, number * 100 > LIMIT) {
        page["data"] = Value::Array(Vec::new());
    }
    Response::new(Body::from(page.to_string()))
}

/// The folder after a number of collections, of 705 files of which 30 failed.
async fn collected(rows: Rows, times: usize) -> Arc<FolderView> {
    let simulator = Simulator::empty(Options::default());
    simulator.with(|world| {
        let folder = world.add_folder("Inbox");
        for (status, files) in [(SimulatedStatus::Done, 675), (SimulatedStatus::Failed, 30)] {
            world.add_files(folder, &status, files).unwrap();
        }
    });
    let router = simulator.router().layer(from_fn_with_state(rows, cap));
    let mut story = Story::at(router, Arc::new(crate::portal::Unobserved), |_| {});
    for _ in 0..times {
        story.collector.once().await;
    }
    let view = story.view();
    Arc::clone(view.folders.values().next().unwrap())
}

#[tokio::test(start_paused = true)]
async fn files_beyond_the_total_are_counted_once_the_list_of_folders_contradicts_it() {
    let folder = collected(Rows::Listed, 4).await;
    let counts = folder.counts.as_ref().unwrap();
    assert_eq!(counts.files.total(), 705);
    assert_eq!(counts.files[Status::Failed], 30);
    assert!(!counts.consistent, "the total is another one");
    let again = collected(Rows::Listed, 7).await;
    assert_eq!(again.counts.as_ref().unwrap().files.total(), 705);
}

#[tokio::test(start_paused = true)]
async fn files_that_cannot_be_found_take_the_mark_and_are_said() {
    for times in [4, 7] {
        let folder = collected(Rows::Left, times).await;
        let counts = folder.counts.as_ref().unwrap();
        assert_eq!((counts.files.total(), counts.consistent), (LIMIT, false));
        assert_eq!(folder.missing_files, 705 - LIMIT);
    }
}
