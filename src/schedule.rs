//! When collections start; the only user of the scheduler crate.
//!
//! [`Due`] decides, and is pure. The scheduler runs one job each second, the [`heartbeat`], at which each [`Due::tick`] reads both
//! clocks again. So a clock that was set and a machine that slept are noticed within a second. It also sleeps until the time
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

/// The longest sleep without a beat.
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

impl Due {
    /// Waits until a run is due. Dropping the future loses no tick.
    pub async fn tick(&mut self, beats: &mut Heartbeat) -> Tick {
        loop {
            let now = Moment::now();
            if let Some(tick) = self.take(now, fastrand::f64()) {
                return tick;
            }
            tokio::select! {
                Ok(()) = beats.changed() => {}
                () = sleep(self.wait(now).min(FALLBACK)) => {}
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

    fn due(schedule: &str) -> Due {
        let schedule = Schedule::parse(schedule).unwrap();
        Due::new(schedule, Tz::UTC, Duration::ZERO)
    }

    async fn started() -> Heartbeat {
        heartbeat(CancellationToken::new()).await.unwrap()
    }

    #[tokio::test]
    async fn a_schedule_ticks_each_second_beside_others_and_once_for_a_late_caller() {
        let mut beats = started().await;
        let (mut hourly, mut due) = (due("1h"), due("1s"));
        hourly.tick(&mut beats).await;
        let start = Moment::now().steady;
        for _ in 0..4 {
            let tick = timeout(PATIENCE, due.tick(&mut beats))
                .await
                .expect("a tick");
            assert_eq!(tick.interval, SECOND);
        }
        assert!(
            start.elapsed() >= 3 * SECOND,
            "the first at once, three a second apart"
        );
        let late = start.elapsed() + 2 * SECOND;
        while start.elapsed() <= late {
            beats.changed().await.unwrap();
        }
        assert!(timeout(Duration::ZERO, due.tick(&mut beats)).await.is_ok());
        assert!(timeout(Duration::ZERO, due.tick(&mut beats)).await.is_err());
        assert!(
            timeout(Duration::ZERO, hourly.tick(&mut beats))
                .await
                .is_err()
        );
    }

    #[tokio::test]
    async fn ticks_go_on_when_the_heartbeat_ended() {
        let (_, mut beats) = watch::channel(());
        let mut due = due("1s");
        for _ in 0..2 {
            timeout(PATIENCE, due.tick(&mut beats))
                .await
                .expect("a tick without a beat");
        }
    }
}
