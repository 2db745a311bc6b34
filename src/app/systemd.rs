//! Messages to systemd: ready, reloading, stopping, signs of life (docs/installation.md, systemd).
//!
//! Without `NOTIFY_SOCKET` in the environment, nothing is sent.

use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use sd_notify::NotifyState;
use tokio::time::{MissedTickBehavior, interval};
use tracing::{error, warn};

use crate::http::site::Liveness;

/// Signs of life in the time of the watchdog, so that one that is late or left out does not end the process.
const SIGNS: u32 = 4;

/// The configuration is in use, and the process listens.
pub(super) fn ready(addresses: &[SocketAddr]) {
    let addresses: Vec<_> = addresses.iter().map(ToString::to_string).collect();
    let status = format!("listens on {}", addresses.join(", "));
    send(&[NotifyState::Ready, NotifyState::Status(&status)]);
}

/// The configuration is read again. [`reloaded`] must follow.
pub(super) fn reloading() {
    let now = NotifyState::monotonic_usec_now();
    log(now.and_then(|now| sd_notify::notify(&[NotifyState::Reloading, now])));
}

/// The process works again as before the reload, with the new configuration or the old one.
pub(super) fn reloaded(result: &Result<(), String>) {
    let status = match result {
        Ok(()) => "uses the configuration that was read again".to_owned(),
        Err(failed) => format!("uses the old configuration, since the new one is wrong: {failed}"),
    };
    // A line end would begin another field of the message.
    let status = status.replace('\n', " ");
    send(&[NotifyState::Ready, NotifyState::Status(&status)]);
}

pub(super) fn stopping() {
    send(&[NotifyState::Stopping]);
}

/// Sends signs of life while the process is live, if systemd expects them. Never returns.
pub(super) async fn send_signs_of_life(liveness: Liveness) {
    match sd_notify::watchdog_enabled() {
        Some(time) if !time.is_zero() => {
            while_live(time, liveness, || send(&[NotifyState::Watchdog])).await;
        }
        _ => pending().await,
    }
}

/// Acts [`SIGNS`] times in `time`, each time that the process is live.
async fn while_live(time: Duration, liveness: Liveness, act: impl Fn()) {
    let mut interval = interval(time / SIGNS);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        interval.tick().await;
        match liveness() {
            Ok(()) => act(),
            Err(reason) => error!(reason, "not live: no watchdog message is sent to systemd"),
        }
    }
}

fn send(message: &[NotifyState<'_>]) {
    log(sd_notify::notify(message));
}

fn log(sent: io::Result<()>) {
    if let Err(error) = sent {
        warn!(%error, "a message to systemd cannot be sent");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
    use tokio::time::sleep;

    const MINUTE: Duration = Duration::from_mins(1);

    #[tokio::test(start_paused = true)]
    async fn signs_of_life_are_sent_only_while_the_process_is_live() {
        let live = Arc::new(AtomicBool::new(true));
        let signs = AtomicU32::new(0);
        let is_live = Arc::clone(&live);
        let liveness: Liveness = Arc::new(move || {
            let stuck = "the schedule stands still".to_owned();
            is_live.load(Ordering::Relaxed).then_some(()).ok_or(stuck)
        });
        let story = async {
            // Just before the first sign of each next minute.
            let mut counts = Vec::new();
            for next in [false, true, true] {
                sleep(Duration::from_millis(59_999)).await;
                counts.push(signs.swap(0, Ordering::Relaxed));
                live.store(next, Ordering::Relaxed);
                sleep(Duration::from_millis(1)).await;
            }
            counts
        };
        let counts = tokio::select! {
            counts = story => counts,
            () = while_live(MINUTE, liveness, || { signs.fetch_add(1, Ordering::Relaxed); }) => Vec::new(),
        };
        assert_eq!(counts, [4, 0, 4]);
    }
}
