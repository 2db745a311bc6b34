//! Accepts a connection although the system may fail to.

use std::io;
use std::time::Duration;

use tokio::time::sleep;

/// How long to wait when the system can open no further connection, for example without free file descriptors.
const PAUSE: Duration = Duration::from_secs(1);

/// Tries until it succeeds; waits if trying again at once would fail again.
pub(super) async fn accept<T, F>(mut attempt: impl FnMut() -> F) -> T
where
    F: Future<Output = io::Result<T>>,
{
    loop {
        match attempt().await {
            Ok(connection) => return connection,
            Err(error) if is_of_the_connection(&error) => {
                tracing::debug!(%error, "a connection was closed before it was accepted");
            }
            Err(error) => {
                tracing::warn!(%error, "no connection can be accepted; trying again in {PAUSE:?}");
                sleep(PAUSE).await;
            }
        }
    }
}

/// Whether only the one connection is lost, and the next may be taken at once.
fn is_of_the_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Moment;
    use std::future::ready;

    #[tokio::test]
    async fn errors_of_accept_are_survived_without_haste() {
        let full = || io::Error::other("too many open files");
        let gone = || io::ErrorKind::ConnectionAborted.into();
        let mut answers = vec![Ok("connection"), Err(full())];
        answers.extend((0..10).map(|_| Err(gone())));
        let start = Moment::now().steady;
        assert_eq!(accept(|| ready(answers.pop().unwrap())).await, "connection");
        assert!(start.elapsed() >= PAUSE, "no haste after the one");
        assert!(start.elapsed() < 10 * PAUSE, "no pause after the others");
    }
}
