//! How the processes that ask one portal divide its rate: by what each of them needs.
//!
//! Each process measures its own demand ([`DemandMeter`]) and tells the others every few seconds. From what all have told, each takes its
//! share ([`Share::take`]). Everything here is pure.

use std::time::Duration;

use tokio::time::Instant;

use crate::config::Rate;

/// The average is taken over about this time: the usual time between two collections. Over a shorter one, a process would seem to need
/// nothing between two collections, and much in them.
const MEMORY: Duration = Duration::from_mins(1);

/// A process that uses this part of its share needs more, for all that is known.
const NEARLY_ALL: f64 = 0.9;

/// A process that does not need more gets this multiple of what it uses, so that it can tell when that changes.
const HEADROOM: f64 = 1.25;

/// Each process gets at least the even share divided by this.
const LEAST: f64 = 4.0;

/// What a process needs of a portal's rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demand {
    /// Requests per second that it sent lately.
    pub used: f64,
    /// Whether it sent nearly as many as its share allowed, and so would have sent more.
    pub waits: bool,
}

/// One of the processes that ask a portal, as it told the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sharer {
    pub demand: Demand,
    /// Requests per second that it has taken; 0 for one that has just started.
    pub taken: f64,
}

/// The part of a portal's rate that one process has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// Requests per second that it may send now.
    pub rate: f64,
    /// Requests per second that it gets soon after it needs them, if that is more. Plans count on it.
    pub assured: f64,
}

impl Share {
    /// What one of the processes that ask a portal takes of its rate (requests per second): what max-min fairness gives it, if the
    /// others have not taken it. So the sum of what is taken is at most the rate, in whatever order they take. The exception is a process
    /// that has just started: it takes a small part at once, which the others leave when they take the next time.
    pub fn take(rate: f64, own: Demand, others: &[Sharer]) -> Self {
        let demands = others.iter().map(|sharer| sharer.demand);
        let demands: Vec<_> = std::iter::once(own).chain(demands).collect();
        let fair = shares(rate, &demands).first().copied().unwrap_or(rate);
        let taken: f64 = others.iter().map(|sharer| sharer.taken).sum();
        Self {
            rate: fair.min(rate - taken).max(least(rate, demands.len())),
            assured: rate / count(demands.len()),
        }
    }
}

/// Divides a rate (requests per second) among processes by max-min fairness: each gets what it needs, but none gets more than another one
/// that needs more. What is left over when nobody waits is divided evenly. The sum of the shares is the rate, and none is 0.
fn shares(rate: f64, demands: &[Demand]) -> Vec<f64> {
    let least = least(rate, demands.len());
    let wanted = |demand: &Demand| {
        if demand.waits {
            f64::INFINITY
        } else {
            (demand.used * HEADROOM).max(least)
        }
    };
    let mut wanted: Vec<_> = demands.iter().map(wanted).enumerate().collect();
    wanted.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    let (mut shares, mut left) = (vec![0.0; demands.len()], rate);
    for (place, (process, wanted)) in wanted.into_iter().enumerate() {
        let even = left / count(demands.len() - place);
        shares[process] = wanted.min(even);
        left -= shares[process];
    }
    let spare = left.max(0.0) / count(demands.len());
    for share in &mut shares {
        *share += spare;
    }
    shares
}

/// The minimum share of one of `count` processes.
fn least(rate: f64, processes: usize) -> f64 {
    rate / count(processes) / LEAST
}

#[expect(clippy::cast_precision_loss, reason = "there are few processes")]
fn count(processes: usize) -> f64 {
    processes.max(1) as f64
}

#[derive(Debug)]
pub(super) struct DemandMeter {
    /// When the demand was asked for last.
    since: Instant,
    requests: f64,
    /// The time that they take at the rate of this process.
    busy: Duration,
    /// Requests per second, on average over the time before.
    used: f64,
    /// The part of its share that the process used, on average over the time before.
    used_part: f64,
}

impl DemandMeter {
    /// Begins to measure. A process that starts has everything to read.
    pub fn new(now: Instant) -> Self {
        Self {
            since: now,
            requests: 0.0,
            busy: Duration::ZERO,
            used: 0.0,
            used_part: 1.0,
        }
    }

    /// Notes requests of a process with this share of the rate.
    pub fn sent(&mut self, rate: Rate, requests: u32) {
        self.requests += f64::from(requests);
        if let Rate::PerSecond(rate) = rate {
            self.busy += Duration::from_secs_f64(rate.recip()) * requests;
        }
    }

    /// What the process needs. To be asked at intervals of some seconds.
    pub fn demand(&mut self, now: Instant) -> Demand {
        let passed = now.saturating_duration_since(self.since).as_secs_f64();
        if passed > 0.0 {
            let weight = 1.0 - (-passed / MEMORY.as_secs_f64()).exp();
            self.used += weight * (self.requests / passed - self.used);
            self.used_part += weight * (self.busy.as_secs_f64() / passed - self.used_part);
            (self.since, self.requests, self.busy) = (now, 0.0, Duration::ZERO);
        }
        Demand {
            used: self.used,
            waits: self.used_part >= NEARLY_ALL,
        }
    }
}

#[cfg(test)]
mod tests;
