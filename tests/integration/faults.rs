//! Whatever a portal, the network or the key does: the promises hold (contract, Promises).
//!
//! [`table`] has the faults and what is expected of each. A [`trial`] has one of them at a portal of its own, and [`matrix`] tries many in
//! one process. [`stories`] are those that do not fit into a table, or that strike the process as a whole. The [`oracle`] holds what is
//! published against the portal's own journal.

mod matrix;
pub(crate) mod oracle;
mod stories;
pub(crate) mod table;
mod trial;
pub(crate) mod witness;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_fault_that_makes_somebody_wait_breaks_a_promise() {
    matrix::run(table::waiting(), "1s").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_that_fails_breaks_a_promise() {
    matrix::run(table::failures(), "30s").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_wrong_answer_breaks_a_promise() {
    matrix::run(table::contents(), "30s").await;
}
