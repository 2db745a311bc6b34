//! Signals that end the process: the first drains, a later one ends it at once.

use std::io;
use std::process;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::clock::Moment;

/// Signals within this time of the first one belong to it: `timeout` signals a process and then its group, and so do terminals and shells.
const SAME: Duration = Duration::from_secs(1);

/// The exit code of a process that a signal ended, as shells have it, is this and the signal's number.
const SIGNALLED: i32 = 128;

/// From here on SIGTERM and SIGINT no longer end the process by themselves: the first cancels the token that is returned, a second ends
/// the process at once with a code that is not 0.
///
/// Must be called within the runtime. Fails when the system refuses to register the handlers.
pub fn on_signals() -> io::Result<CancellationToken> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut next = async move || {
        tokio::select! {
            _ = terminate.recv() => ("SIGTERM", SignalKind::terminate()),
            _ = interrupt.recv() => ("SIGINT", SignalKind::interrupt()),
        }
    };
    let token = CancellationToken::new();
    let cancel = token.clone();
    tokio::spawn(async move {
        let (signal, _) = next().await;
        tracing::info!(
            signal,
            "stopping; a signal after more than a second exits at once"
        );
        cancel.cancel();
        let begun = Moment::now();
        let mut second = next().await;
        while Moment::now().elapsed_since(begun) < SAME {
            second = next().await;
        }
        let (signal, kind) = second;
        tracing::warn!(signal, "exiting before all work is finished");
        process::exit(SIGNALLED + kind.as_raw_value());
    });
    Ok(token)
}
