//! Policies without memory of results: what is possible, and what it costs without limits.

use std::collections::BTreeMap;

use kb_exporter::config::ReindexRules;

use super::Policy;
use crate::portal::{DAY, File, HOUR, Portal};

/// Sends every folder with a failed file once an hour.
pub struct EveryHour;

impl Policy for EveryHour {
    fn read(&mut self, portal: &mut Portal) {
        if !portal.now.is_multiple_of(HOUR) {
            return;
        }
        for of in portal.all_folders() {
            if portal.folders[of as usize].failed().next().is_some() {
                portal.post(of);
            }
        }
    }
}

/// Sends a folder as soon as one of its files will recover, under the same cooldown and the same budget.
#[derive(Default)]
pub struct Omniscient {
    last: BTreeMap<u32, u32>,
    spent: Vec<(u32, u64)>,
}

impl Omniscient {
    fn may_send(&self, portal: &Portal, of: u32) -> bool {
        let (now, budget) = (portal.now, ReindexRules::default().budget);
        let recovers = |file: &File| file.helpable_from.is_some_and(|at| at <= now);
        let mut failed = portal.folders[of as usize].failed();
        let rests = self.last.get(&of).is_some_and(|last| last + HOUR > now);
        let files: u64 = self.spent.iter().map(|(_, files)| files).sum();
        failed.any(|(_, file)| recovers(file))
            && !rests
            && files < budget.files
            && portal.allows(of)
            && !portal.is_stopped()
    }
}

impl Policy for Omniscient {
    fn read(&mut self, portal: &mut Portal) {
        let now = portal.now;
        self.spent.retain(|(at, _)| at + DAY > now);
        for of in portal.all_folders() {
            if self.may_send(portal, of) {
                let files = portal.folders[of as usize].failed().count() as u64;
                self.last.insert(of, now);
                self.spent.push((now, files));
                portal.post(of);
            }
        }
    }
}
