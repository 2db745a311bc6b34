//! Two days of a portal, minute by minute, under the default rules: what reindexing must achieve, and what it may cost. Answers are refused
//! or lost, and the program is killed, at random; each attempt keeps the promises.

use std::collections::BTreeMap;

use super::world::{Answer, File, World};
use super::*;

/// A failure that passes has come back so long after the end of its cause.
const IN_TIME: Duration = Duration::from_hours(2);

const FOLDERS: u128 = 60;

/// When the files of one folder in that number fail: the hour, and for how many minutes.
const OUTAGES: [(u32, u32, u128); 4] = [(3, 45, 1), (14, 110, 2), (27, 80, 3), (38, 15, 1)];

/// The end of the outage that a folder has at a time.
fn outage(of: u128, now: Duration) -> Option<Duration> {
    let mut outages = OUTAGES.into_iter().filter_map(|(hour, minutes, one_in)| {
        let (from, until) = (HOUR * hour, HOUR * hour + MINUTE * minutes);
        let is_struck = of.is_multiple_of(one_in) && (from..until).contains(&now);
        is_struck.then_some(until)
    });
    outages.next()
}

struct Portal {
    world: World,
    random: fastrand::Rng,
    /// Since when each failed file could come back, and how many did so in time or late.
    recoverable: BTreeMap<u128, Duration>,
    in_time: u64,
    late: u64,
}

impl Portal {
    /// Nine folders get files all the time, and any folder many of them now and then.
    fn upload(&mut self) {
        let (world, random) = (&mut self.world, &mut self.random);
        let few = (0..FOLDERS).step_by(7).filter(|_| random.u32(..8) == 0);
        let mut uploads: Vec<_> = few.map(|of| (of, 1)).collect();
        if random.u32(..240) == 0 {
            uploads.push((random.u128(..FOLDERS), 150));
        }
        for (of, files) in uploads {
            for _ in 0..files {
                let key = world.new_file();
                world.folder(of).upload(key);
            }
        }
    }

    fn process(&mut self) {
        let now = self.world.passed;
        let mut folders = std::mem::take(&mut self.world.folders);
        for (of, folder) in &mut folders {
            let outage = outage(*of, now);
            folder.process(|file| self.processed(file, outage, now));
        }
        self.world.folders = folders;
    }

    /// What becomes of a file that waits. One in seventy fails for ever.
    fn processed(&mut self, file: &mut File, outage: Option<Duration>, now: Duration) -> Status {
        let id = file.key.link;
        let takes = MINUTE * u32::try_from(1 + id % 6).unwrap();
        if file.requeued.is_some_and(|at| now < at + takes) {
            return Status::Pending;
        }
        if id.is_multiple_of(70) {
            "password protected".clone_into(&mut file.class);
            return Status::Failed;
        }
        if let Some(end) = outage.filter(|_| self.random.u32(..20) > 0) {
            let since = self.recoverable.entry(id).or_insert(end);
            *since = end.max(*since);
            "text recognition unavailable".clone_into(&mut file.class);
            return Status::Failed;
        }
        match self.recoverable.remove(&id) {
            Some(since) if now.saturating_sub(since) <= IN_TIME => self.in_time += 1,
            Some(_) => self.late += 1,
            None => {}
        }
        Status::Done
    }

    /// Reads every folder, and makes the attempts that are due.
    fn read(&mut self) {
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

#[test]
fn most_transient_failures_recover_in_time_and_few_requests_are_made() {
    let rules = ReindexRules {
        mode: Mode::Enforce,
        ..ReindexRules::default()
    };
    let mut portal = Portal {
        world: World::new(FOLDERS, rules),
        random: fastrand::Rng::with_seed(1),
        recoverable: BTreeMap::new(),
        in_time: 0,
        late: 0,
    };
    while portal.world.passed < DAY * 2 {
        portal.world.pass(MINUTE);
        portal.upload();
        portal.process();
        portal.read();
    }
    // Those that still may come back are left out.
    let missed = portal.recoverable.values();
    let missed = missed.filter(|since| **since + IN_TIME < portal.world.passed);
    let late = portal.late + missed.count() as u64;
    assert!(portal.in_time > 100, "{} came back", portal.in_time);
    assert!(portal.in_time >= 19 * late, "{late} of {}", portal.in_time);
    let requests = portal.world.noted.len();
    assert!(requests <= 50, "{requests}");
}
