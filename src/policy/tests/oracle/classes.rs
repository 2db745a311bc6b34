//! What the rules say of a class of errors, from the list of what was sent.

use super::*;

/// The fates of the files of a class in one attempt, as far as they are known.
#[derive(Debug, Clone, Copy)]
struct Judged {
    folder: u128,
    at: Timestamp,
    back: u32,
    again: u32,
}

impl Judged {
    /// Most of the files came back.
    fn came_back(&self) -> bool {
        self.back >= self.again
    }
}

/// How many folders may try a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum May {
    None,
    One,
    Few,
    All,
}

/// A class, as the rules see it now.
pub(super) struct OfClass<'a> {
    oracle: &'a Oracle,
    scene: &'a Scene<'a>,
    class: &'a Class,
    judged: Vec<Judged>,
}

impl<'a> OfClass<'a> {
    pub fn new(oracle: &'a Oracle, scene: &'a Scene<'a>, class: &'a Class) -> Self {
        let sent = oracle.sent_of(class);
        let judged = sent.iter().rev().take(64).filter_map(|noted| {
            let ended_in = |state| {
                let files = noted.files.iter();
                let files = files.filter(|file| file.class == *class && file.state == state);
                u32::try_from(files.count()).unwrap()
            };
            let (back, again) = (ended_in(FileState::Done), ended_in(FileState::Refailed));
            (back + again > 0).then_some(Judged {
                folder: noted.folder,
                at: noted.at.wall,
                back,
                again,
            })
        });
        Self {
            judged: judged.collect(),
            oracle,
            scene,
            class,
        }
    }

    /// Of the newest 20 files of which it is known: how many came back, and how many there are. A part of an attempt counts as a part of
    /// each.
    fn sample(&self) -> (f64, f64) {
        let (mut back, mut all) = (0.0, 0.0);
        for judged in &self.judged {
            let files = f64::from(judged.back + judged.again);
            let used = files.min(20.0 - all);
            back += f64::from(judged.back) * used / files;
            all += used;
            if all >= 20.0 {
                break;
            }
        }
        (back, all)
    }

    /// How many folders they were in.
    fn folders_in_sample(&self) -> usize {
        let mut all = 0.0;
        let mut folders = BTreeSet::new();
        for judged in &self.judged {
            if all >= 20.0 {
                break;
            }
            all += f64::from(judged.back + judged.again);
            folders.insert(judged.folder);
        }
        folders.len()
    }

    /// No file of three folders came back; or a success rate of 20 % lies above what Wilson's interval allows.
    pub fn is_unresponsive(&self) -> bool {
        let (back, all) = self.sample();
        let never = back == 0.0 && self.folders_in_sample() >= 3;
        let distance = 0.2 - back / all;
        never || (all > 0.0 && distance > 0.0 && distance * distance * all > 1.96 * 1.96 * 0.16)
    }

    pub fn is_responsive(&self) -> bool {
        let (back, all) = self.sample();
        !self.is_unresponsive() && back > 0.0 && back / all >= 0.2
    }

    /// The attempts since the last one that brought files back.
    fn in_vain(&self) -> usize {
        let helped = self.judged.iter().position(Judged::came_back);
        helped.unwrap_or(self.judged.len())
    }

    /// When files came back last.
    fn helped(&self) -> Option<Timestamp> {
        self.judged.get(self.in_vain()).map(|judged| judged.at)
    }

    fn last(&self) -> Option<Timestamp> {
        self.oracle
            .sent_of(self.class)
            .last()
            .map(|noted| noted.at.wall)
    }

    /// Attempts of which nothing is known yet.
    fn open(&self) -> usize {
        let sent = self.oracle.sent_of(self.class);
        let unknown = |noted: &&&Noted| {
            let mut files = noted.files.iter().filter(|file| file.class == *self.class);
            files.all(|file| !matches!(file.state, FileState::Done | FileState::Refailed))
        };
        let open = sent.iter().filter(|noted| noted.is_unjudged());
        open.filter(unknown).count()
    }

    /// When the cause will have ended, unless more files fail: after eight times the mean time between failures in the last hour of them, where
    /// files failed in three minutes of it or more.
    fn quiet_from(&self) -> Option<Timestamp> {
        let Scene { rules, now, .. } = *self.scene;
        let fresh = self.scene.all.iter().flat_map(|(of, files)| {
            let young = |file: &&FailedFile| now.since(file.since) < rules.max_cooldown;
            let files = files
                .iter()
                .filter(|file| file.class == *self.class)
                .filter(young);
            let fresh = files.filter(|file| self.oracle.tries_of(*of, file.key) == 0);
            fresh.map(|file| file.since.as_millis() / 60_000)
        });
        let minutes: BTreeSet<i64> = fresh.collect();
        let newest = *minutes.last()?;
        let cooldown = i64::try_from(rules.cooldown.as_secs() / 60).unwrap();
        let min_age = i64::try_from(rules.min_age.as_secs() / 60).unwrap();
        let lately: Vec<i64> = minutes
            .into_iter()
            .filter(|at| newest - at < cooldown)
            .collect();
        if lately.len() < 3 {
            return None;
        }
        let gaps = i64::try_from(lately.len() - 1).unwrap();
        let eight = (newest - lately[0]) * 60_000 / gaps * 8;
        let quiet = eight.min(cooldown * 60_000).max(min_age * 60_000);
        Some(Timestamp::from_millis(newest * 60_000 + quiet))
    }

    pub fn may(&self) -> May {
        let Scene { rules, now, .. } = *self.scene;
        let quiet_from = self.quiet_from();
        let more_fail = quiet_from.is_some_and(|at| now < at);
        if more_fail || self.in_vain() > 0 {
            let pauses = if self.is_unresponsive() {
                self.in_vain().max(1) - 1
            } else {
                0
            };
            let pause = doubled(rules, pauses);
            let rested = self.last().is_none_or(|last| now.since(last) >= pause);
            let none_since = |at| self.last().is_none_or(|last| last < at);
            let ended = quiet_from.is_some_and(|at| at <= now && none_since(at));
            let may = self.open() == 0 && (rested || ended);
            return if may { May::One } else { May::None };
        }
        let recent = self.judged.iter().take_while(|judged| judged.came_back());
        let recent = recent.filter(|judged| now.since(judged.at) < rules.verify_after);
        if recent.map(|judged| judged.back).sum::<u32>() >= 4 {
            May::All
        } else if self.open() < (rules.breaker.no_effect.get() as usize - 1).max(1) {
            May::Few
        } else {
            May::None
        }
    }

    /// How often files of the class were sent in vain in a folder since any came back, there or elsewhere.
    pub fn in_vain_in(&self, of: u128) -> usize {
        let helped = self.helped();
        let judged = self.judged.iter().filter(|judged| judged.folder == of);
        let since = judged.take_while(|judged| helped.is_none_or(|at| judged.at > at));
        since.take_while(|judged| !judged.came_back()).count()
    }
}

/// The cooldown, doubled so often.
pub(super) fn doubled(rules: &ReindexRules, times: usize) -> Duration {
    let mut pause = rules.cooldown;
    for _ in 0..times {
        pause = (pause * 2).min(rules.max_cooldown);
    }
    pause.min(rules.max_cooldown)
}
