//! What must hold whenever an attempt is made, worked out from a plain list of what happened, without the ledger.
//!
//! Whoever watches has a clock that nobody sets. Limits hold by that clock, but for what was before the program was started
//! last: of that the program knows nothing but the times of day that it wrote down.

use std::collections::HashMap;

use super::*;

/// One attempt, as whoever watches from outside would note it.
#[derive(Debug, Clone)]
pub(super) struct Noted {
    pub id: AttemptId,
    pub mode: ActiveMode,
    pub folder: u128,
    pub at: Moment,
    pub files: Vec<FileKey>,
    pub charge: u64,
    pub refused: bool,
    pub forbidden: bool,
    pub gone: bool,
    /// The verdict and when it was found; `None` while it is to come, or where there is none.
    pub verdict: Option<(Moment, Verdict)>,
}

impl Noted {
    fn is_unjudged(&self) -> bool {
        self.mode == ActiveMode::Enforce && !self.refused && self.verdict.is_none()
    }
}

/// Everything that happened.
#[derive(Debug)]
pub(super) struct Oracle {
    /// When the ledger met the portal.
    met: Moment,
    /// When the program was started last.
    pub restarted: Moment,
    pub noted: Vec<Noted>,
    pub tries: HashMap<(u128, FileKey), u32>,
}

impl Oracle {
    pub fn new(now: Moment) -> Self {
        Self {
            met: now,
            restarted: now,
            noted: Vec::new(),
            tries: HashMap::new(),
        }
    }

    /// How much time lies between two points, as far as the program could know. A clock that was set back says that none does.
    fn between(&self, earlier: Moment, later: Moment) -> Duration {
        let start = self.restarted;
        if earlier.steady > start.steady {
            later.steady.duration_since(earlier.steady)
        } else if later.steady > start.steady {
            start.wall.since(earlier.wall) + later.steady.duration_since(start.steady)
        } else {
            later.wall.since(earlier.wall)
        }
    }

    pub fn note(&mut self, noted: Noted) {
        if noted.mode == ActiveMode::Enforce {
            for key in &noted.files {
                *self.tries.entry((noted.folder, *key)).or_default() += 1;
            }
        }
        self.noted.push(noted);
    }

    pub fn settle(&mut self, id: AttemptId, outcome: Outcome) {
        let noted = self.noted.iter_mut().find(|noted| noted.id == id).unwrap();
        match outcome {
            Outcome::Accepted { updated } => noted.charge = updated,
            Outcome::Unknown { .. } => {}
            Outcome::Refused { status, .. } => {
                noted.refused = true;
                noted.forbidden = status == 403;
                noted.gone = status == 404;
                noted.charge = 0;
                self.give_back(id);
            }
        }
    }

    pub fn judge(&mut self, id: AttemptId, at: Moment, verdict: Verdict) {
        let noted = self.noted.iter_mut().find(|noted| noted.id == id).unwrap();
        noted.verdict = Some((at, verdict));
        if verdict == Verdict::Inconclusive {
            self.give_back(id);
        }
    }

    fn give_back(&mut self, id: AttemptId) {
        let noted = self.noted.iter().find(|noted| noted.id == id).unwrap();
        for key in &noted.files {
            if let Some(tries) = self.tries.get_mut(&(noted.folder, *key)) {
                *tries = tries.saturating_sub(1);
            }
        }
    }

    /// Checks everything that is promised of an attempt that is about to be made.
    pub fn check(
        &self,
        trigger: &Trigger,
        rules: &ReindexRules,
        failed: &[(FailedFile, Moment)],
        now: Moment,
    ) {
        let of = failed_folder(trigger);
        assert!(
            self.noted.iter().all(|noted| noted.at.wall <= now.wall),
            "the clock is behind"
        );
        let files = trigger.files.len();
        assert_eq!(files, failed.len(), "the folder goes whole");
        let look = At {
            oracle: self,
            same: self.of_mode(trigger.mode),
            rules,
            now,
        };
        assert!(
            look.passed(self.met) >= rules.cooldown,
            "a portal that was just met"
        );
        look.check_files(of, failed);
        look.check_cooldown(of);
        look.check_budget(files as u64);
        look.check_verdicts(of);
    }

    fn of_mode(&self, mode: ActiveMode) -> Vec<&Noted> {
        let noted = self.noted.iter();
        noted.filter(|noted| noted.mode == mode).collect()
    }
}

fn failed_folder(trigger: &Trigger) -> u128 {
    (0..9).find(|of| folder(*of) == trigger.folder).unwrap()
}

/// What happened, as it is seen when an attempt is about to be made.
struct At<'a> {
    oracle: &'a Oracle,
    /// Attempts of the same mode.
    same: Vec<&'a Noted>,
    rules: &'a ReindexRules,
    now: Moment,
}

impl At<'_> {
    fn passed(&self, since: Moment) -> Duration {
        self.oracle.between(since, self.now)
    }

    fn exhausted(&self, of: u128, file: &FailedFile) -> bool {
        let tries = self.oracle.tries.get(&(of, file.key)).copied().unwrap_or(0);
        tries >= self.rules.max_attempts.get()
    }

    fn check_files(&self, of: u128, failed: &[(FailedFile, Moment)]) {
        let never = |file: &FailedFile| {
            let mut classes = self.rules.never_classes.iter();
            classes.any(|class| class == file.class.as_str())
        };
        let retryable: Vec<_> = failed
            .iter()
            .filter(|(file, _)| !self.exhausted(of, file) && !never(file))
            .collect();
        let old = retryable
            .iter()
            .filter(|(_, since)| self.passed(*since) >= self.rules.min_age);
        assert!(
            old.count() as u64 >= self.rules.min_failed.get(),
            "on its own"
        );
    }

    fn check_cooldown(&self, of: u128) {
        let last = self.same.iter().rev().find(|noted| noted.folder == of);
        let passed = last.map(|last| self.passed(last.at));
        assert!(
            passed.is_none_or(|passed| passed >= self.rules.cooldown),
            "inside the cooldown: {passed:?}"
        );
    }

    fn check_budget(&self, files: u64) {
        let budget = &self.rules.budget;
        let recent = self
            .same
            .iter()
            .filter(|noted| self.passed(noted.at) < budget.per && !noted.gone);
        let (mut actions, mut charged, mut forbidden) = (0, 0, false);
        for noted in recent {
            actions += u64::from(!(noted.forbidden && forbidden));
            charged += noted.charge;
            forbidden = noted.forbidden;
        }
        assert!(actions < budget.actions, "too many attempts");
        assert!(charged + files <= budget.files, "too many files");
    }

    fn check_verdicts(&self, of: u128) {
        let mut unjudged = self.same.iter().filter(|noted| noted.is_unjudged());
        assert!(unjudged.all(|noted| noted.folder != of), "a second one");
    }
}
