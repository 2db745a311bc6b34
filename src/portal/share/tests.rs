//! Shares for any demands, and processes that take their shares while their needs change.

use proptest::prelude::*;

use super::*;
use crate::clock::Moment;

const RATE: f64 = 5.0;

fn demand() -> impl Strategy<Value = Demand> {
    let used = prop_oneof![Just(0.0), 0.0..1.0, 0.0..100.0];
    (used, any::<bool>()).prop_map(|(used, waits)| Demand { used, waits })
}

proptest! {
    #[test]
    fn the_sum_is_the_rate_and_none_starves(rate in 0.001_f64..1e5, demands in prop::collection::vec(demand(), 1..40)) {
        let shares = shares(rate, &demands);
        let sum: f64 = shares.iter().sum();
        prop_assert!((sum / rate - 1.0).abs() < 1e-9, "{sum} of {rate}");
        let least = rate / count(demands.len()) / LEAST;
        prop_assert!(shares.iter().all(|share| *share >= least * (1.0 - 1e-9)), "{shares:?}");
    }

    #[test]
    fn those_that_wait_get_the_same_and_at_least_the_even_share(demands in prop::collection::vec(demand(), 1..40)) {
        let shares = shares(RATE, &demands);
        let even = RATE / count(demands.len());
        let waiting = demands.iter().zip(&shares).filter(|(demand, _)| demand.waits);
        let waiting: Vec<f64> = waiting.map(|(_, share)| *share).collect();
        for share in &waiting {
            prop_assert!((share - waiting[0]).abs() < 1e-9 && *share >= even - 1e-9, "{waiting:?}");
        }
    }

    #[test]
    fn one_that_does_not_wait_gets_what_it_needs_or_as_much_as_those_that_wait(demands in prop::collection::vec(demand(), 1..40)) {
        let shares = shares(RATE, &demands);
        let most = shares.iter().copied().fold(0.0, f64::max);
        let waits = demands.iter().any(|demand| demand.waits);
        for (demand, share) in demands.iter().zip(&shares).filter(|(demand, _)| !demand.waits) {
            let wanted = (demand.used * HEADROOM).max(RATE / count(demands.len()) / LEAST);
            let is_met = *share >= wanted - 1e-9;
            prop_assert!(is_met || (share - most).abs() < 1e-9, "{demands:?} {shares:?}");
            // What it does not need goes to those that wait.
            prop_assert!(!waits || *share <= wanted + 1e-9, "{demands:?} {shares:?}");
        }
    }

    #[test]
    fn whoever_takes_first_no_more_than_the_rate_is_taken(
        demands in prop::collection::vec(demand(), 1..10),
        changes in prop::collection::vec((any::<prop::sample::Index>(), demand()), 0..60),
    ) {
        let mut sharers: Vec<Sharer> = demands.iter().map(|demand| Sharer { demand: *demand, taken: 0.0 }).collect();
        let turn = |sharers: &mut Vec<Sharer>, at: usize| {
            let mut others = sharers.clone();
            let own = others.remove(at);
            let share = Share::take(RATE, own.demand, &others);
            sharers[at].taken = share.rate;
            assert!((share.assured - RATE / count(sharers.len())).abs() < 1e-9);
        };
        let taken = |sharers: &[Sharer]| sharers.iter().map(|sharer| sharer.taken).sum::<f64>();
        for at in 0..sharers.len() {
            turn(&mut sharers, at);
        }
        prop_assert!(taken(&sharers) <= RATE + 1e-9, "{sharers:?}");
        for (at, demand) in changes {
            let at = at.index(sharers.len());
            sharers[at].demand = demand;
            turn(&mut sharers, at);
            prop_assert!(taken(&sharers) <= RATE * (1.0 + 1.0 / LEAST) + 1e-9, "{sharers:?}");
        }
        for at in [0, 1].into_iter().flat_map(|_| 0..demands.len()) {
            turn(&mut sharers, at);
        }
        prop_assert!((taken(&sharers) - RATE).abs() < 1e-9, "all of it is used: {sharers:?}");
    }
}

/// A process that has this number of requests to send from each minute to the next.
struct Process {
    meter: DemandMeter,
    a_minute: f64,
    left: f64,
    /// When the next one may be sent, in seconds.
    next: f64,
    told: Sharer,
    sent: f64,
}

impl Process {
    /// Sends what it may, up to a time.
    fn send(&mut self, until: f64) {
        while self.told.taken > 0.0 && self.left >= 1.0 && self.next < until {
            self.next += self.told.taken.recip();
            self.left -= 1.0;
            self.sent += 1.0;
            self.meter.sent(Rate::PerSecond(self.told.taken), 1);
        }
        if self.left < 1.0 {
            self.next = self.next.max(until);
        }
    }
}

/// Processes that take their shares in turn, each of them every ten seconds.
struct Story {
    start: Instant,
    tenths: u32,
    processes: Vec<Process>,
}

impl Story {
    fn new(a_minute: &[f64]) -> Self {
        let start = Moment::now().steady;
        let process = |a_minute: &f64| {
            let mut meter = DemandMeter::new(start);
            let demand = meter.demand(start);
            Process {
                meter,
                a_minute: *a_minute,
                left: 0.0,
                next: 0.0,
                told: Sharer { demand, taken: 0.0 },
                sent: 0.0,
            }
        };
        Self {
            start,
            tenths: 0,
            processes: a_minute.iter().map(process).collect(),
        }
    }

    /// Minutes pass. Returns the requests that each process sent in one, on average.
    fn pass(&mut self, minutes: u32) -> Vec<f64> {
        for process in &mut self.processes {
            process.sent = 0.0;
        }
        for _ in 0..minutes * 600 {
            self.tenth();
        }
        let sent = self.processes.iter().map(|process| process.sent);
        sent.map(|sent| sent / f64::from(minutes)).collect()
    }

    fn tenth(&mut self) {
        if self.tenths.is_multiple_of(600) {
            for process in &mut self.processes {
                process.left = process.a_minute;
            }
        }
        let turn = (self.tenths % 100) as usize;
        if turn < self.processes.len() {
            self.take(turn);
        }
        self.tenths += 1;
        let passed = Duration::from_millis(100) * self.tenths;
        for process in &mut self.processes {
            process.send(passed.as_secs_f64());
        }
    }

    fn take(&mut self, turn: usize) {
        let now = self.start + Duration::from_millis(100) * self.tenths;
        let own = self.processes[turn].meter.demand(now);
        let others = self.processes.iter().enumerate();
        let others = others.filter(|(at, _)| *at != turn);
        let others: Vec<_> = others.map(|(_, other)| other.told).collect();
        self.processes[turn].told = Sharer {
            demand: own,
            taken: Share::take(RATE, own, &others).rate,
        };
    }
}

#[test]
fn a_busy_process_uses_what_the_others_do_not_need_and_they_get_all_that_they_need() {
    let mut story = Story::new(&[190.0, 10.0, 10.0, 10.0, 10.0, 10.0, 10.0, 10.0]);
    story.pass(10);
    let sent = story.pass(30);
    assert!(sent[0] > 0.97 * 190.0, "{sent:?}");
    assert!(sent[1..].iter().all(|sent| *sent > 9.9), "{sent:?}");
}

#[test]
fn processes_that_need_more_than_there_is_get_the_same_and_leave_little_unused() {
    let mut story = Story::new(&[1_000.0, 500.0, 12.0, 70.0]);
    story.pass(10);
    let sent = story.pass(30);
    let sum: f64 = sent.iter().sum();
    assert!((0.9 * 300.0..=300.0).contains(&sum), "{sent:?}");
    assert!((sent[0] - sent[1]).abs() < 1.0, "{sent:?}");
    assert!(sent[2] > 11.9 && sent[3] > 0.97 * 70.0, "{sent:?}");
}

#[test]
fn a_process_that_becomes_busy_has_an_even_share_within_minutes() {
    let mut story = Story::new(&[1_000.0, 1_000.0, 6.0]);
    story.pass(20);
    story.processes[2].a_minute = 1_000.0;
    story.pass(3);
    let sent = story.pass(5);
    assert!(
        sent.iter().all(|sent| (sent - 100.0).abs() < 3.0),
        "{sent:?}"
    );
}

#[test]
fn a_process_waits_when_it_uses_nearly_all_of_its_share_and_one_that_starts_waits() {
    let now = Moment::now().steady;
    for (requests, waits) in [(0, false), (7, false), (9, true), (10, true)] {
        let mut meter = DemandMeter::new(now);
        assert!(meter.demand(now).waits);
        let mut demand = meter.demand(now);
        for period in 1..100 {
            for _ in 0..requests {
                meter.sent(Rate::PerSecond(1.0), 1);
            }
            demand = meter.demand(now + Duration::from_secs(10) * period);
        }
        assert_eq!(demand.waits, waits, "{demand:?}");
        assert!(
            (demand.used - f64::from(requests) / 10.0).abs() < 1e-3,
            "{demand:?}"
        );
    }
}
