//! Messages to systemd: ready, reloading, stopping, signs of life (docs/installation.md, systemd).
//!
//! Without `NOTIFY_SOCKET` in the environment, nothing is sent.

use std::future::pending;
use std::time::Duration;

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
    match sd_notify::watchdog_enabled().filter(|time| !time.is_zero()) {
        Some(time) => repeat_while_live(time, liveness, || send(&[NotifyState::Watchdog])).await,
        None => pending().await,
    }
}

/// Calls `send` [`SIGNS`] times in each `time`, but not while the process is not live.
async fn repeat_while_live(time: Duration, liveness: Liveness, send: impl Fn()) {
    let mut interval = interval(time / SIGNS);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        interval.tick().await;
        match liveness() {
            Ok(()) => send(),
            Err(reason) => error!(reason, "not live: no watchdog message is sent to systemd"),
        }
    }
}

fn send(message: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(message) {
        warn!(%error, "a message to systemd cannot be sent");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::{mpsc, watch};
    use tokio::time::sleep;

    use super::*;
    use crate::app::portal_tasks::Collectors;
    use crate::app::{MAX_SILENCE, liveness};
    use crate::collect::progress::Progress;
    use crate::model::PortalName;

    #[tokio::test(start_paused = true)]
    async fn signs_of_life_stop_while_a_collector_stands_still() {
        const WATCHDOG: Duration = Duration::from_secs(8);
        let collector = || {
            let name = PortalName::new("main").unwrap();
            Collectors::from([(name, Arc::<Progress>::default())])
        };
        let collectors = watch::Sender::new(collector());
        let liveness = liveness(collectors.subscribe());
        let (sender, mut signs) = mpsc::unbounded_channel();
        let send = move || sender.send(()).unwrap();
        tokio::spawn(repeat_while_live(WATCHDOG, liveness, send));
        let mut sent_in = async |time| {
            sleep(time).await;
            std::iter::from_fn(|| signs.try_recv().ok()).count()
        };

        assert!(sent_in(WATCHDOG).await >= 4);
        sent_in(MAX_SILENCE).await;
        assert_eq!(sent_in(2 * WATCHDOG).await, 0);
        collectors.send_replace(collector());
        assert!(sent_in(WATCHDOG).await >= 4);
    }
}
