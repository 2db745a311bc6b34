//! A portal as it may be in a week: files arrive, are processed and fail, for causes that end or do not.
//!
//! The same seed gives every policy the same week: what happens to a file hangs on the seed, the file and the time alone.

use std::collections::{BTreeMap, BTreeSet};

/// Minutes of an hour and of a day.
pub const HOUR: u32 = 60;
pub const DAY: u32 = 24 * HOUR;

/// A transient failure should have come back so long after the end of its cause.
pub const IN_TIME: u32 = 2 * HOUR;

/// How large the portal is, and how long it is played.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    pub seed: u64,
    pub folders: u32,
    pub days: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Waiting { until: u32 },
    Done,
    Failed,
}

#[derive(Debug, Clone)]
pub struct File {
    pub status: Status,
    /// The class of its last error, and since when it is failed.
    pub class: &'static str,
    pub since: u32,
    /// The class with which it fails whenever it is processed.
    bad: Option<&'static str>,
    /// When the cause of a failure that may pass ended, or will end: the file may come back from then on.
    pub helpable_from: Option<u32>,
    /// Whether it was sent and not processed since.
    sent: bool,
}

#[derive(Debug, Default)]
pub struct Folder {
    pub files: BTreeMap<u128, File>,
    /// Those that are not done.
    pub open: BTreeSet<u128>,
    pub done: u64,
}

impl Folder {
    pub fn failed(&self) -> impl Iterator<Item = (u128, &File)> {
        let open = self.open.iter().map(|id| (*id, &self.files[id]));
        open.filter(|(_, file)| file.status == Status::Failed)
    }

    pub fn waiting(&self) -> u64 {
        let waits = |id: &&u128| matches!(self.files[*id].status, Status::Waiting { .. });
        self.open.iter().filter(waits).count() as u64
    }
}

/// Something that makes files fail while it lasts.
#[derive(Debug, Clone, Copy)]
struct Outage {
    class: &'static str,
    from: u32,
    until: u32,
    /// Files of one folder in so many fail.
    one_in: u32,
    rest: u32,
}

#[derive(Debug, Clone, Copy)]
enum Event {
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

/// What a portal answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Accepted(u64),
    Forbidden,
    Busy,
    NotCarriedOut,
    Lost,
}

/// What became of the transient failures, and what was sent.
#[derive(Debug, Clone, Copy, Default)]
pub struct Figures {
    pub requests: u64,
    pub sent: u64,
    pub helped: u64,
    pub in_vain: u64,
    pub transient: u64,
    pub in_time: u64,
}

pub struct Week {
    size: Size,
    pub now: u32,
    pub folders: Vec<Folder>,
    outages: Vec<Outage>,
    events: BTreeMap<u32, Vec<Event>>,
    /// Folders that the portal does not let be reindexed, and until when.
    forbidden: BTreeMap<u32, (u32, u32)>,
    next_file: u128,
    pub figures: Figures,
}

const BAD: [&str; 3] = ["password protected", "damaged file", "unsupported codec"];

impl Week {
    pub fn new(size: Size) -> Self {
        let mut rng = fastrand::Rng::with_seed(size.seed);
        let end = size.days * DAY;
        let mut week = Self {
            size,
            now: 0,
            folders: (0..size.folders).map(|_| Folder::default()).collect(),
            outages: outages(&mut rng, end),
            events: BTreeMap::new(),
            forbidden: BTreeMap::new(),
            next_file: 1,
            figures: Figures::default(),
        };
        week.stock(&mut rng);
        week.arrivals(&mut rng, end);
        week.imports(&mut rng);
        for _ in 0..size.folders / 60 {
            let from = rng.u32(0..end);
            let of = rng.u32(0..size.folders);
            week.forbidden.insert(of, (from, from + 12 * HOUR));
        }
        week
    }

    pub fn is_over(&self) -> bool {
        self.now >= self.size.days * DAY
    }

    /// Files that are there at the beginning: most folders hold done ones, one in five some that never will be.
    fn stock(&mut self, rng: &mut fastrand::Rng) {
        for of in 0..self.size.folders {
            self.folders[of as usize].done = rng.u64(50..3_000);
            if rng.u32(0..5) == 0 {
                let class = BAD[rng.usize(0..BAD.len())];
                for _ in 0..1 + rng.u32(0..20) * rng.u32(0..2) {
                    self.arrive(of, Some(class), 1);
                }
            }
        }
    }

    /// One folder in seven gets files all the time; one file in seventy will never be done.
    fn arrivals(&mut self, rng: &mut fastrand::Rng, end: u32) {
        for folder in (0..self.size.folders).filter(|of| of % 7 == 0) {
            let mut at = rng.u32(0..40);
            while at < end {
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

    /// Large uploads to new folders; the first ones meet an outage.
    fn imports(&mut self, rng: &mut fastrand::Rng) {
        for number in 0..self.size.days {
            let outage = self.outages[rng.usize(0..self.outages.len())];
            let at = if number % 2 == 0 {
                outage.from + 1
            } else {
                rng.u32(0..self.size.days * DAY)
            };
            let folder = loop {
                let of = rng.u32(0..self.size.folders);
                if of % 7 != 0 && of % outage.one_in == outage.rest {
                    break of;
                }
            };
            for _ in 0..rng.u32(100..300) {
                self.event(at, Event::Arrive { folder, bad: None });
            }
        }
    }

    fn event(&mut self, at: u32, event: Event) {
        self.events.entry(at).or_default().push(event);
    }

    fn arrive(&mut self, of: u32, bad: Option<&'static str>, until: u32) {
        let id = self.next_file;
        self.next_file += 1;
        let folder = &mut self.folders[of as usize];
        folder.open.insert(id);
        folder.files.insert(
            id,
            File {
                status: Status::Waiting { until },
                class: "",
                since: 0,
                bad,
                helpable_from: None,
                sent: false,
            },
        );
    }

    /// A number that hangs on the seed, a file and a time alone.
    fn chance(&self, id: u128, at: u32, salt: u64) -> f64 {
        let low = u64::try_from(id % u128::from(u64::MAX)).unwrap_or(0);
        let mixed = low.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (u64::from(at) << 32) ^ salt;
        fastrand::Rng::with_seed(mixed ^ self.size.seed.rotate_left(17)).f64()
    }

    /// Lets a minute pass.
    pub fn step(&mut self) {
        self.now += 1;
        for event in self.events.remove(&self.now).unwrap_or_default() {
            match event {
                Event::Arrive { folder, bad } => {
                    let took = 2 + u32::try_from(self.next_file % 5).unwrap_or(0);
                    self.arrive(folder, bad, self.now + took);
                }
                Event::Delete { folder } => self.delete(folder),
                Event::Replace { folder } => {
                    self.delete(folder);
                    self.arrive(folder, None, self.now + 3);
                }
            }
        }
        for of in 0..self.size.folders {
            self.process(of);
        }
    }

    fn delete(&mut self, of: u32) {
        let folder = &mut self.folders[of as usize];
        let oldest = folder.open.first().copied();
        if let Some(id) = oldest.filter(|id| folder.files[id].status == Status::Failed) {
            folder.open.remove(&id);
            folder.files.remove(&id);
        }
    }

    fn process(&mut self, of: u32) {
        let now = self.now;
        let ripe: Vec<u128> = self.folders[of as usize]
            .open
            .iter()
            .copied()
            .filter(|id| {
                let status = self.folders[of as usize].files[id].status;
                matches!(status, Status::Waiting { until } if until <= now)
            })
            .collect();
        for id in ripe {
            let bad = self.folders[of as usize].files[&id].bad;
            let failure = match bad {
                Some(class) => Some((class, None)),
                None => self.meets(of, id).map(|(class, end)| (class, Some(end))),
            };
            self.end(of, id, failure);
        }
    }

    /// The class and the end of what makes a file fail now.
    fn meets(&self, of: u32, id: u128) -> Option<(&'static str, u32)> {
        let now = self.now;
        let hit = self.outages.iter().find(|outage| {
            (outage.from..outage.until).contains(&now)
                && of % outage.one_in == outage.rest
                && self.chance(id, now, 1) < 0.95
        });
        let minute = || (self.chance(id, now, 2) < 0.003).then_some(("timeout", now));
        hit.map(|outage| (outage.class, outage.until))
            .or_else(minute)
    }

    fn end(&mut self, of: u32, id: u128, failure: Option<(&'static str, Option<u32>)>) {
        let (now, end) = (self.now, self.size.days * DAY);
        let refused_until = self.forbidden.get(&of).filter(|(from, _)| *from <= now);
        let refused_until = refused_until.map_or(0, |(_, until)| *until);
        let folder = &mut self.folders[of as usize];
        let Some(file) = folder.files.get_mut(&id) else {
            return;
        };
        let sent = std::mem::take(&mut file.sent);
        let figures = &mut self.figures;
        match failure {
            Some((class, ends)) => {
                figures.in_vain += u64::from(sent);
                file.status = Status::Failed;
                file.class = class;
                file.since = now;
                if let Some(ends) = ends {
                    let from = ends.max(now);
                    file.helpable_from = Some(file.helpable_from.map_or(from, |at| at.max(from)));
                }
            }
            None => {
                figures.helped += u64::from(sent);
                file.status = Status::Done;
                folder.open.remove(&id);
                folder.done += 1;
                let from = file.helpable_from.map(|from| from.max(refused_until));
                if let Some(from) = from.filter(|from| from + IN_TIME < end) {
                    figures.transient += 1;
                    figures.in_time += u64::from(now <= from + IN_TIME);
                }
            }
        }
    }

    /// Puts the failed files of a folder back into the queue.
    pub fn post(&mut self, of: u32) -> Answer {
        self.figures.requests += 1;
        let now = self.now;
        if let Some((from, until)) = self.forbidden.get(&of)
            && (*from..*until).contains(&now)
        {
            return Answer::Forbidden;
        }
        let luck = self.chance(u128::from(of), now, 3);
        if luck < 0.01 {
            return Answer::NotCarriedOut;
        } else if luck < 0.015 {
            return Answer::Busy;
        }
        let failed: Vec<u128> = self.folders[of as usize]
            .failed()
            .map(|(id, _)| id)
            .collect();
        for id in &failed {
            let until = now + 1 + u32::try_from(id % 6).unwrap_or(0);
            if let Some(file) = self.folders[of as usize].files.get_mut(id) {
                file.status = Status::Waiting { until };
                file.sent = true;
            }
        }
        self.figures.sent += failed.len() as u64;
        if luck < 0.02 {
            Answer::Lost
        } else {
            Answer::Accepted(failed.len() as u64)
        }
    }

    /// Whether the portal lets the folder be reindexed.
    pub fn allows(&self, of: u32) -> bool {
        let period = self.forbidden.get(&of);
        period.is_none_or(|(from, until)| !(*from..*until).contains(&self.now))
    }

    /// Counts what has not come back in the end, where there was time for it.
    pub fn close(&mut self) -> Figures {
        let end = self.size.days * DAY;
        for (of, folder) in (0_u32..).zip(&self.folders) {
            for (_, file) in folder.failed() {
                let refused = self.forbidden.get(&of).map(|(_, until)| *until);
                let from = file.helpable_from.filter(|from| {
                    from + IN_TIME < end && refused.is_none_or(|until| until + IN_TIME < end)
                });
                self.figures.transient += u64::from(from.is_some());
            }
        }
        self.figures
    }
}

/// Two outages a day, of ten minutes to two hours; and a worker that is broken for a day.
fn outages(rng: &mut fastrand::Rng, end: u32) -> Vec<Outage> {
    let classes = [
        "timeout",
        "text recognition unavailable",
        "connection reset",
    ];
    let mut outages: Vec<Outage> = (0..end / DAY * 2)
        .map(|_| {
            let from = rng.u32(HOUR..end - 4 * HOUR);
            let one_in = 1 + rng.u32(0..3);
            Outage {
                class: classes[rng.usize(0..3)],
                from,
                until: from + rng.u32(10..120),
                one_in,
                rest: rng.u32(0..one_in),
            }
        })
        .collect();
    if end >= 4 * DAY {
        let from = rng.u32(DAY..2 * DAY);
        outages.push(Outage {
            class: "worker crashed",
            from,
            until: from + DAY,
            one_in: 5,
            rest: rng.u32(0..5),
        });
    }
    outages
}
