//! Policies that remember no result: they show how much is possible, and what it costs.

use std::collections::BTreeMap;

use kb_exporter::config::ReindexRules;

use super::Policy;
use crate::week::{DAY, File, HOUR, Week};

/// Nothing is ever sent.
pub struct Never;

impl Policy for Never {
    fn name(&self) -> &'static str {
        "never"
    }

    fn read(&mut self, _: &mut Week) {}
}

/// Every folder with a failed file, once an hour.
pub struct EveryHour;

impl Policy for EveryHour {
    fn name(&self) -> &'static str {
        "every folder each hour"
    }

    fn read(&mut self, week: &mut Week) {
        if !week.now.is_multiple_of(HOUR) {
            return;
        }
        for of in week.all_folders() {
            if week.folders[of as usize].failed().next().is_some() {
                week.post(of);
            }
        }
    }
}

/// Knows what will come back: sends a folder as soon as a file of it does, under the same cooldown and the same budget.
#[derive(Default)]
pub struct Omniscient {
    last: BTreeMap<u32, u32>,
    spent: Vec<(u32, u64)>,
}

impl Omniscient {
    fn may_send(&self, week: &Week, of: u32) -> bool {
        let (now, budget) = (week.now, ReindexRules::default().budget);
        let comes_back = |file: &File| file.helpable_from.is_some_and(|at| at <= now);
        let mut failed = week.folders[of as usize].failed();
        let rests = self.last.get(&of).is_some_and(|last| last + HOUR > now);
        let files: u64 = self.spent.iter().map(|(_, files)| files).sum();
        failed.any(|(_, file)| comes_back(file))
            && !rests
            && (self.spent.len() as u64) < budget.actions
            && files < budget.files
            && week.allows(of)
            && !week.is_stopped()
    }
}

impl Policy for Omniscient {
    fn name(&self) -> &'static str {
        "omniscient"
    }

    fn read(&mut self, week: &mut Week) {
        let now = week.now;
        self.spent.retain(|(at, _)| at + DAY > now);
        for of in week.all_folders() {
            if self.may_send(week, of) {
                let files = week.folders[of as usize].failed().count() as u64;
                self.last.insert(of, now);
                self.spent.push((now, files));
                week.post(of);
            }
        }
    }
}
