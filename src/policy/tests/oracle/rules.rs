//! Every rule, worked out plainly from the list of what happened: what speaks against an attempt.

use super::classes::{May, OfClass, doubled};
use super::*;

/// A folder at one moment, and what failed in all folders.
pub(in super::super) struct Scene<'a> {
    pub rules: &'a ReindexRules,
    pub mode: ActiveMode,
    pub of: u128,
    pub now: Timestamp,
    pub counts: ByStatus<u64>,
    /// The failed files of every folder.
    pub all: &'a [(u128, Vec<FailedFile>)],
    pub whole: bool,
    pub known: bool,
}

/// What holds for a failed file.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one thing that may be otherwise"
)]
struct OfFile {
    counts: bool,
    helpable: bool,
    exhausted: bool,
    old: bool,
    /// Its class may be tried, as far as other folders tell.
    may: bool,
    /// The end of the folder's pause for its class.
    rests_until: Timestamp,
    tried_in_vain: bool,
}

impl OfFile {
    fn is_retryable(&self) -> bool {
        self.counts && self.helpable && !self.exhausted
    }
}

impl Oracle {
    /// Everything that speaks against an attempt in a folder; nothing, where it has to be made.
    pub fn objections(&self, scene: &Scene<'_>) -> BTreeSet<Reason> {
        let mut found = BTreeSet::new();
        let mut object = |reason, when: bool| {
            if when {
                found.insert(reason);
            }
        };
        let Scene { rules, now, of, .. } = *scene;
        let failed = &scene.all.iter().find(|(other, _)| *other == of).unwrap().1;
        let files: Vec<OfFile> = failed
            .iter()
            .map(|file| self.of_file(scene, file))
            .collect();
        let wanted = usize::try_from(rules.min_failed.get()).unwrap();
        let few =
            |is: &dyn Fn(&OfFile) -> bool| files.iter().filter(|file| is(file)).count() < wanted;
        object(Reason::StartingUp, !scene.known);
        object(Reason::BelowMinFailed, files.len() < wanted);
        object(Reason::RowsNotWhole, !scene.whole);
        object(Reason::NeverClass, few(&|file| file.counts));
        object(
            Reason::Unresponsive,
            few(&|file| file.counts && file.helpable),
        );
        object(Reason::Exhausted, few(&OfFile::is_retryable));
        object(
            Reason::TooYoung,
            few(&|file| file.is_retryable() && file.old),
        );

        let retryable = || files.iter().filter(|file| file.is_retryable());
        let many = files.len() >= 20 && files.len() as u64 * 2 > scene.counts.total();
        object(
            Reason::MaxFailedRatio,
            many && retryable().all(|file| file.tried_in_vain),
        );
        let backlog = scene.counts[Status::Pending] + scene.counts[Status::Processing];
        object(Reason::Backlog, backlog > rules.max_backlog);
        object(
            Reason::ExceedsBudget,
            files.len() as u64 > rules.budget.files,
        );

        let mut same = self.noted.iter().filter(|noted| noted.mode == scene.mode);
        object(
            Reason::Unjudged,
            same.any(|noted| noted.folder == of && noted.is_unjudged()),
        );
        let rests = !files.is_empty() && retryable().all(|file| now < file.rests_until);
        let refused = self
            .last_of(scene)
            .is_some_and(|last| last.refused == Some(403));
        object(
            if refused {
                Reason::Refused
            } else {
                Reason::Cooldown
            },
            rests,
        );
        let is_ready = |file: &OfFile| file.is_retryable() && file.may && now >= file.rests_until;
        object(Reason::ClassRests, few(&|file| is_ready(file) && file.old));
        let ready = files
            .iter()
            .filter(|file| is_ready(file) && file.old)
            .count() as u64;
        let others = files.iter().filter(|file| !is_ready(file)).count() as u64;
        object(
            Reason::RideAlong,
            others > rules.max_ride_along.max(3 * ready),
        );

        object(Reason::NotCarriedOut, self.carries_nothing_out(scene));
        object(Reason::Breaker, self.breaker_holds(scene));
        let (actions, charged) = self.spent(scene);
        object(Reason::BudgetActions, actions >= rules.budget.actions);
        object(
            Reason::BudgetFiles,
            charged + files.len() as u64 > rules.budget.files,
        );
        found
    }

    fn of_file(&self, scene: &Scene<'_>, file: &FailedFile) -> OfFile {
        let Scene { rules, now, of, .. } = *scene;
        let class = OfClass::new(self, scene, &file.class);
        let may = class.may() != May::None;
        let met = later(self.met.wall, rules.cooldown);
        let rests_until = self.last_of(scene).map(|last| {
            let times = match (scene.mode, last.refused) {
                (ActiveMode::Enforce, None) => class.in_vain_in(of),
                _ => 0,
            };
            later(last.at.wall, doubled(rules, times))
        });
        OfFile {
            counts: !rules
                .never_classes
                .iter()
                .any(|name| name == file.class.as_str()),
            helpable: may || !class.is_unresponsive(),
            exhausted: self.tries_of(of, file.key) >= rules.max_attempts.get(),
            old: now.since(file.since) >= rules.min_age,
            may,
            rests_until: rests_until.map_or(met, |end| end.max(met)),
            tried_in_vain: class.in_vain_in(of) > 0 && !class.is_responsive(),
        }
    }

    fn last_of(&self, scene: &Scene<'_>) -> Option<&Noted> {
        let mut newest_first = self.noted.iter().rev();
        newest_first.find(|noted| noted.mode == scene.mode && noted.folder == scene.of)
    }

    fn spent(&self, scene: &Scene<'_>) -> (u64, u64) {
        let Scene {
            rules, now, mode, ..
        } = *scene;
        let recent = self.noted.iter().filter(|noted| noted.mode == mode);
        let recent = recent.filter(|noted| now.since(noted.at.wall) < rules.budget.per);
        let recent = recent.filter(|noted| noted.refused != Some(404));
        let (mut actions, mut files, mut forbidden) = (0, 0, false);
        for noted in recent {
            let is_forbidden = noted.refused == Some(403);
            actions += u64::from(!(is_forbidden && forbidden));
            files += noted.charge;
            forbidden = is_forbidden;
        }
        (actions, files)
    }

    /// As many requests in a row as open the breaker were answered and moved nothing: one is sent after each pause.
    fn carries_nothing_out(&self, scene: &Scene<'_>) -> bool {
        let Scene {
            rules, now, mode, ..
        } = *scene;
        let answered = self.noted.iter().rev().filter(|noted| {
            noted.mode == mode
                && mode == ActiveMode::Enforce
                && !noted.is_unjudged()
                && noted.refused.is_none()
                && !(noted.interrupted && noted.moved_nothing())
        });
        let row: Vec<&Noted> = answered.take_while(|noted| noted.moved_nothing()).collect();
        let enough = rules.breaker.no_effect.get() as usize;
        if row.len() < enough {
            return false;
        }
        let pause = doubled(rules, row.len() - enough);
        now.since(row[0].at.wall) < pause || self.noted.iter().any(Noted::is_unjudged)
    }

    /// As many folders as it takes were sent in vain for one class that may respond, since an attempt had an effect last.
    fn breaker_holds(&self, scene: &Scene<'_>) -> bool {
        let Scene {
            rules,
            now,
            mode,
            of,
            ..
        } = *scene;
        let mut judged: Vec<&Noted> = self
            .noted
            .iter()
            .filter(|noted| noted.mode == mode && noted.verdict.is_some())
            .collect();
        judged.sort_by_key(|noted| (noted.verdict.map(|(at, _)| at.wall), noted.id));
        let verdict = |noted: &Noted| noted.verdict.map(|(_, verdict)| verdict);
        let newest_first = judged.into_iter().rev();
        let newest_first = newest_first.take(rules.breaker.no_effect.get() as usize * 20);
        let since = newest_first.take_while(|noted| {
            !matches!(verdict(noted), Some(Verdict::Recovered | Verdict::Partial))
        });
        let in_vain: Vec<&Noted> = since
            .filter(|noted| verdict(noted) == Some(Verdict::None))
            .collect();
        let open_for = rules.breaker.open_for;
        let opened_by = in_vain
            .iter()
            .flat_map(|noted| noted.classes_in_vain())
            .collect::<BTreeSet<_>>();
        let opened_by = opened_by.into_iter().filter_map(|class| {
            if OfClass::new(self, scene, &class).is_unresponsive() {
                return None;
            }
            let row: Vec<_> = in_vain
                .iter()
                .filter(|noted| noted.classes_in_vain().contains(&class))
                .collect();
            let folders: BTreeSet<u128> = row.iter().map(|noted| noted.folder).collect();
            (folders.len() >= rules.breaker.no_effect.get() as usize).then(|| row[0])
        });
        let holds = |opened: &&Noted| {
            let mut until = later(opened.verdict.unwrap().0.wall, open_for);
            let probes = self
                .noted
                .iter()
                .filter(|noted| noted.mode == mode && !noted.is_unjudged());
            let opened_until = until;
            for probe in probes.filter(|noted| noted.at.wall >= opened_until) {
                until = until.max(later(probe.at.wall, open_for));
            }
            let rested = self
                .last_of(scene)
                .is_none_or(|last| now.since(last.at.wall) >= rules.max_cooldown);
            let one_tries = self
                .noted
                .iter()
                .any(|noted| noted.mode == mode && noted.is_unjudged());
            now < until || one_tries || (opened.folder == of && !rested)
        };
        let mut opened_by = opened_by;
        opened_by.any(holds)
    }
}

fn later(time: Timestamp, by: Duration) -> Timestamp {
    Timestamp::from_millis(time.as_millis() + i64::try_from(by.as_millis()).unwrap())
}
