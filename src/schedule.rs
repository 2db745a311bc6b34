//! When collections start; the only user of the scheduler crate.
//!
//! [`Due`] decides, and is pure. The scheduler runs one job each second, the [`Heartbeat`], which makes every [`Ticker`] read both
//! clocks again. So a clock that was set and a machine that slept are noticed within a second. A ticker also sleeps until the time
//! that is due, because beats are up to half a second late, and never longer than five seconds: while the clock has not caught up
//! after it was set back, the scheduler runs no job.

mod due;
mod occurrence;

use std::future::pending;
use std::time::Duration;

use thiserror::Error;
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_cron_scheduler::{Job, JobScheduler, JobSchedulerError};
use tokio_util::sync::CancellationToken;

use crate::clock::Moment;

pub use due::{Due, Tick};

/// The longest that a ticker sleeps without a beat.
const FALLBACK: Duration = Duration::from_secs(5);

/// The scheduler could not be started; the process is of no use without it.
#[derive(Debug, Error)]
#[error("the scheduler's heartbeat could not be started")]
pub struct HeartbeatError(#[from] JobSchedulerError);

/// Beats once a second. A process has one and starts it once: the scheduler leaks tasks each time that it is created.
#[derive(Debug, Clone)]
pub struct Heartbeat {
    beats: watch::Receiver<()>,
}

impl Heartbeat {
    /// Starts to beat, until `cancel`.
    pub async fn start(cancel: CancellationToken) -> Result<Self, HeartbeatError> {
        let (sender, beats) = watch::channel(());
        let mut scheduler = JobScheduler::new().await?;
        let job = Job::new("* * * * * *", move |_, _| {
            sender.send_replace(());
        })?;
        scheduler.add(job).await?;
        scheduler.start().await?;
        tokio::spawn(async move {
            cancel.cancelled().await;
            if let Err(error) = scheduler.shutdown().await {
                tracing::warn!(%error, "the scheduler could not be stopped");
            }
        });
        Ok(Self { beats })
    }

    /// One that never beats: a ticker waits until its runs are due, by tokio's clock.
    #[cfg(test)]
    pub fn silent() -> Self {
        let (_, beats) = watch::channel(());
        Self { beats }
    }

    pub fn ticker(&self, due: Due) -> Ticker {
        let beats = self.beats.clone();
        Ticker { due, beats }
    }
}

/// Waits until runs are due.
#[derive(Debug)]
pub struct Ticker {
    due: Due,
    beats: watch::Receiver<()>,
}

impl Ticker {
    /// Waits until a run is due. Dropping the future loses no tick.
    pub async fn next(&mut self) -> Tick {
        loop {
            let now = Moment::now();
            if let Some(tick) = self.due.take(now, fastrand::f64()) {
                return tick;
            }
            let wait = self.due.wait(now).unwrap_or(FALLBACK).min(FALLBACK);
            tokio::select! {
                () = beat(&mut self.beats) => {}
                () = sleep(wait) => {}
            }
        }
    }
}

/// Waits for the next beat, for ever when the heartbeat ended.
async fn beat(beats: &mut watch::Receiver<()>) {
    if beats.changed().await.is_err() {
        pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Schedule;
    use chrono_tz::Tz;
    use tokio::time::timeout;

    const SECOND: Duration = Duration::from_secs(1);
    const PATIENCE: Duration = Duration::from_secs(30);

    fn every(gap: Duration) -> Due {
        Due::new(Schedule::Every(gap), Tz::UTC, Duration::ZERO)
    }

    async fn started() -> (Heartbeat, CancellationToken) {
        let cancel = CancellationToken::new();
        (Heartbeat::start(cancel.clone()).await.unwrap(), cancel)
    }

    #[tokio::test]
    async fn a_ticker_of_one_second_ticks_each_second_beside_others() {
        let (heartbeat, cancel) = started().await;
        let mut hourly = heartbeat.ticker(every(Duration::from_hours(1)));
        hourly.next().await;
        let mut ticker = heartbeat.ticker(every(SECOND));
        let start = Moment::now().steady;
        for _ in 0..4 {
            let tick = timeout(PATIENCE, ticker.next()).await.expect("a tick");
            assert_eq!(tick.interval, SECOND);
        }
        assert!(
            start.elapsed() >= 3 * SECOND,
            "the first at once, three a second apart"
        );
        assert!(timeout(Duration::ZERO, hourly.next()).await.is_err());
        cancel.cancel();
    }

    #[tokio::test]
    async fn a_cron_line_ticks_at_its_seconds() {
        let (heartbeat, _cancel) = started().await;
        let line = Schedule::parse("*/2 * * * * *").unwrap();
        let due = Due::new(line, Tz::UTC, Duration::ZERO);
        let mut ticker = heartbeat.ticker(due);
        timeout(PATIENCE, ticker.next())
            .await
            .expect("the first, at once");
        let tick = timeout(PATIENCE, ticker.next())
            .await
            .expect("an even second");
        assert_eq!(tick.interval, 2 * SECOND);
        assert_eq!(tick.next.unwrap().as_millis() % 2_000, 0);
    }

    #[tokio::test]
    async fn a_late_caller_gets_one_tick() {
        let (heartbeat, _cancel) = started().await;
        let mut ticker = heartbeat.ticker(every(SECOND));
        ticker.next().await;
        let start = Moment::now().steady;
        let mut beats = heartbeat.beats.clone();
        while start.elapsed() <= 2 * SECOND {
            beats.changed().await.unwrap();
        }
        assert!(timeout(Duration::ZERO, ticker.next()).await.is_ok());
        assert!(timeout(Duration::ZERO, ticker.next()).await.is_err());
    }

    #[tokio::test]
    async fn ticks_go_on_when_the_heartbeat_ended() {
        let (_, beats) = watch::channel(());
        let mut ticker = Heartbeat { beats }.ticker(every(SECOND));
        for _ in 0..2 {
            timeout(PATIENCE, ticker.next())
                .await
                .expect("a tick without a beat");
        }
    }
}
