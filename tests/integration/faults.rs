//! Whatever a portal, the network or the key does: the promises hold (contract, Promises).
//!
//! [`table`] has the faults and what is expected of each, [`trial`] tries one of them against the real program, [`stories`] are those
//! that do not fit into a table. The [`oracle`] holds what is published against the portal's own journal.

pub(crate) mod ailing;
pub(crate) mod oracle;
mod stories;
mod table;
mod trial;
pub(crate) mod witness;

use std::panic::AssertUnwindSafe;
use std::time::Instant;

use futures_util::{FutureExt, StreamExt, stream};

/// Rows that are tried at once.
const AT_ONCE: usize = 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_fault_breaks_a_promise() {
    let rows = table::rows();
    let (begun, number) = (Instant::now(), rows.len());
    let decoy = trial::decoy().await;
    let results: Vec<_> = stream::iter(rows)
        .map(|row| {
            let name = row.name();
            let trial = AssertUnwindSafe(trial::run(row, decoy.address()));
            async move { (name, trial.catch_unwind().await) }
        })
        .buffer_unordered(AT_ONCE)
        .collect()
        .await;
    let broken: Vec<_> = results
        .iter()
        .filter(|(_, result)| result.is_err())
        .map(|(name, _)| name)
        .collect();
    let tried = results
        .iter()
        .filter_map(|(_, result)| result.as_ref().ok());
    let peak = tried.clone().map(|tried| tried.peak_mib).max();
    let recovery = tried.map(|tried| tried.recovery).max();
    println!(
        "{number} faults in {:?}, peak memory {peak:?} MiB, longest recovery {recovery:?}",
        begun.elapsed()
    );
    assert!(
        broken.is_empty(),
        "{} rows broke: {broken:#?}",
        broken.len()
    );
    assert_eq!(decoy.requests(), [""; 0], "a redirect was followed");
}
