//! What will happen to the portal: drawn from the seed beforehand.

use std::collections::BTreeMap;

use super::{DAY, Fate, HOUR, Period, Size};

/// What happens in a portal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum World {
    /// Outages, a worker that is broken for a day, imports, files that will never be done.
    Week,
    /// So many files fail in an hour that a retry helps, each in any folder.
    Trickle { an_hour: u32 },
    /// Files of which a retry helps three in ten.
    Partial,
    /// 10,000 files are uploaded to one folder within an outage of three hours.
    Import,
    /// An outage of an hour in a portal whose queue is two and a half hours long.
    LongQueue,
    /// Every folder has a file that will never be done, with a text that changes each time.
    Hopeless,
}

/// When the outage of an import and of a long queue begins, and when it ends.
pub const OUTAGE: [u32; 2] = [2 * HOUR, 5 * HOUR];

impl World {
    /// The chance of a file to fail once for no reason.
    pub(super) const fn timeouts(self) -> f64 {
        match self {
            Self::Week => 0.003,
            _ => 0.0,
        }
    }

    /// How long a file waits in the queue.
    pub(super) const fn queue(self) -> u32 {
        match self {
            Self::LongQueue => 150,
            _ => 0,
        }
    }
}

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
    /// A file is uploaded.
    Arrive {
        folder: u32,
        fate: Fate,
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
    /// Done files at the beginning, and the files that are not done, by folder.
    pub stock: Vec<(u64, Vec<Fate>)>,
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
        let mut plan = Self {
            outages: Vec::new(),
            events: BTreeMap::new(),
            forbidden: BTreeMap::new(),
            kill_switch: Period::new(0, 0),
            stock: (0..size.folders).map(|_| (1_000, Vec::new())).collect(),
        };
        match size.world {
            World::Week => plan.week(&mut rng, size),
            World::Trickle { an_hour } => plan.trickle(&mut rng, size, an_hour),
            World::Partial => plan.stock_with(5, Fate::Partial),
            World::Hopeless => plan.stock_with(1, Fate::BadInOtherWords),
            World::Import => plan.outage(10_000, 0..1, &mut rng),
            World::LongQueue => plan.outage(10 * size.folders, 0..size.folders, &mut rng),
        }
        plan
    }

    fn week(&mut self, rng: &mut fastrand::Rng, size: Size) {
        let end = size.minutes;
        self.outages = outages(rng, end);
        self.kill_switch = Period::new(rng.u32(0..end), 2 * HOUR);
        self.stock = (0..size.folders).map(|_| stock(rng)).collect();
        self.arrivals(rng, size);
        self.imports(rng, size);
        for _ in 0..size.folders / 60 {
            let period = Period::new(rng.u32(0..end), 12 * HOUR);
            self.forbidden.insert(rng.u32(0..size.folders), period);
        }
    }

    fn trickle(&mut self, rng: &mut fastrand::Rng, size: Size, an_hour: u32) {
        for _ in 0..size.minutes / HOUR * an_hour {
            let (at, folder) = (rng.u32(0..size.minutes), rng.u32(0..size.folders));
            let fate = Fate::FailsOnce;
            self.event(at, Event::Arrive { folder, fate });
        }
    }

    fn stock_with(&mut self, files: usize, fate: Fate) {
        for (_, open) in &mut self.stock {
            open.extend(vec![fate; files]);
        }
    }

    /// Files that are uploaded within an outage that all folders meet.
    fn outage(&mut self, files: u32, folders: std::ops::Range<u32>, rng: &mut fastrand::Rng) {
        let [from, until] = OUTAGE;
        self.outages.push(Outage {
            class: PASSING[1],
            period: Period { from, until },
            one_in: 1,
            rest: 0,
        });
        for _ in 0..files {
            let (at, folder) = (rng.u32(from..until - 5), rng.u32(folders.clone()));
            let fate = Fate::Good;
            self.event(at, Event::Arrive { folder, fate });
        }
    }

    fn event(&mut self, at: u32, event: Event) {
        self.events.entry(at).or_default().push(event);
    }

    /// One folder in seven gets files all the time; one file in seventy will never be done.
    fn arrivals(&mut self, rng: &mut fastrand::Rng, size: Size) {
        for folder in (0..size.folders).filter(|of| of % 7 == 0) {
            let mut at = rng.u32(0..40);
            while at < size.minutes {
                let is_bad = rng.u32(0..70) == 0;
                let fate = if is_bad { bad(rng) } else { Fate::Good };
                self.event(at, Event::Arrive { folder, fate });
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
        for number in 0..size.minutes / DAY {
            let outage = self.outages[rng.usize(0..self.outages.len())];
            let at = if number % 2 == 0 {
                outage.period.from + 1
            } else {
                rng.u32(0..size.minutes)
            };
            let folder = loop {
                let of = rng.u32(0..size.folders);
                if !of.is_multiple_of(7) && outage.meets(of) {
                    break of;
                }
            };
            for _ in 0..rng.u32(100..300) {
                self.event(
                    at,
                    Event::Arrive {
                        folder,
                        fate: Fate::Good,
                    },
                );
            }
        }
    }
}

/// Most folders hold done files, one in five some that never will be.
fn stock(rng: &mut fastrand::Rng) -> (u64, Vec<Fate>) {
    let done = rng.u64(50..3_000);
    if rng.u32(0..5) != 0 {
        return (done, Vec::new());
    }
    let fate = bad(rng);
    let files = 1 + rng.usize(0..20) * rng.usize(0..2);
    (done, vec![fate; files])
}

fn bad(rng: &mut fastrand::Rng) -> Fate {
    Fate::Bad(BAD[rng.usize(0..BAD.len())])
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
