//! The entries into `failed` and `flagged` in the last day, in steps of five minutes, and the requests of the last minutes.
//!
//! Only the status page uses it, and it is lost when the process ends. Only steps with entries take memory: 16 bytes each, at most 288
//! per folder.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::clock::Moment;
use crate::metrics::Events;
use crate::model::{FolderId, PortalName, Status, Timestamp};
use crate::snapshot::{Publisher, Snapshot};

pub const STEP: Duration = Duration::from_mins(5);

pub const STEPS: usize = 288;

/// How often the counters are read.
const SAMPLE: Duration = Duration::from_secs(20);

/// The time over which the rate of requests is taken.
const RATE_OVER: Duration = Duration::from_mins(1);

/// The entries into `failed` and `flagged` in one step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Entered {
    pub failed: u32,
    pub flagged: u32,
}

impl Entered {
    fn is_zero(self) -> bool {
        self == Self::default()
    }

    fn add(&mut self, more: Self) {
        self.failed = self.failed.saturating_add(more.failed);
        self.flagged = self.flagged.saturating_add(more.flagged);
    }
}

/// The trends of all folders and portals.
#[derive(Debug, Clone, Default)]
pub struct Trends(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    folders: HashMap<PortalName, HashMap<FolderId, Trend>>,
    requests: HashMap<PortalName, VecDeque<(Instant, u64)>>,
}

#[derive(Debug, Default)]
struct Trend {
    /// The counters as they were read last: failed and flagged.
    last: Option<[u64; 2]>,
    /// Steps in which something entered, by their number since 1970, the oldest first.
    steps: VecDeque<(u64, Entered)>,
}

impl Trends {
    /// Reads the counters until `cancel`.
    pub async fn run(self, publisher: Publisher, events: Events, cancel: CancellationToken) {
        let mut samples = interval(SAMPLE);
        samples.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while cancel.run_until_cancelled(samples.tick()).await.is_some() {
            let snapshot = publisher.current();
            let total = |portal: &PortalName| events.requests_of(portal);
            self.sample(&snapshot, total, Moment::now());
        }
    }

    /// Reads the counters of a snapshot, and how many requests were sent to each portal so far.
    pub fn sample(&self, snapshot: &Snapshot, total: impl Fn(&PortalName) -> u64, now: Moment) {
        let mut inner = self.lock();
        let mut folders = HashMap::new();
        for portal in &snapshot.portals {
            let mut trends = inner.folders.remove(&portal.name).unwrap_or_default();
            trends.retain(|id, _| portal.folders.contains_key(id));
            for folder in portal.folders.values() {
                let counters = folder.counters.as_deref();
                let entries = counters
                    .map(|counters| Status::WITH_REASON.map(|status| counters.entries[status]));
                let trend = trends.entry(folder.id).or_default();
                trend.sample(entries, step_of(now.wall));
            }
            folders.insert(portal.name.clone(), trends);
        }
        inner.folders = folders;
        let names = snapshot.portals.iter().map(|portal| &portal.name);
        let mut requests = HashMap::new();
        for name in names {
            let mut totals = inner.requests.remove(name).unwrap_or_default();
            totals.push_back((now.steady, total(name)));
            // The first that is old enough stays: the rate is taken from there.
            while totals.len() > 1 && now.steady.duration_since(totals[1].0) >= RATE_OVER {
                totals.pop_front();
            }
            requests.insert(name.clone(), totals);
        }
        inner.requests = requests;
    }

    /// The entries in each step of the last day, the oldest first.
    pub fn day(&self, portal: &PortalName, folder: FolderId, now: Timestamp) -> Vec<Entered> {
        let mut day = vec![Entered::default(); STEPS];
        let newest = step_of(now);
        let inner = self.lock();
        let trend = inner.folders.get(portal);
        let trend = trend.and_then(|folders| folders.get(&folder));
        for (step, entered) in trend.into_iter().flat_map(|trend| &trend.steps) {
            let age = newest
                .checked_sub(*step)
                .and_then(|age| usize::try_from(age).ok());
            if let Some(age) = age.filter(|age| *age < STEPS) {
                day[STEPS - 1 - age] = *entered;
            }
        }
        day
    }

    /// Requests to a portal in a minute, over the last minute or so.
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    pub fn requests_per_minute(&self, portal: &PortalName) -> Option<f64> {
        let inner = self.lock();
        let totals = inner.requests.get(portal)?;
        let ((began, first), (ended, last)) = (totals.front()?, totals.back()?);
        let passed = ended.duration_since(*began).as_secs_f64();
        (passed > 0.0).then(|| last.saturating_sub(*first) as f64 * 60.0 / passed)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Trend {
    /// Adds the counters of a step.
    fn sample(&mut self, counters: Option<[u64; 2]>, step: u64) {
        if let (Some(last), Some(now)) = (self.last, counters) {
            let grown = |index: usize| {
                let grown = now[index].saturating_sub(last[index]);
                u32::try_from(grown).unwrap_or(u32::MAX)
            };
            let entered = Entered {
                failed: grown(0),
                flagged: grown(1),
            };
            match self.steps.back_mut() {
                Some((newest, sum)) if *newest == step => sum.add(entered),
                _ if entered.is_zero() => {}
                _ => self.steps.push_back((step, entered)),
            }
        }
        self.last = counters;
        let is_old = |(number, _): &(u64, Entered)| number.saturating_add(STEPS as u64) <= step;
        while self.steps.front().is_some_and(is_old) {
            self.steps.pop_front();
        }
    }
}

/// The number of the step of a time, since 1970.
fn step_of(time: Timestamp) -> u64 {
    let seconds = u64::try_from(time.as_millis() / 1000).unwrap_or(0);
    seconds / STEP.as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_step_has_what_entered_in_it_and_is_dropped_after_a_day() {
        let mut trend = Trend::default();
        trend.sample(Some([5, 0]), 100);
        assert!(trend.steps.is_empty(), "what was there before the start");
        trend.sample(Some([7, 1]), 100);
        trend.sample(Some([8, 1]), 100);
        trend.sample(Some([8, 1]), 101);
        trend.sample(None, 102);
        trend.sample(Some([2, 0]), 103);
        trend.sample(Some([4, 0]), 103);
        let entered = |failed, flagged| Entered { failed, flagged };
        assert_eq!(trend.steps, [(100, entered(3, 1)), (103, entered(2, 0))]);
        trend.sample(Some([4, 0]), 100 + STEPS as u64);
        assert_eq!(trend.steps, [(103, entered(2, 0))]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_or_counted_twice_within_a_day(
            growth in prop::collection::vec((0_u64..4, 0_u64..50), 0..200),
        ) {
            let (mut trend, mut step, mut count) = (Trend::default(), 1_000, 0);
            trend.sample(Some([0, 0]), step);
            for (later, more) in &growth {
                step += later;
                count += more;
                trend.sample(Some([count, 0]), step);
            }
            let seen: u64 = trend.steps.iter().map(|(_, entered)| u64::from(entered.failed)).sum();
            prop_assert!(seen <= count);
            if step < 1_000 + STEPS as u64 {
                prop_assert_eq!(seen, count);
            }
            prop_assert!(trend.steps.len() <= STEPS);
        }
    }
}
