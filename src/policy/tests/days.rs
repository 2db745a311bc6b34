//! Days of a portal, minute by minute, under the default rules: what reindexing must achieve, and what it may cost. Answers are refused or
//! lost, and the program is killed, at random; each attempt keeps the promises.

use std::collections::BTreeMap;

use super::world::{Answer, File, World};
use super::*;

/// A failure that passes has come back so long after the end of its cause.
const IN_TIME: Duration = Duration::from_hours(2);

/// What a file does when it is processed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    /// It is done, unless something is out of order just then.
    Good,
    /// It fails for ever.
    Bad,
}

/// Something that makes the files of some folders fail: one folder in so many.
#[derive(Debug, Clone, Copy)]
struct Outage {
    from: Duration,
    until: Duration,
    one_in: u128,
}

struct Portal {
    world: World,
    random: fastrand::Rng,
    fates: BTreeMap<u128, Fate>,
    outages: Vec<Outage>,
    /// Since when each failed file could come back, and how many did so in time or late.
    recoverable: BTreeMap<u128, Duration>,
    in_time: u64,
    late: u64,
}

impl Portal {
    fn new(folders: u128) -> Self {
        let rules = ReindexRules {
            mode: Mode::Enforce,
            ..ReindexRules::default()
        };
        Self {
            world: World::new(folders, rules),
            random: fastrand::Rng::with_seed(1),
            fates: BTreeMap::new(),
            outages: Vec::new(),
            recoverable: BTreeMap::new(),
            in_time: 0,
            late: 0,
        }
    }

    fn outage(&mut self, from: Duration, lasts: Duration, one_in: u128) {
        let until = from + lasts;
        self.outages.push(Outage {
            from,
            until,
            one_in,
        });
    }

    fn upload(&mut self, of: u128, fate: Fate) {
        let key = self.world.new_file();
        self.fates.insert(key.link, fate);
        self.world.folder(of).upload(key);
    }

    fn any_folder(&mut self) -> u128 {
        self.random.u128(..self.world.folders.len() as u128)
    }

    /// Lets minutes pass: files come, those that wait are processed, and every folder is read.
    fn pass(&mut self, time: Duration, mut arrive: impl FnMut(&mut Self)) {
        let end = self.world.passed + time;
        while self.world.passed < end {
            self.world.pass(MINUTE);
            arrive(self);
            self.process();
            let random = &mut self.random;
            self.world.read(true, || match random.u32(..200) {
                0 => Answer::Refused(429),
                1 => Answer::Lost { worked: true },
                2 => Answer::Lost { worked: false },
                3 => Answer::Crash { sent: true },
                4 => Answer::Crash { sent: false },
                _ => Answer::Accepted,
            });
            if random.u32(..700) == 0 {
                self.world.restart();
            }
        }
    }

    fn process(&mut self) {
        let now = self.world.passed;
        let Self {
            world,
            random,
            fates,
            outages,
            recoverable,
            in_time,
            late,
            ..
        } = self;
        for (of, folder) in &mut world.folders {
            let outage = outages.iter().find(|outage| {
                of.is_multiple_of(outage.one_in) && (outage.from..outage.until).contains(&now)
            });
            folder.process(|file| {
                let id = file.key.link;
                let takes = MINUTE * u32::try_from(1 + id % 6).unwrap();
                if file.requeued.is_some_and(|at| now < at + takes) {
                    return Status::Pending;
                }
                let fails = |file: &mut File, class: &str| {
                    class.clone_into(&mut file.class);
                    Status::Failed
                };
                if fates[&id] == Fate::Bad {
                    return fails(file, "password protected");
                }
                let cause_ends = match outage {
                    Some(outage) if random.u32(..20) > 0 => Some(outage.until),
                    _ => None,
                };
                if let Some(end) = cause_ends {
                    let since = recoverable.entry(id).or_insert(end);
                    *since = end.max(*since);
                    return fails(file, "text recognition unavailable");
                }
                if let Some(since) = recoverable.remove(&id) {
                    if now.saturating_sub(since) <= IN_TIME {
                        *in_time += 1;
                    } else {
                        *late += 1;
                    }
                }
                Status::Done
            });
        }
    }

    fn requests(&self) -> usize {
        self.world.noted.len()
    }

    /// The share of the files that could come back and did so in time. Those that still may are left out.
    fn share_in_time(&self) -> f64 {
        let missed = self.recoverable.values();
        let missed = missed.filter(|since| **since + IN_TIME < self.world.passed);
        let all = self.in_time + self.late + missed.count() as u64;
        share(self.in_time, all)
    }
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Outages of some folders twice a day; uploads all the time, of which one in seventy is bad; a large one now and then.
#[test]
fn most_transient_failures_recover_in_time_and_few_requests_are_made() {
    let mut portal = Portal::new(60);
    for (from, lasts, one_in) in [(3, 45, 1), (14, 110, 2), (27, 80, 3), (38, 15, 1)] {
        portal.outage(HOUR * from, MINUTE * lasts, one_in);
    }
    portal.pass(DAY * 2, |portal| {
        for of in (0..60).step_by(7) {
            if portal.random.u32(..8) == 0 {
                let is_bad = portal.random.u32(..70) == 0;
                portal.upload(of, if is_bad { Fate::Bad } else { Fate::Good });
            }
        }
        if portal.random.u32(..240) == 0 {
            let of = portal.any_folder();
            (0..150).for_each(|_| portal.upload(of, Fate::Good));
        }
    });
    assert!(portal.in_time > 100, "{} came back", portal.in_time);
    assert!(portal.share_in_time() >= 0.95, "{}", portal.share_in_time());
    // Nine folders get files all the time, and meet all or some of the outages.
    assert!(portal.requests() <= 50, "{}", portal.requests());
}
