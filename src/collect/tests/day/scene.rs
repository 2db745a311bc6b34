//! What a portal holds, and what happens in it when.

use std::collections::HashMap;
use std::ops::Range;
use std::time::Duration;

use kb_simulator::Status::{self, Failed, Flagged, Pending};
use kb_simulator::faults::{Fault, Faults, Scope};
use kb_simulator::{NewFile, Simulator, World};
use uuid::Uuid;

use super::{MINUTE, Millis};

/// What happens to a folder again and again.
#[derive(Debug, Clone)]
pub enum Act {
    /// A file with this extension arrives, and its processing ends in a status.
    Upload(&'static str, Status),
    /// A file that has been in the first status for long takes the second one.
    Move(Status, Status),
    Delete(Status),
    /// All files of a status are queued again, and end as before.
    Requeue(Status),
}

/// An act that is repeated at an interval, for a time.
struct Flow {
    folder: Uuid,
    act: Act,
    every: Millis,
    next: Millis,
    until: Millis,
}

/// What is wrong with a folder for a time.
pub struct Trouble {
    pub folder: Uuid,
    pub during: Range<Millis>,
    scope: Scope,
    fault: Fault,
}

impl Trouble {
    /// Whether the portal does not tell the truth for a time, or did not until shortly ago.
    pub fn is_felt(&self, now: Millis) -> bool {
        let felt = self.during.start..self.during.end.saturating_add(2 * MINUTE);
        felt.end < Millis::MAX && felt.contains(&now)
    }
}

/// A portal, and what will happen in it.
pub struct Scene {
    pub simulator: Simulator,
    pub faults: Faults,
    pub troubles: Vec<Trouble>,
    /// The troubles that are switched on.
    active: Vec<bool>,
    flows: Vec<Flow>,
    /// When each file was changed here.
    changed: HashMap<Uuid, Millis>,
    now: Millis,
    random: fastrand::Rng,
}

impl Scene {
    pub fn new(simulator: Simulator, seed: u64) -> Self {
        Self {
            simulator,
            faults: Faults::new(seed),
            troubles: Vec::new(),
            active: Vec::new(),
            flows: Vec::new(),
            changed: HashMap::new(),
            now: 0,
            random: fastrand::Rng::with_seed(seed),
        }
    }

    /// Adds a folder with this number of files in each status, in a random order.
    pub fn folder(&mut self, files: &[(Status, usize)]) -> Uuid {
        let files = files.iter();
        let files = files.flat_map(|(status, number)| std::iter::repeat_n(status, *number));
        let mut files: Vec<_> = files.cloned().collect();
        self.random.shuffle(&mut files);
        self.folder_in_order(files)
    }

    /// Adds a folder of files with these statuses, in the order of their names.
    pub fn folder_in_order(&mut self, files: impl IntoIterator<Item = Status>) -> Uuid {
        self.simulator.with(|world| {
            let folder = world.add_folder("Files");
            for (number, status) in files.into_iter().enumerate() {
                let file = NewFile {
                    error: reason(&status).map(str::to_owned),
                    ends: status.clone(),
                    ..NewFile::new(format!("{:09}.txt", number * 1_000), status)
                };
                world.add_file(folder, &file).unwrap();
            }
            folder
        })
    }

    /// Adds a folder of any size, in which single files are neither added nor deleted.
    pub fn large_folder(&mut self, done: u64, failed: u64) -> Uuid {
        let counts = [(Status::Done, done), (Failed, failed)].into();
        let add = |world: &mut World| world.add_synthetic_folder("Large", &counts);
        self.simulator.with(add)
    }

    /// Deletes files of a status, in the middle of its list, of which the index never hears: they are in totals and on no page.
    pub fn hide(&mut self, folder: Uuid, status: &Status, number: usize) {
        self.simulator.with(|world| {
            world.switches().index_delay = Duration::MAX;
            let middle = files_with(world, folder, status) / 2;
            for at in middle..middle + number {
                let file = world.file_with(folder, status, at).unwrap();
                world.delete_file(folder, file).unwrap();
            }
            world.switches().index_delay = Duration::ZERO;
        });
    }

    /// Repeats an act, the first time after one interval.
    pub fn flow(&mut self, folder: Uuid, act: Act, every: Millis, during: Range<Millis>) {
        self.flows.push(Flow {
            folder,
            act,
            every,
            next: during.start + every,
            until: during.end,
        });
    }

    /// Lets a fault strike for a time.
    pub fn trouble(&mut self, folder: Uuid, during: Range<Millis>, scope: Scope, fault: Fault) {
        self.troubles.push(Trouble {
            folder,
            during,
            scope,
            fault,
        });
    }

    /// Lets everything happen that is due.
    pub fn move_to(&mut self, now: Millis) {
        loop {
            let flows = self.flows.iter_mut();
            let due = flows.filter(|flow| flow.next <= now && flow.next < flow.until);
            let Some(flow) = due.min_by_key(|flow| flow.next) else {
                break;
            };
            let (folder, act, time) = (flow.folder, flow.act.clone(), flow.next);
            flow.next += flow.every;
            self.live(time);
            self.act(folder, act);
        }
        self.live(now);
        let troubles = self.troubles.iter();
        let active: Vec<_> = troubles.map(|it| it.during.contains(&now)).collect();
        if active != self.active {
            self.faults.clear();
            for (trouble, _) in self.troubles.iter().zip(&active).filter(|it| *it.1) {
                self.faults
                    .add(trouble.scope.clone(), trouble.fault.clone());
            }
            self.active = active;
        }
    }

    fn live(&mut self, until: Millis) {
        let time = Duration::from_millis(until - self.now);
        self.simulator.with(|world| world.step(time));
        self.now = until;
    }

    fn act(&mut self, folder: Uuid, act: Act) {
        let simulator = self.simulator.clone();
        simulator.with(|world| match act {
            Act::Upload(extension, ends) => {
                let name = format!(
                    "{:09} {}.{extension}",
                    self.random.u32(0..100_000_000),
                    self.now
                );
                let file = NewFile {
                    ends,
                    ..NewFile::new(name, Pending)
                };
                self.changed
                    .insert(world.add_file(folder, &file).unwrap(), self.now);
            }
            Act::Move(from, to) => match self.pick(world, folder, &from) {
                Some(file) => world
                    .set_status(folder, file, to.clone(), reason(&to))
                    .unwrap(),
                None => world.move_computed(folder, 1, &from, &to),
            },
            Act::Delete(from) => {
                if let Some(file) = self.pick(world, folder, &from) {
                    world.delete_file(folder, file).unwrap();
                }
            }
            Act::Requeue(from) => {
                let files = 0..files_with(world, folder, &from);
                let files: Vec<_> = files
                    .filter_map(|at| world.file_with(folder, &from, at))
                    .collect();
                for file in files {
                    world.set_status(folder, file, Pending, None).unwrap();
                }
            }
        });
    }

    /// Some file of a status that has been in it for half an hour, so that nothing is gone before anybody could see it.
    fn pick(&mut self, world: &World, folder: Uuid, status: &Status) -> Option<Uuid> {
        let files = files_with(world, folder, status);
        let mut tries = (0..10).filter(|_| files > 0);
        let picked = tries.find_map(|_| {
            let file = world.file_with(folder, status, self.random.usize(0..files))?;
            let changed = self.changed.get(&file);
            let is_settled = changed.is_none_or(|time| time + 30 * MINUTE <= self.now);
            is_settled.then_some(file)
        })?;
        self.changed.insert(picked, self.now);
        Some(picked)
    }
}

fn files_with(world: &World, folder: Uuid, status: &Status) -> usize {
    let counts = world.counts(folder).unwrap();
    let files = counts.get(status).copied().unwrap_or_default();
    usize::try_from(files).unwrap()
}

fn reason(status: &Status) -> Option<&'static str> {
    matches!(status, Failed | Flagged).then_some("it could not be read")
}
