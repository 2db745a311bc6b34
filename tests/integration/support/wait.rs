//! Waiting: always for a condition, never for a time.

use std::time::{Duration, Instant};

/// What takes longer than this does not happen any more. Far above what is needed, for machines that are busy.
pub(crate) const DEADLINE: Duration = Duration::from_mins(3);

/// Between two looks at a condition: at first, and after a while, when looking would keep the machine busy with nothing else.
const PAUSES: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(100)];

/// Tries until there is a value, and fails at the deadline; `what` says what did not happen.
pub(crate) async fn wait_for<T>(what: &str, attempt: impl AsyncFnMut() -> Option<T>) -> T {
    wait(what, PAUSES, attempt).await
}

/// Waits until something is so.
pub(crate) async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    wait_for(what, async || is_so().await.then_some(())).await;
}

/// The same for a moment that passes: it looks as often at the end as at the beginning.
pub(crate) async fn watch_for<T>(what: &str, attempt: impl AsyncFnMut() -> Option<T>) -> T {
    wait(what, [PAUSES[0]; 2], attempt).await
}

async fn wait<T>(
    what: &str,
    [mut pause, longest]: [Duration; 2],
    mut attempt: impl AsyncFnMut() -> Option<T>,
) -> T {
    let begun = Instant::now();
    loop {
        if let Some(value) = attempt().await {
            return value;
        }
        assert!(
            begun.elapsed() < DEADLINE,
            "not within {DEADLINE:?}: {what}"
        );
        tokio::time::sleep(pause).await;
        pause = longest.min(pause * 2);
    }
}
