//! A portal, minute by minute: files come, fail for reasons that pass or for ever, are deleted and replaced; some folders
//! refuse. What happens to a file depends on the seed, the file and the time alone.

use std::sync::Arc;

mod figures;
mod folder;
mod plan;

pub use figures::{Figures, Returned};
pub use folder::{Fate, File, Folder, Status};
use plan::{Event, Plan, WORKER};
pub use plan::{OUTAGE, World};

/// Minutes of an hour and of a day.
pub const HOUR: u32 = 60;
pub const DAY: u32 = 24 * HOUR;

/// A transient failure should have come back so long after the end of its cause.
pub const IN_TIME: u32 = 2 * HOUR;

/// What happens in the portal, how large it is, and how long it is played.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    pub world: World,
    pub seed: u64,
    pub folders: u32,
    pub minutes: u32,
}

/// From a minute on, until before another one.
#[derive(Debug, Clone, Copy)]
pub struct Period {
    pub from: u32,
    pub until: u32,
}

impl Period {
    const fn new(from: u32, length: u32) -> Self {
        Self {
            from,
            until: from + length,
        }
    }

    pub fn contains(self, minute: u32) -> bool {
        (self.from..self.until).contains(&minute)
    }
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

pub struct Portal {
    size: Size,
    pub now: u32,
    pub folders: Vec<Folder>,
    plan: Plan,
    next_file: u128,
    figures: Figures,
}

impl Portal {
    pub fn new(size: Size) -> Self {
        let plan = Plan::new(size);
        let mut portal = Self {
            size,
            now: 0,
            folders: (0..size.folders).map(|_| Folder::default()).collect(),
            next_file: 1,
            figures: Figures::default(),
            plan,
        };
        for (of, (done, bad)) in (0..).zip(std::mem::take(&mut portal.plan.stock)) {
            portal.folder(of).done = done;
            for fate in bad {
                portal.upload(of, fate, 1);
            }
        }
        portal
    }

    pub fn is_over(&self) -> bool {
        self.now >= self.size.minutes
    }

    pub fn all_folders(&self) -> std::ops::Range<u32> {
        0..self.size.folders
    }

    /// Whether the file that stops everything exists.
    pub fn is_stopped(&self) -> bool {
        self.plan.kill_switch.contains(self.now)
    }

    /// Whether the portal lets the folder be reindexed.
    pub fn allows(&self, of: u32) -> bool {
        let period = self.plan.forbidden.get(&of);
        period.is_none_or(|period| !period.contains(self.now))
    }

    fn folder(&mut self, of: u32) -> &mut Folder {
        &mut self.folders[of as usize]
    }

    fn upload(&mut self, of: u32, fate: Fate, takes: u32) {
        let (id, until) = (self.next_file, self.now + takes);
        self.next_file += 1;
        self.folder(of).upload(id, fate, until);
    }

    /// A number that depends on the seed, a file and a time alone.
    fn chance(&self, id: u128, at: u32, salt: u64) -> f64 {
        let low = u64::try_from(id % u128::from(u64::MAX)).unwrap_or(0);
        let mixed = low.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (u64::from(at) << 32) ^ salt;
        fastrand::Rng::with_seed(mixed ^ self.size.seed.rotate_left(17)).f64()
    }

    /// Lets a minute pass.
    pub fn step(&mut self) {
        self.now += 1;
        for event in self.plan.events.remove(&self.now).unwrap_or_default() {
            match event {
                Event::Arrive { folder, fate } => {
                    let takes = 2 + u32::try_from(self.next_file % 5).unwrap_or(0);
                    self.upload(folder, fate, takes);
                }
                Event::Delete { folder } => self.folder(folder).delete(),
                Event::Replace { folder } => {
                    self.folder(folder).delete();
                    self.upload(folder, Fate::Good, 3);
                }
            }
        }
        for of in self.all_folders() {
            self.process(of);
        }
    }

    fn process(&mut self, of: u32) {
        let now = self.now;
        let ripe: Vec<u128> = self.folders[of as usize]
            .open()
            .filter(|(_, file)| matches!(file.status, Status::Waiting { until } if until <= now))
            .map(|(id, _)| id)
            .collect();
        for id in ripe {
            match self.failure(of, id) {
                Some((class, ends)) => self.fail(of, id, &class, ends),
                None => self.succeed(of, id),
            }
        }
    }

    /// The class with which a file fails now, and when its cause ends, if it does.
    fn failure(&self, of: u32, id: u128) -> Option<(Arc<str>, Option<u32>)> {
        let File {
            fate, processed, ..
        } = self.folders[of as usize].files[&id];
        match fate {
            Fate::Bad(class) => Some((class.into(), None)),
            Fate::BadInOtherWords => Some((format!("error {id} {processed}").into(), None)),
            Fate::FailsOnce if processed == 0 => Some(("timeout".into(), Some(self.now))),
            Fate::Partial if processed == 0 || self.chance(id, self.now, 5) >= 0.3 => {
                Some(("page lost".into(), Some(self.now)))
            }
            Fate::Good | Fate::FailsOnce | Fate::Partial => {
                let met = self.meets(of, id);
                met.map(|(class, end)| (class.into(), Some(end)))
            }
        }
    }

    /// The class and the end of what makes a file fail now.
    fn meets(&self, of: u32, id: u128) -> Option<(&'static str, u32)> {
        let now = self.now;
        let mut outages = self.plan.outages.iter();
        let hit = outages.find(|outage| {
            outage.period.contains(now) && outage.meets(of) && self.chance(id, now, 1) < 0.95
        });
        let chance = self.size.world.timeouts();
        let minute = || (self.chance(id, now, 2) < chance).then_some(("timeout", now));
        hit.map(|outage| (outage.class, outage.period.until))
            .or_else(minute)
    }

    fn fail(&mut self, of: u32, id: u128, class: &Arc<str>, ends: Option<u32>) {
        let now = self.now;
        let Some(file) = self.folders[of as usize].files.get_mut(&id) else {
            return;
        };
        let in_vain = u64::from(std::mem::take(&mut file.sent));
        (file.status, file.class, file.since) = (Status::Failed, Arc::clone(class), now);
        file.processed += 1;
        if let Some(ends) = ends {
            file.helpable_from = file.helpable_from.max(Some(ends.max(now)));
            file.of_worker |= **class == *WORKER;
        }
        self.figures.in_vain += in_vain;
    }

    fn succeed(&mut self, of: u32, id: u128) {
        let folder = self.folder(of);
        let Some(file) = folder.files.get_mut(&id) else {
            return;
        };
        file.status = Status::Done;
        file.sent = false;
        let (from, of_worker) = (file.helpable_from, file.of_worker);
        folder.open.remove(&id);
        folder.done += 1;
        if let Some(due) = from.and_then(|from| self.due(of, from)) {
            self.figures.returned(of_worker, self.now <= due);
        }
    }

    /// When a file should have come back; none where the days end before. The time begins anew after what keeps it from
    /// coming back: nobody may send it, or another outage meets its folder.
    fn due(&self, of: u32, helpable_from: u32) -> Option<u32> {
        let mut from = helpable_from;
        let outages = self.plan.outages.iter();
        let outages = outages.filter(|outage| outage.meets(of));
        let periods: Vec<&Period> = self
            .plan
            .forbidden
            .get(&of)
            .into_iter()
            .chain([&self.plan.kill_switch])
            .chain(outages.map(|outage| &outage.period))
            .collect();
        let begins = |period: &&&Period, from| period.from < from + IN_TIME && from < period.until;
        while let Some(period) = periods.iter().find(|period| begins(period, from)) {
            from = period.until;
        }
        let due = from + IN_TIME;
        (due < self.size.minutes).then_some(due)
    }

    /// Puts the failed files of a folder back into the queue.
    pub fn post(&mut self, of: u32) -> Answer {
        let luck = if self.size.world == World::Week {
            self.chance(u128::from(of), self.now, 3)
        } else {
            1.0
        };
        let (answer, files) = if !self.allows(of) {
            (Answer::Forbidden, 0)
        } else if luck < 0.01 {
            (Answer::NotCarriedOut, 0)
        } else if luck < 0.015 {
            (Answer::Busy, 0)
        } else if luck < 0.02 {
            (Answer::Lost, self.requeue(of))
        } else {
            let files = self.requeue(of);
            (Answer::Accepted(files), files)
        };
        self.figures.requests += 1;
        self.figures.sent += files;
        answer
    }

    /// One request in fifty is carried out slowly.
    fn requeue(&mut self, of: u32) -> u64 {
        let now = self.now;
        let slow = self.chance(u128::from(of), now, 4) < 0.02;
        let queue = self.size.world.queue();
        let mut files = 0;
        for (id, file) in &mut self.folder(of).files {
            if file.status == Status::Failed {
                let takes = 1 + u32::try_from(id % 6).unwrap_or(0);
                let until = now + queue + if slow { takes * 15 } else { takes };
                (file.status, file.sent) = (Status::Waiting { until }, true);
                files += 1;
            }
        }
        files
    }

    /// Counts what has not come back in the end, where there was time for it.
    pub fn close(&mut self) -> Figures {
        let mut figures = self.figures;
        for (of, folder) in (0..).zip(&self.folders) {
            for (_, file) in folder.failed() {
                if file
                    .helpable_from
                    .and_then(|from| self.due(of, from))
                    .is_some()
                {
                    figures.returned(file.of_worker, false);
                }
            }
        }
        figures
    }
}
