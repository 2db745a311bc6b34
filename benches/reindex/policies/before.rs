//! The policy that this one replaced: it knew files and folders, not classes.

use std::collections::HashMap;

use super::Policy;
use crate::week::{Answer, DAY, HOUR, Status, Week};

/// The policy that this one replaced: it knew files and folders, not classes.
pub struct Before {
    attempts: Vec<Past>,
    tries: HashMap<u128, u32>,
}

struct Past {
    folder: u32,
    at: u32,
    files: Vec<u128>,
    refused: bool,
    verdict: Option<(u32, bool)>,
    inconclusive: bool,
}

impl Before {
    pub fn new() -> Self {
        Self {
            attempts: Vec::new(),
            tries: HashMap::new(),
        }
    }

    fn judge(&mut self, week: &Week) {
        let now = week.now;
        for past in &mut self.attempts {
            if past.verdict.is_some() || past.inconclusive || past.refused {
                continue;
            }
            let files = &week.folders[past.folder as usize].files;
            let states: Vec<_> = past
                .files
                .iter()
                .map(|id| files.get(id).map(|file| file.status))
                .collect();
            let waits = states
                .iter()
                .any(|state| matches!(state, Some(Status::Waiting { .. })));
            let done = states
                .iter()
                .filter(|state| **state == Some(Status::Done))
                .count();
            let there = states.iter().flatten().count();
            if there == 0 {
                past.inconclusive = true;
            } else if (!waits && now >= past.at + 7) || now >= past.at + 2 * HOUR {
                past.verdict = Some((now, done > 0));
            }
        }
        for past in &self.attempts {
            for id in &past.files {
                let file = week.folders[past.folder as usize].files.get(id);
                if file.is_none_or(|file| file.status == Status::Done) {
                    self.tries.remove(id);
                }
            }
        }
    }

    fn breaker_holds(&self, now: u32) -> bool {
        let mut judged: Vec<_> = self
            .attempts
            .iter()
            .filter_map(|past| past.verdict)
            .collect();
        judged.sort_unstable();
        let newest: Vec<_> = judged.iter().rev().take(3).collect();
        if newest.len() < 3 || newest.iter().any(|(_, effect)| *effect) {
            return false;
        }
        let until = newest[0].0 + 6 * HOUR;
        let tried = self.attempts.iter().filter(|past| past.at >= until);
        let until = tried.map(|past| past.at + 6 * HOUR).fold(until, u32::max);
        now < until || self.unjudged() > 0
    }

    fn unjudged(&self) -> usize {
        let open = |past: &&Past| past.verdict.is_none() && !past.refused && !past.inconclusive;
        self.attempts.iter().filter(open).count()
    }

    fn allows(&self, week: &Week, of: u32) -> bool {
        let now = week.now;
        let folder = &week.folders[of as usize];
        let exhausted = |id: &u128| self.tries.get(id).is_some_and(|tries| *tries >= 3);
        let failed: Vec<_> = folder.failed().collect();
        let gone = failed.iter().filter(|(id, _)| exhausted(id)).count();
        let eligible = failed
            .iter()
            .filter(|(id, file)| !exhausted(id) && file.since + 10 <= now)
            .count();
        let all = folder.done + folder.open.len() as u64;
        let ratio = failed.len() >= 20 && failed.len() as u64 * 2 > all;
        if eligible == 0 || ratio || folder.waiting() > 100 || gone > 100 || self.unjudged() >= 3 {
            return false;
        }
        let mut row = 0;
        for past in self.attempts.iter().filter(|past| past.folder == of) {
            match past.verdict {
                Some((_, true)) => row = 0,
                Some((_, false)) => row += 1,
                None if past.refused || past.inconclusive => {}
                None => return false,
            }
        }
        let last = self.attempts.iter().rev().find(|past| past.folder == of);
        let pause = match last {
            Some(last) if last.refused || gone > 0 => DAY,
            _ => (HOUR << row.min(5)).min(DAY),
        };
        let recent = self.attempts.iter().filter(|past| past.at + DAY > now);
        let (actions, files) = recent.fold((0, 0), |(actions, files), past| {
            (actions + 1, files + past.files.len())
        });
        last.is_none_or(|last| last.at + pause <= now)
            && !self.breaker_holds(now)
            && actions < 10
            && files + failed.len() <= 5_000
    }
}

impl Policy for Before {
    fn name(&self) -> &'static str {
        "the policy before"
    }

    fn read(&mut self, week: &mut Week) {
        self.judge(week);
        if week.now < HOUR {
            return;
        }
        for of in week.all_folders() {
            if week.folders[of as usize].failed().next().is_none() || !self.allows(week, of) {
                continue;
            }
            let files: Vec<u128> = week.folders[of as usize]
                .failed()
                .map(|(id, _)| id)
                .collect();
            let answer = week.post(of);
            let refused = matches!(answer, Answer::Forbidden | Answer::Busy);
            if !refused {
                for id in &files {
                    *self.tries.entry(*id).or_default() += 1;
                }
            }
            self.attempts.push(Past {
                folder: of,
                at: week.now,
                files,
                refused,
                verdict: None,
                inconclusive: false,
            });
        }
    }
}
