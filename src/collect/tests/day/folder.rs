//! A folder: its files, the two orders in which it is listed, and a record of all changes.

use std::ops::Range;

use uuid::Uuid;

use super::Millis;
use super::quirk::Quirk;
use crate::model::{ByStatus, Status};

/// The statuses in the order of their words.
const ORDER: [Status; 5] = [
    Status::Done,
    Status::Failed,
    Status::Flagged,
    Status::Pending,
    Status::Processing,
];

#[derive(Debug, Clone, Copy)]
pub struct File {
    /// By the clock of the portal; the first files were uploaded before the day.
    pub created: i64,
    /// None once it was deleted.
    pub status: Option<Status>,
    since: Millis,
    /// The last of done, failed and flagged that it had.
    settled: Option<Status>,
    /// By which the index sorts it.
    indexed: Option<Status>,
    /// What its name begins with.
    pub name: u32,
    /// It is in the total and on no page.
    pub hidden: bool,
}

impl File {
    fn new(name: u32, created: i64, status: Option<Status>) -> Self {
        Self {
            created,
            status,
            since: 0,
            settled: status.filter(|status| is_settled(*status)),
            indexed: status,
            name,
            hidden: false,
        }
    }
}

/// What is true from some time on.
#[derive(Debug, Clone, Copy, Default)]
struct Change {
    time: Millis,
    counts: ByStatus<u64>,
    /// The number of entries until then.
    entries: ByStatus<u64>,
    /// Whether the list of folders shows the change, or the folder has files that wait.
    shown: bool,
}

const fn is_settled(status: Status) -> bool {
    matches!(status, Status::Done | Status::Failed | Status::Flagged)
}

/// A name and the number of a file, by which lists are sorted.
type Place = (u32, u32);

#[derive(Debug, Default)]
pub struct Folder {
    pub id: Uuid,
    pub quirks: Vec<Quirk>,
    pub files: Vec<File>,
    by_name: Vec<Place>,
    by_status: [Vec<Place>; ORDER.len()],
    changes: Vec<Change>,
}

impl Folder {
    /// A folder of files with these statuses, in the order of their names.
    pub fn of(at: usize, statuses: impl IntoIterator<Item = Status>) -> Self {
        const SPREAD: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
        /// Leaves room for the names of later files.
        const STEP: u32 = 1_000;
        let mut folder = Self {
            // Spread, because the time of an audit depends on the id.
            id: Uuid::from_u128((at as u128 + 1).wrapping_mul(SPREAD)),
            ..Self::default()
        };
        let mut counts = ByStatus::default();
        for (number, status) in (0..).zip(statuses) {
            let name = number * STEP;
            counts[status] += 1;
            let created = i64::from(number) - 1_000_000_000;
            folder.files.push(File::new(name, created, Some(status)));
            folder.by_name.push((name, number));
            folder.by_status[rank(status)].push((name, number));
        }
        folder.changes.push(Change {
            counts,
            ..Change::default()
        });
        folder
    }

    /// Adds a file that is in no status yet.
    pub fn add(&mut self, now: Millis, random: &mut fastrand::Rng) -> u32 {
        let name = random.u32(0..100_000_000);
        let file = File::new(name, now.try_into().unwrap(), None);
        self.files.push(file);
        u32::try_from(self.files.len() - 1).unwrap()
    }

    /// Files of a status, in the middle of its list, are counted in totals and on no page: they are not there.
    pub fn hide(&mut self, status: Status, number: usize) {
        let list = &self.by_status[rank(status)];
        for (_, file) in &list[list.len() / 2..][..number] {
            self.files[*file as usize].hidden = true;
        }
        self.changes[0].counts[status] -= number as u64;
    }

    /// The first file of a status has two equal rows.
    pub fn list_twice(&mut self, status: Status) {
        let place = self.by_status[rank(status)][0];
        for list in [&mut self.by_status[rank(status)], &mut self.by_name] {
            list.insert(list.partition_point(|other| *other < place), place);
        }
    }

    /// A file that has been in a status for this long.
    pub fn pick(
        &self,
        status: Status,
        now: Millis,
        settled: Millis,
        random: &mut fastrand::Rng,
    ) -> Option<u32> {
        let list = &self.by_status[rank(status)];
        let mut tries = (0..10).filter_map(|_| Some(random.choice(list)?.1));
        tries.find(|at| {
            let file = &self.files[*at as usize];
            let is_old = file.since == 0 || file.since + settled <= now;
            is_old && file.status == Some(status) && !file.hidden
        })
    }

    /// The files that have a status now.
    pub fn with(&self, status: Status) -> Vec<u32> {
        let files = (0..).zip(&self.files);
        let files = files.filter(|(_, file)| file.status == Some(status));
        files.map(|(number, _)| number).collect()
    }

    /// A file takes another status, or is deleted.
    pub fn change(&mut self, file: u32, status: Option<Status>, now: Millis) {
        let file = &mut self.files[file as usize];
        let before = std::mem::replace(&mut file.status, status);
        file.since = now;
        let mut change = *self.changes.last().unwrap();
        if let Some(before) = before {
            change.counts[before] -= 1;
        }
        if let Some(status) = status {
            change.counts[status] += 1;
            change.entries[status] += u64::from(file.settled != Some(status));
        }
        file.settled = status.filter(|it| is_settled(*it)).or(file.settled);
        let waits = |status: Option<Status>| {
            status.is_none_or(|it| it == Status::Pending || it == Status::Processing)
        };
        change.shown = waits(before) || waits(status);
        change.time = now;
        self.changes.push(change);
    }

    /// Sorts a file by what it is now.
    pub fn index(&mut self, number: u32) {
        let file = &mut self.files[number as usize];
        let place = (file.name, number);
        let before = std::mem::replace(&mut file.indexed, file.status);
        let after = file.status;
        if before.is_some() != after.is_some() {
            set(&mut self.by_name, place, after.is_some());
        }
        if before != after {
            for (status, is_there) in [(before, false), (after, true)] {
                let Some(status) = status else { continue };
                set(&mut self.by_status[rank(status)], place, is_there);
            }
        }
    }

    /// Whether a quirk of the folder is as wanted.
    pub fn has(&self, wanted: impl Fn(&Quirk) -> bool) -> bool {
        self.quirks.iter().any(wanted)
    }

    /// The files that the list of folders reports.
    pub fn file_count(&self) -> usize {
        self.by_name.len()
    }

    /// The files on a page, and the total.
    pub fn page(
        &mut self,
        by_status: bool,
        page: usize,
        size: usize,
        now: Millis,
    ) -> (Vec<u32>, usize) {
        let overlap = usize::from(self.has(|quirk| matches!(quirk, Quirk::PagesOverlap)));
        let start = (page - 1) * (size - overlap);
        let rows = start..start + size;
        let mut total = self.by_name.len();
        let mut files = self.listed(by_status, rows.clone());
        for quirk in &mut self.quirks {
            quirk.apply(&mut files, &mut total, rows.start, by_status, now);
        }
        (files, total)
    }

    fn listed(&self, by_status: bool, rows: Range<usize>) -> Vec<u32> {
        if by_status && self.has(|quirk| matches!(quirk, Quirk::SortsByCreation)) {
            let numbers = 0_u32..;
            let there = |number: &u32| self.files[*number as usize].indexed.is_some();
            let there = numbers.take(self.files.len()).filter(there);
            return there.skip(rows.start).take(rows.len()).collect();
        }
        if !by_status || self.has(|quirk| matches!(quirk, Quirk::IgnoresSorting)) {
            return part(&self.by_name, &rows).collect();
        }
        let mut start = 0;
        let lists = self.by_status.iter().flat_map(|list| {
            let from = rows.start.saturating_sub(start);
            let to = rows.end.saturating_sub(start);
            start += list.len();
            part(list, &(from..to))
        });
        lists.collect()
    }

    /// The counts at a time.
    pub fn counts(&self, time: Millis) -> ByStatus<u64> {
        self.state(time).counts
    }

    /// The entries until a time.
    pub fn entries(&self, time: Millis) -> ByStatus<u64> {
        self.state(time).entries
    }

    /// Changes after a time, until another one.
    pub fn changes(&self, after: Millis, until: Millis) -> usize {
        self.until(until) - self.until(after)
    }

    /// The first change after a time; `shown`: of those that the portal shows without a read of the folder.
    pub fn first_change(&self, after: Millis, shown: bool) -> Option<Millis> {
        let mut later = self.changes[self.until(after)..].iter();
        let change = later.find(|change| change.shown || !shown)?;
        Some(change.time)
    }

    fn state(&self, time: Millis) -> &Change {
        &self.changes[self.until(time).saturating_sub(1)]
    }

    fn until(&self, time: Millis) -> usize {
        self.changes.partition_point(|change| change.time <= time)
    }
}

fn rank(status: Status) -> usize {
    ORDER.iter().position(|other| *other == status).unwrap()
}

fn set(list: &mut Vec<Place>, place: Place, is_there: bool) {
    match list.binary_search(&place) {
        Err(at) if is_there => list.insert(at, place),
        Ok(at) if !is_there => drop(list.remove(at)),
        Ok(_) | Err(_) => {}
    }
}

fn part<'a>(list: &'a [Place], rows: &Range<usize>) -> impl Iterator<Item = u32> + use<'a> {
    let end = rows.end.min(list.len());
    list[rows.start.min(end)..end].iter().map(|place| place.1)
}
