//! When collections start; the only user of the scheduler crate.
//!
//! [`Due`] decides, and is pure. The scheduler runs one job each second, the [`Heartbeat`], which makes every [`Ticker`] read both
//! clocks again. So a clock that was set and a machine that slept are noticed within a second. A ticker also sleeps until the time
//! that is due, because beats are up to half a second late, and never longer than five seconds, so that a heartbeat that stopped
//! stops nothing. Repeated jobs of the scheduler are not used: they stop for ever after a gap.

mod due;
mod occurrence;

use std::future::pending;
use std::time::Duration;

use thiserror::Error;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};
use tokio_cron_scheduler::{Job, JobScheduler, JobSchedulerError};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::clock::Moment;

pub use due::{Due, Tick};

/// The longest that a ticker sleeps without a beat.
const FALLBACK: Duration = Duration::from_secs(5);

/// A heartbeat that was silent for so long is started again.
const SILENCE: Duration = Duration::from_secs(10);

/// The scheduler could not be started; the process is of no use without it.
#[derive(Debug, Error)]
#[error("the scheduler's heartbeat could not be started")]
pub struct HeartbeatError(#[from] JobSchedulerError);

/// Beats once a second. A process has one and starts it once: the scheduler leaks tasks each time that it is created.
#[derive(Debug, Clone)]
pub struct Heartbeat {
    beats: watch::Receiver<Instant>,
}

impl Heartbeat {
    /// Starts to beat, until `cancel`.
    pub async fn start(cancel: CancellationToken) -> Result<Self, HeartbeatError> {
        let (sender, beats) = watch::channel(Moment::now().steady);
        let mut scheduler = JobScheduler::new().await?;
        let job = add_job(&scheduler, &sender).await?;
        scheduler.start().await?;
        tokio::spawn(async move {
            let beating = keep_beating(&scheduler, job, sender, SILENCE);
            cancel.run_until_cancelled(beating).await;
            if let Err(error) = scheduler.shutdown().await {
                tracing::warn!(%error, "the scheduler could not be stopped");
            }
        });
        Ok(Self { beats })
    }

    /// One that never beats: a ticker waits until its runs are due, by tokio's clock.
    #[cfg(test)]
    pub fn silent() -> Self {
        let (_, beats) = watch::channel(Moment::now().steady);
        Self { beats }
    }

    /// When it last beat, or was started.
    pub fn last_beat(&self) -> Instant {
        *self.beats.borrow()
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
    beats: watch::Receiver<Instant>,
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
async fn beat(beats: &mut watch::Receiver<Instant>) {
    if beats.changed().await.is_err() {
        pending::<()>().await;
    }
}

async fn add_job(
    scheduler: &JobScheduler,
    sender: &watch::Sender<Instant>,
) -> Result<Uuid, JobSchedulerError> {
    let sender = sender.clone();
    let job = Job::new_async("* * * * * *", move |_, _| {
        let sender = sender.clone();
        Box::pin(async move {
            sender.send_replace(Moment::now().steady);
        })
    })?;
    scheduler.add(job).await
}

/// Replaces the job when it is silent: after a clock was set back, the scheduler waits until the clock has caught up.
async fn keep_beating(
    scheduler: &JobScheduler,
    mut job: Uuid,
    sender: watch::Sender<Instant>,
    silence: Duration,
) {
    let mut beats = sender.subscribe();
    loop {
        if timeout(silence, beat(&mut beats)).await.is_ok() {
            continue;
        }
        tracing::warn!(
            ?silence,
            "the heartbeat stopped, for example because the clock was set back; it is restarted"
        );
        // The scheduler's answer may never come. A job that stays only beats beside the new one.
        let _ = timeout(silence, scheduler.remove(&job)).await;
        match add_job(scheduler, &sender).await {
            Ok(new) => job = new,
            Err(error) => {
                tracing::error!(%error, "the heartbeat could not be restarted; ticks continue without it");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Schedule;
    use chrono_tz::Tz;

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
        heartbeat
            .beats
            .clone()
            .wait_for(|beat| *beat > start + 2 * SECOND)
            .await
            .unwrap();
        assert!(timeout(Duration::ZERO, ticker.next()).await.is_ok());
        assert!(timeout(Duration::ZERO, ticker.next()).await.is_err());
    }

    #[tokio::test]
    async fn ticks_go_on_when_the_heartbeat_ended() {
        let (_, beats) = watch::channel(Moment::now().steady);
        let mut ticker = Heartbeat { beats }.ticker(every(SECOND));
        for _ in 0..2 {
            timeout(PATIENCE, ticker.next())
                .await
                .expect("a tick without a beat");
        }
    }

    /// The state after the clock was set back: the scheduler waits for a second that is an hour away.
    async fn stall(scheduler: &JobScheduler, job: Uuid) {
        let next = Some(Moment::now().wall.after(Duration::from_hours(1)).into());
        let storage = scheduler.context().metadata_storage.clone();
        let mut storage = storage.write().await;
        storage
            .set_next_and_last_tick(job, next, next)
            .await
            .unwrap();
    }

    #[tokio::test]
    async fn a_heartbeat_that_a_clock_stopped_is_started_again() {
        let (sender, mut beats) = watch::channel(Moment::now().steady);
        let scheduler = JobScheduler::new().await.unwrap();
        let job = add_job(&scheduler, &sender).await.unwrap();
        stall(&scheduler, job).await;
        scheduler.start().await.unwrap();
        let silence = 2 * SECOND;
        let start = Moment::now().steady;
        tokio::spawn(async move { keep_beating(&scheduler, job, sender, silence).await });
        timeout(PATIENCE, beats.wait_for(|beat| *beat > start))
            .await
            .expect("a beat")
            .unwrap();
        assert!(start.elapsed() >= silence, "not before it was silent");
    }
}
