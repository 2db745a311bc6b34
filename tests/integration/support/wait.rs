//! Waiting: always for a condition, never for a time.

use std::time::{Duration, Instant};

/// What takes longer than this does not happen any more. Far above what is needed, for machines that are busy.
pub(crate) const DEADLINE: Duration = Duration::from_mins(1);

/// Between two reads the condition.
const PAUSE: Duration = Duration::from_millis(10);

/// Tries until there is a value, and fails at the deadline; `what` says what did not happen.
pub(crate) async fn wait_for<T>(what: &str, mut attempt: impl AsyncFnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(value) = attempt().await {
            return value;
        }
        assert!(
            begun.elapsed() < DEADLINE,
            "not within {DEADLINE:?}: {what}"
        );
        tokio::time::sleep(PAUSE).await;
    }
}
