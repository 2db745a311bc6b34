//! When collections start; the only user of the scheduler crate.
//!
//! [`Due`] decides, and is pure. The scheduler runs one job each second, the [`heartbeat`], which makes every [`Ticker`] read both
//! clocks again. So a clock that was set and a machine that slept are noticed within a second. A ticker also sleeps until the time
//! that is due, because beats are up to half a second late, and never longer than five seconds: while the clock has not caught up
//! after it was set back, the scheduler runs no job.

mod due;
mod occurrence;

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;
use tokio_cron_scheduler::{Job, JobScheduler, JobSchedulerError};
use tokio_util::sync::CancellationToken;

use crate::clock::Moment;

pub use due::{Due, Tick};

/// The longest that a ticker sleeps without a beat.
const FALLBACK: Duration = Duration::from_secs(5);

/// Beats once a second.
pub type Heartbeat = watch::Receiver<()>;

/// Starts to beat, until `cancel`. A process does so once: the scheduler leaks tasks each time that it is created.
pub async fn heartbeat(cancel: CancellationToken) -> Result<Heartbeat, JobSchedulerError> {
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
    Ok(beats)
}

/// Waits until runs are due.
#[derive(Debug)]
pub struct Ticker {
    due: Due,
    beats: Heartbeat,
}

impl Ticker {
    pub fn new(due: Due, heartbeat: &Heartbeat) -> Self {
        let beats = heartbeat.clone();
        Self { due, beats }
    }

    /// Waits until a run is due. Dropping the future loses no tick.
    pub async fn next(&mut self) -> Tick {
        loop {
            let now = Moment::now();
            if let Some(tick) = self.due.take(now, fastrand::f64()) {
                return tick;
            }
            tokio::select! {
                Ok(()) = self.beats.changed() => {}
                () = sleep(self.due.wait(now).min(FALLBACK)) => {}
            }
        }
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

    fn ticker(schedule: &str, heartbeat: &Heartbeat) -> Ticker {
        let schedule = Schedule::parse(schedule).unwrap();
        Ticker::new(Due::new(schedule, Tz::UTC, Duration::ZERO), heartbeat)
    }

    async fn started() -> Heartbeat {
        heartbeat(CancellationToken::new()).await.unwrap()
    }

    #[tokio::test]
    async fn a_ticker_ticks_each_second_beside_others_and_once_for_a_late_caller() {
        let heartbeat = started().await;
        let mut hourly = ticker("1h", &heartbeat);
        hourly.next().await;
        let mut ticker = ticker("1s", &heartbeat);
        let start = Moment::now().steady;
        for _ in 0..4 {
            let tick = timeout(PATIENCE, ticker.next()).await.expect("a tick");
            assert_eq!(tick.interval, SECOND);
        }
        assert!(
            start.elapsed() >= 3 * SECOND,
            "the first at once, three a second apart"
        );
        let (late, mut beats) = (start.elapsed() + 2 * SECOND, heartbeat.clone());
        while start.elapsed() <= late {
            beats.changed().await.unwrap();
        }
        assert!(timeout(Duration::ZERO, ticker.next()).await.is_ok());
        assert!(timeout(Duration::ZERO, ticker.next()).await.is_err());
        assert!(timeout(Duration::ZERO, hourly.next()).await.is_err());
    }

    #[tokio::test]
    async fn ticks_go_on_when_the_heartbeat_ended() {
        let (_, beats) = watch::channel(());
        let mut ticker = ticker("1s", &beats);
        for _ in 0..2 {
            timeout(PATIENCE, ticker.next())
                .await
                .expect("a tick without a beat");
        }
    }
}
