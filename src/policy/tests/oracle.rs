//! What must hold whenever an attempt is made, worked out from a plain list of what happened, without the ledger.

use std::collections::HashMap;

use super::*;

/// One attempt, as whoever watches from outside would note it.
#[derive(Debug, Clone)]
pub(super) struct Noted {
    pub id: AttemptId,
    pub mode: ActiveMode,
    pub folder: u128,
    pub at: Timestamp,
    pub files: Vec<FileKey>,
    pub charge: u64,
    pub refused: bool,
    /// The verdict and when it was found; `None` while it is to come, or where there is none.
    pub verdict: Option<(Timestamp, Verdict)>,
}

impl Noted {
    fn is_unjudged(&self) -> bool {
        self.mode == ActiveMode::Enforce && !self.refused && self.verdict.is_none()
    }
}

/// Everything that happened.
#[derive(Debug, Default)]
pub(super) struct Oracle {
    pub noted: Vec<Noted>,
    pub tries: HashMap<(u128, FileKey), u32>,
}

impl Oracle {
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
            Outcome::Refused { .. } => {
                noted.refused = true;
                noted.charge = 0;
                self.give_back(id);
            }
        }
    }

    pub fn judge(&mut self, id: AttemptId, at: Timestamp, verdict: Verdict) {
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
        failed: &[FailedFile],
        now: Timestamp,
    ) {
        let of = failed_folder(trigger);
        let same: Vec<&Noted> = self
            .noted
            .iter()
            .filter(|n| n.mode == trigger.mode)
            .collect();
        assert!(
            self.noted.iter().all(|noted| noted.at <= now),
            "the clock is behind"
        );
        assert!(now.since(EPOCH) >= rules.cooldown, "a new ledger");
        self.check_files(of, trigger, rules, failed, now);
        self.check_cooldown(of, &same, rules, failed, now);
        check_budget(&same, rules, trigger.files.len() as u64, now);
        check_verdicts(of, &same, rules, now);
    }

    fn exhausted(&self, of: u128, file: &FailedFile, rules: &ReindexRules) -> bool {
        let tries = self.tries.get(&(of, file.key)).copied().unwrap_or(0);
        tries >= rules.max_attempts.get()
    }

    fn check_files(
        &self,
        of: u128,
        trigger: &Trigger,
        rules: &ReindexRules,
        failed: &[FailedFile],
        now: Timestamp,
    ) {
        let retryable: Vec<&FailedFile> = failed
            .iter()
            .filter(|file| !self.exhausted(of, file, rules))
            .filter(|file| {
                !rules
                    .never_classes
                    .iter()
                    .any(|class| class == file.class.as_str())
            })
            .collect();
        let old = retryable
            .iter()
            .filter(|file| now.since(file.since) >= rules.min_age);
        assert!(old.count() as u64 >= rules.min_failed.get(), "on its own");
        let riders = failed.len() - retryable.len();
        assert!(riders as u64 <= rules.max_ride_along, "riding along");
        assert_eq!(trigger.files.len(), failed.len(), "the folder goes whole");
    }

    fn check_cooldown(
        &self,
        of: u128,
        same: &[&Noted],
        rules: &ReindexRules,
        failed: &[FailedFile],
        now: Timestamp,
    ) {
        let mine: Vec<&&Noted> = same.iter().filter(|noted| noted.folder == of).collect();
        let Some(last) = mine.last() else {
            return;
        };
        let mut pause = rules.cooldown;
        for noted in &mine {
            pause = match noted.verdict {
                Some((_, Verdict::None)) => (pause * 2).min(rules.max_cooldown),
                Some((_, Verdict::Recovered | Verdict::Partial)) => rules.cooldown,
                Some((_, Verdict::Inconclusive)) | None => pause,
            };
        }
        let exhausted = failed.iter().any(|file| self.exhausted(of, file, rules));
        if last.refused || exhausted {
            pause = rules.max_cooldown;
        }
        assert!(
            now.since(last.at) >= pause,
            "inside the cooldown of {pause:?}"
        );
    }
}

fn failed_folder(trigger: &Trigger) -> u128 {
    (0..9).find(|of| folder(*of) == trigger.folder).unwrap()
}

fn check_budget(same: &[&Noted], rules: &ReindexRules, files: u64, now: Timestamp) {
    let recent = same
        .iter()
        .filter(|noted| now.since(noted.at) < rules.budget.per);
    let (actions, charged) = recent.fold((0, 0), |(actions, charged), noted| {
        (actions + 1, charged + noted.charge)
    });
    assert!(actions < rules.budget.actions, "too many attempts");
    assert!(charged + files <= rules.budget.files, "too many files");
}

fn check_verdicts(of: u128, same: &[&Noted], rules: &ReindexRules, now: Timestamp) {
    let unjudged: Vec<_> = same.iter().filter(|noted| noted.is_unjudged()).collect();
    let most = rules.breaker.no_effect.get() as usize;
    assert!(
        unjudged.iter().all(|noted| noted.folder != of),
        "a second one"
    );
    assert!(unjudged.len() < most, "too many without a verdict");
    let mut told: Vec<_> = same
        .iter()
        .filter_map(|noted| Some((noted.verdict?, noted.id)))
        .filter(|((_, verdict), _)| *verdict != Verdict::Inconclusive)
        .collect();
    told.sort_by_key(|((at, _), id)| (*at, *id));
    let newest: Vec<_> = told.iter().rev().take(most).collect();
    let in_vain = newest
        .iter()
        .all(|((_, verdict), _)| *verdict == Verdict::None);
    if newest.len() == most && in_vain {
        let ((at, _), _) = newest[0];
        assert!(
            now.since(*at) >= rules.breaker.open_for,
            "the breaker is open"
        );
        assert!(unjudged.is_empty(), "more than one folder tries");
    }
}
