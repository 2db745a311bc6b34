//! What will happen to the portal: drawn from the seed beforehand.

use std::collections::BTreeMap;

use super::{DAY, HOUR, Period, Size};

/// Something that makes files fail while it lasts.
#[derive(Debug, Clone, Copy)]
pub struct Outage {
    pub class: &'static str,
    pub period: Period,
    /// Files of one folder in so many fail.
    one_in: u32,
    rest: u32,
}

impl Outage {
    pub fn meets(&self, folder: u32) -> bool {
        folder % self.one_in == self.rest
    }
}

#[derive(Debug, Clone, Copy)]
pub enum Event {
    /// A file is uploaded; `bad`: the class with which it will always fail.
    Arrive {
        folder: u32,
        bad: Option<&'static str>,
    },
    Delete {
        folder: u32,
    },
    Replace {
        folder: u32,
    },
}

/// Everything that is drawn beforehand.
pub struct Plan {
    pub outages: Vec<Outage>,
    pub events: BTreeMap<u32, Vec<Event>>,
    /// Folders that the portal does not let be reindexed for a while.
    pub forbidden: BTreeMap<u32, Period>,
    /// While it lasts, the file that stops everything exists.
    pub kill_switch: Period,
    /// Done files at the beginning, and the classes of files that will always fail, by folder.
    pub stock: Vec<(u64, Vec<&'static str>)>,
}

/// The class of a broken worker.
pub const WORKER: &str = "worker crashed";

const PASSING: [&str; 3] = [
    "timeout",
    "text recognition unavailable",
    "connection reset",
];
const BAD: [&str; 3] = ["password protected", "damaged file", "unsupported codec"];

impl Plan {
    pub fn new(size: Size) -> Self {
        let mut rng = fastrand::Rng::with_seed(size.seed);
        let end = size.days * DAY;
        let mut plan = Self {
            outages: outages(&mut rng, end),
            events: BTreeMap::new(),
            forbidden: BTreeMap::new(),
            kill_switch: Period::new(rng.u32(0..end), 2 * HOUR),
            stock: (0..size.folders).map(|_| stock(&mut rng)).collect(),
        };
        plan.arrivals(&mut rng, size);
        plan.imports(&mut rng, size);
        for _ in 0..size.folders / 60 {
            let period = Period::new(rng.u32(0..end), 12 * HOUR);
            plan.forbidden.insert(rng.u32(0..size.folders), period);
        }
        plan
    }

    fn event(&mut self, at: u32, event: Event) {
        self.events.entry(at).or_default().push(event);
    }

    /// One folder in seven gets files all the time; one file in seventy will never be done.
    fn arrivals(&mut self, rng: &mut fastrand::Rng, size: Size) {
        for folder in (0..size.folders).filter(|of| of % 7 == 0) {
            let mut at = rng.u32(0..40);
            while at < size.days * DAY {
                let bad = (rng.u32(0..70) == 0).then(|| BAD[rng.usize(0..BAD.len())]);
                self.event(at, Event::Arrive { folder, bad });
                if rng.u32(0..100) == 0 {
                    self.event(at, Event::Delete { folder });
                }
                if rng.u32(0..100) == 0 {
                    self.event(at, Event::Replace { folder });
                }
                at += 1 + rng.u32(0..40);
            }
        }
    }

    /// Large uploads to other folders, one a day; every other one meets an outage.
    fn imports(&mut self, rng: &mut fastrand::Rng, size: Size) {
        for number in 0..size.days {
            let outage = self.outages[rng.usize(0..self.outages.len())];
            let at = if number % 2 == 0 {
                outage.period.from + 1
            } else {
                rng.u32(0..size.days * DAY)
            };
            let folder = loop {
                let of = rng.u32(0..size.folders);
                if !of.is_multiple_of(7) && outage.meets(of) {
                    break of;
                }
            };
            for _ in 0..rng.u32(100..300) {
                self.event(at, Event::Arrive { folder, bad: None });
            }
        }
    }
}

/// Most folders hold done files, one in five some that never will be.
fn stock(rng: &mut fastrand::Rng) -> (u64, Vec<&'static str>) {
    let done = rng.u64(50..3_000);
    if rng.u32(0..5) != 0 {
        return (done, Vec::new());
    }
    let class = BAD[rng.usize(0..BAD.len())];
    let files = 1 + rng.usize(0..20) * rng.usize(0..2);
    (done, vec![class; files])
}

/// One outage in each half of a day, of ten minutes to two hours; and, where there is time for it, a worker that is broken for a day.
fn outages(rng: &mut fastrand::Rng, end: u32) -> Vec<Outage> {
    let mut outages: Vec<Outage> = (0..end / DAY * 2)
        .map(|half| {
            let from = half * DAY / 2 + rng.u32(HOUR..10 * HOUR);
            let one_in = 1 + rng.u32(0..3);
            Outage {
                class: PASSING[rng.usize(0..PASSING.len())],
                period: Period::new(from, rng.u32(10..120)),
                one_in,
                rest: rng.u32(0..one_in),
            }
        })
        .collect();
    if end >= 3 * DAY {
        outages.push(Outage {
            class: WORKER,
            period: Period::new(rng.u32(DAY / 2..end - 2 * DAY), DAY),
            one_in: 5,
            rest: rng.u32(0..5),
        });
    }
    outages
}
