//! When collections happen; the only user of the scheduler crate.
//!
//! Time is decided by our own [`Due`], which is pure. The scheduler gives it a [`Heart`]: one job that beats each second and makes every
//! [`Ticker`] read both clocks again, so that a clock that was set or a machine that slept is noticed within a second. A
//! ticker also sleeps until the very moment that is due, since beats are up to half a second late; and because it never sleeps longer than
//! five seconds, a heart that stands still stops nothing. Repeated jobs of the scheduler are not used: they die after a gap.
//!
//! A ticker is asked, it does not push: whoever is late finds one tick, however many were missed.

mod calendar;
mod due;
mod occurrence;
mod timer;

use std::future::pending;
use std::time::{Duration, Instant};

use thiserror::Error;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_cron_scheduler::{Job, JobScheduler, JobSchedulerError};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

pub use due::{Due, Moment, Plan, Tick};

/// The longest that a ticker sleeps without a beat.
const FALLBACK: Duration = Duration::from_secs(5);

/// A heart that was silent for so long is set going again.
const SILENCE: Duration = Duration::from_secs(10);

/// The scheduler could not be started; the process is of no use without it.
#[derive(Debug, Error)]
#[error("the scheduler's heartbeat could not be started")]
pub struct HeartError(#[from] JobSchedulerError);

/// Beats once a second. There is one in a process, started once: the scheduler leaks tasks whenever it is created anew.
#[derive(Debug)]
pub struct Heart {
    beats: watch::Receiver<Instant>,
}

impl Heart {
    /// Starts to beat, until `cancel`.
    pub async fn start(cancel: CancellationToken) -> Result<Self, HeartError> {
        let (sender, beats) = watch::channel(Instant::now());
        let scheduler = JobScheduler::new().await?;
        let job = add_job(&scheduler, &sender).await?;
        scheduler.start().await?;
        let pacemaker = Pacemaker {
            scheduler,
            job,
            sender,
            silence: SILENCE,
        };
        tokio::spawn(pacemaker.run(cancel));
        Ok(Self { beats })
    }

    /// Shows whether it beats.
    #[must_use]
    pub fn pulse(&self) -> Pulse {
        Pulse(self.beats.clone())
    }

    /// Ticks after a plan, beside all others. `jitter` is bounded as [`Due::new`] says.
    #[must_use]
    pub fn ticker(&self, plan: Plan, jitter: Duration) -> Ticker {
        Ticker {
            due: Due::new(plan, jitter),
            beats: self.beats.clone(),
        }
    }
}

/// Shows whether a heart beats.
#[derive(Debug, Clone)]
pub struct Pulse(watch::Receiver<Instant>);

impl Pulse {
    /// When it last beat, or was started.
    #[must_use]
    pub fn last_beat(&self) -> Instant {
        *self.0.borrow()
    }
}

/// Gives the ticks of one plan.
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

/// The next beat; a heart that is gone has none.
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
            sender.send_replace(Instant::now());
        })
    })?;
    scheduler.add(job).await
}

/// Watches the heart: the scheduler waits for the calendar second that it noted last, and so stands still for as long as the clock is set back.
struct Pacemaker {
    scheduler: JobScheduler,
    job: Uuid,
    sender: watch::Sender<Instant>,
    silence: Duration,
}

impl Pacemaker {
    async fn run(mut self, cancel: CancellationToken) {
        cancel.run_until_cancelled(self.keep_going()).await;
        if let Err(error) = self.scheduler.shutdown().await {
            tracing::warn!(%error, "the scheduler could not be stopped");
        }
    }

    async fn keep_going(&mut self) {
        let mut beats = self.sender.subscribe();
        loop {
            if timeout(self.silence, beat(&mut beats)).await.is_ok() {
                continue;
            }
            tracing::warn!(silence = ?self.silence, "the heartbeat stopped, as after a clock was set back; it is set going again");
            if let Err(error) = self.replace_job().await {
                tracing::error!(%error, "the heartbeat could not be set going again; ticks go on without it");
            }
        }
    }

    async fn replace_job(&mut self) -> Result<(), JobSchedulerError> {
        // Its own bound, because the scheduler's answer may never come.
        if let Ok(Err(error)) = timeout(self.silence, self.scheduler.remove(&self.job)).await {
            tracing::debug!(%error, "the silent job could not be removed");
        }
        self.job = add_job(&self.scheduler, &self.sender).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::Utc;

    const SECOND: Duration = Duration::from_secs(1);
    const PATIENCE: Duration = Duration::from_secs(30);

    async fn started() -> (Heart, CancellationToken) {
        let cancel = CancellationToken::new();
        (Heart::start(cancel.clone()).await.unwrap(), cancel)
    }

    #[tokio::test]
    async fn a_plan_of_one_second_ticks_each_second_beside_others() {
        let (heart, cancel) = started().await;
        let mut hourly = heart.ticker(Plan::Every(Duration::from_hours(1)), Duration::ZERO);
        hourly.next().await;
        let mut ticker = heart.ticker(Plan::Every(SECOND), Duration::ZERO);
        let start = Instant::now();
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
        let (heart, _cancel) = started().await;
        let plan = Plan::Cron {
            line: Box::new("*/2 * * * * *".parse().unwrap()),
            timezone: chrono_tz::Tz::UTC,
        };
        let mut ticker = heart.ticker(plan, Duration::ZERO);
        timeout(PATIENCE, ticker.next())
            .await
            .expect("the first, at once");
        let tick = timeout(PATIENCE, ticker.next())
            .await
            .expect("an even second");
        assert_eq!(tick.interval, 2 * SECOND);
        let next = tick
            .next
            .unwrap()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap();
        assert_eq!((next.as_secs() % 2, next.subsec_nanos()), (0, 0));
    }

    #[tokio::test]
    async fn whoever_is_late_finds_one_tick() {
        let (heart, _cancel) = started().await;
        let mut ticker = heart.ticker(Plan::Every(SECOND), Duration::ZERO);
        ticker.next().await;
        let start = Instant::now();
        heart
            .beats
            .clone()
            .wait_for(|beat| *beat > start + 2 * SECOND)
            .await
            .unwrap();
        assert!(timeout(Duration::ZERO, ticker.next()).await.is_ok());
        assert!(timeout(Duration::ZERO, ticker.next()).await.is_err());
    }

    #[tokio::test]
    async fn ticks_go_on_when_the_heart_is_dead() {
        let (_, beats) = watch::channel(Instant::now());
        let mut ticker = Heart { beats }.ticker(Plan::Every(SECOND), Duration::ZERO);
        for _ in 0..2 {
            timeout(PATIENCE, ticker.next())
                .await
                .expect("a tick without a beat");
        }
    }

    /// What is left when the clock is set back: the scheduler waits for a second that is an hour away.
    async fn stall(scheduler: &JobScheduler, job: Uuid) {
        let next = Utc::now() + chrono::Duration::hours(1);
        let storage = scheduler.context().metadata_storage.clone();
        let mut storage = storage.write().await;
        storage
            .set_next_and_last_tick(job, Some(next), Some(next))
            .await
            .unwrap();
    }

    #[tokio::test]
    async fn a_heart_that_a_clock_stopped_is_set_going_again() {
        let (sender, mut beats) = watch::channel(Instant::now());
        let scheduler = JobScheduler::new().await.unwrap();
        let job = add_job(&scheduler, &sender).await.unwrap();
        stall(&scheduler, job).await;
        scheduler.start().await.unwrap();
        let silence = 2 * SECOND;
        let start = Instant::now();
        tokio::spawn(
            Pacemaker {
                scheduler,
                job,
                sender,
                silence,
            }
            .run(CancellationToken::new()),
        );
        timeout(PATIENCE, beats.wait_for(|beat| *beat > start))
            .await
            .expect("a beat")
            .unwrap();
        assert!(start.elapsed() >= silence, "not before it was silent");
    }
}
