//! Folders that compute their rows instead of holding them, so that they can be of any size.
//!
//! A file is its number: its place in the order of names. Which status it has follows from where its slot in a [`Deal`] lies
//! among the runs, of which there are a few at first, and a few more for each change.

use std::ops::Range;

use chrono::{DateTime, Utc};

use super::journal::Counts;
use super::status::Status;
use deal::Deal;

mod deal;
mod file;

pub(super) use file::{File, SIZE};

/// The files of a folder that computes them.
#[derive(Debug)]
pub(super) struct Synthetic {
    /// What ids, reasons and times follow from, with the number of the file.
    seed: u64,
    /// The latest `createdAt` of any file.
    born: DateTime<Utc>,
    deal: Deal,
    /// Slots by status, without gaps, neighbours of different status; never an empty run.
    runs: Vec<Run>,
}

/// Slots, one after the other, whose files have one status.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub status: Status,
    pub slots: Range<usize>,
}

impl Synthetic {
    pub fn new(seed: u64, born: DateTime<Utc>, counts: &Counts) -> Self {
        let (deal, runs) = dealt(counts);
        Self {
            seed,
            born,
            deal,
            runs,
        }
    }

    pub fn len(&self) -> usize {
        self.runs.last().map_or(0, |run| run.slots.end)
    }

    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Files by status; a status without files is absent.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::new();
        for run in &self.runs {
            *counts.entry(run.status.clone()).or_default() += run.slots.len() as u64;
        }
        counts
    }

    /// The file of a number in the order of names.
    pub fn by_name(&self, number: usize) -> Option<File<'_>> {
        let slot = self.deal.slot(number)?;
        let run = self.runs.partition_point(|run| run.slots.end <= slot);
        Some(self.file(number, &self.runs.get(run)?.status))
    }

    /// The file in a slot of a run.
    pub fn in_run<'a>(&'a self, run: &'a Run, at: usize) -> File<'a> {
        self.file(self.deal.place(run.slots.start + at), &run.status)
    }

    fn file<'a>(&self, number: usize, status: &'a Status) -> File<'a> {
        File::new(self.seed, self.born, number as u64, status)
    }

    /// Brings every file of some statuses into another one, and says how many there were.
    pub fn requeue(&mut self, of: impl Fn(&Status) -> bool, to: &Status) -> usize {
        let counts = self.counts();
        let affected = counts.into_iter().filter(|(status, _)| of(status));
        affected
            .map(|(status, count)| {
                self.relabel(&status, to, whole(count));
                whole(count)
            })
            .sum()
    }

    /// Brings the last `count` files of a status into another one.
    pub fn relabel(&mut self, from: &Status, to: &Status, count: usize) {
        let mut left = count;
        let mut runs = Vec::new();
        for run in std::mem::take(&mut self.runs).into_iter().rev() {
            let moved = if run.status == *from { left } else { 0 }.min(run.slots.len());
            let middle = run.slots.end - moved;
            left -= moved;
            runs.push((to.clone(), middle..run.slots.end));
            runs.push((run.status, run.slots.start..middle));
        }
        for (status, slots) in runs.into_iter().rev() {
            push(&mut self.runs, &status, slots);
        }
    }
}

/// Files in these numbers, mixed over all names, with one run for each status.
fn dealt(counts: &Counts) -> (Deal, Vec<Run>) {
    let mut runs = Vec::new();
    let mut next = 0;
    for (status, &count) in counts {
        let slots = next..next + whole(count);
        next = slots.end;
        push(&mut runs, status, slots);
    }
    (Deal::new(counts.values().map(|&count| whole(count))), runs)
}

/// Adds slots behind the last run, or to it where the status is the same.
fn push(runs: &mut Vec<Run>, status: &Status, slots: Range<usize>) {
    match runs.last_mut() {
        _ if slots.is_empty() => {}
        Some(last) if last.status == *status => last.slots.end = slots.end,
        _ => runs.push(Run {
            status: status.clone(),
            slots,
        }),
    }
}

/// A number of files as a number of places: no machine counts to more.
fn whole(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
