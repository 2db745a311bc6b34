//! Messages to systemd: ready, reloading, stopping, signs of life (docs/installation.md, systemd).
//!
//! Without `NOTIFY_SOCKET` in the environment, nothing is sent.

use std::future::pending;

use sd_notify::NotifyState;
use tokio::time::{MissedTickBehavior, interval};
use tracing::{error, warn};

use crate::http::site::Liveness;

/// Signs of life in the time of the watchdog, so that one that is late or left out does not end the process.
const SIGNS: u32 = 4;

/// The configuration is in use, and the process listens.
pub(super) fn ready(status: &str) {
    // A line end would begin another field of the message.
    let status = status.replace('\n', " ");
    send(&[NotifyState::Ready, NotifyState::Status(&status)]);
}

/// The configuration is read again. [`ready`] must follow.
pub(super) fn reloading() {
    if let Ok(now) = NotifyState::monotonic_usec_now() {
        send(&[NotifyState::Reloading, now]);
    }
}

pub(super) fn stopping() {
    send(&[NotifyState::Stopping]);
}

/// Sends signs of life while the process is live, if systemd expects them. Never returns.
pub(super) async fn send_signs_of_life(liveness: Liveness) {
    let Some(time) = sd_notify::watchdog_enabled().filter(|time| !time.is_zero()) else {
        return pending().await;
    };
    let mut interval = interval(time / SIGNS);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        interval.tick().await;
        match liveness() {
            Ok(()) => send(&[NotifyState::Watchdog]),
            Err(reason) => error!(reason, "not live: no watchdog message is sent to systemd"),
        }
    }
}

fn send(message: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(message) {
        warn!(%error, "a message to systemd cannot be sent");
    }
}
