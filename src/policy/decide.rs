//! The decisions about all folders of a portal at one time. Which of those that nothing holds by themselves are sent, the classes, the tries of
//! the portal, and the budget decide.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::time::Duration;

use crate::attempts::Book;
use crate::classify::Class;
use crate::config::Mode;
use crate::model::{FolderId, Status, Timestamp};
use crate::policy::class::{ClassState, NewFailures, helped};
use crate::policy::decision::{Choice, Decision, Decisions, Hold, Numbers, Reason};
use crate::policy::facts::{FolderFacts, PortalFacts, Tally};
use crate::policy::{budget, hold};

/// Number of tries in a portal within [`AN_HOUR`], whatever the classes are called.
const TRIES: usize = 4;

/// The same after as many tries in a row in which no file came back.
const TRIES_IN_VAIN: usize = 2;

/// After fewer tries of a class in vain, a folder with so many eligible files is preferred.
const FEW_IN_VAIN: u32 = 3;
const ENOUGH_FILES: u64 = 5;

const AN_HOUR: Duration = Duration::from_hours(1);

/// Decides about each folder. `ledger` is `None` if it cannot be used.
///
/// After anything was written to the ledger, every decision is out of date: decide again.
pub fn decide(portal: &PortalFacts<'_>, ledger: Option<&Book>) -> Decisions {
    let mut decisions = Decisions::default();
    let mut ready: [Vec<Ready<'_, '_>>; 2] = Default::default();
    let mut fresh: HashMap<&Class, Vec<Timestamp>> = HashMap::new();
    for folder in &portal.folders {
        let tally = Tally::of(folder, ledger, portal.now);
        for (class, times) in &tally.fresh {
            fresh.entry(class).or_default().extend(times);
        }
        let numbers = Numbers {
            failed: folder.counts[Status::Failed],
            eligible: tally.all.eligible,
            exhausted: tally.all.exhausted,
            next_allowed: ledger.map(|ledger| hold::next_allowed(ledger, folder.id, folder.rules)),
        };
        let checked = hold::check(portal, folder, &tally, ledger);
        if checked.is_ok() {
            let is_sent = folder.rules.mode == Mode::Enforce;
            ready[usize::from(is_sent)].push(Ready { folder, tally });
        }
        let decision = Decision {
            mode: folder.rules.mode,
            choice: Choice::Hold(checked.err().unwrap_or(Reason::Class.into())),
            since: portal.now,
            numbers,
        };
        decisions.folders.insert(folder.id, decision);
    }
    let Some(ledger) = ledger else {
        return decisions;
    };
    let fresh = fresh.into_iter();
    let new = fresh.map(|(class, times)| (class, NewFailures::of(times)));
    let new = new.collect();
    // What is only shown must not keep others from being sent.
    for ready in ready {
        let mut round = Round::new(ledger, &new, portal.now);
        for (folder, choice) in round.plan(&ready) {
            decisions.decide(folder, choice);
        }
    }
    decisions
}

/// A folder that nothing holds but its classes, the other folders and the budget.
struct Ready<'p, 'f> {
    pub folder: &'p FolderFacts<'f>,
    pub tally: Tally<'f>,
}

impl<'f> Ready<'_, 'f> {
    fn eligible(&self, class: &Class) -> u64 {
        let files = self.tally.classes.get(class);
        files.map_or(0, |files| files.eligible)
    }

    fn eligible_classes(&self) -> impl Iterator<Item = &'f Class> {
        let classes = self.tally.classes.iter();
        let eligible = classes.filter(|(_, files)| files.eligible > 0);
        eligible.map(|(class, _)| *class)
    }
}

/// The decisions of one mode at one time.
struct Round<'l, 'c> {
    ledger: &'l Book,
    now: Timestamp,
    new: &'l HashMap<&'c Class, NewFailures>,
    states: HashMap<&'c Class, ClassState>,
    /// Files of the folders that are sent in this round.
    planned: u64,
    tries_left: usize,
    /// When the next try may be made, if none is left.
    next_try: Option<Timestamp>,
}

impl<'l, 'c> Round<'l, 'c> {
    pub fn new(ledger: &'l Book, new: &'l HashMap<&'c Class, NewFailures>, now: Timestamp) -> Self {
        let track = ledger.track();
        let trials = track.newest_first().filter(|attempt| attempt.is_trial);
        let results = trials.filter_map(|attempt| helped(attempt));
        let in_vain = results.take(TRIES).filter(|helped| !helped).count();
        let most = if in_vain < TRIES {
            TRIES
        } else {
            TRIES_IN_VAIN
        };
        let lately = track
            .within(AN_HOUR, now)
            .filter(|attempt| attempt.is_trial);
        let lately: Vec<_> = lately.map(|attempt| attempt.intended).collect();
        let oldest = lately.len().checked_sub(most).map(|at| lately[at]);
        Self {
            ledger,
            now,
            new,
            states: HashMap::new(),
            planned: 0,
            tries_left: most.saturating_sub(lately.len()),
            next_try: oldest.map(|at| at.after(AN_HOUR)),
        }
    }

    /// Decides about folders that nothing else holds: first those with files of good classes, then the tries.
    pub fn plan(&mut self, ready: &[Ready<'_, 'c>]) -> Vec<(FolderId, Choice)> {
        for ready in ready {
            for class in ready.tally.classes.keys().copied() {
                let new = || ClassState::of(self.ledger, class, self.now);
                self.states.entry(class).or_insert_with(new);
            }
        }
        let (mut good, rest): (Vec<_>, Vec<_>) =
            ready.iter().partition(|ready| self.gain(ready) > 0);
        good.sort_by_key(|ready| Reverse(self.gain(ready)));
        let mut choices: Vec<_> = good
            .into_iter()
            .map(|ready| (ready.folder.id, self.send(ready, false)))
            .collect();
        choices.extend(self.tries(rest));
        choices
    }

    /// The eligible files of good classes.
    fn gain(&self, ready: &Ready<'_, 'c>) -> u64 {
        let classes = ready.tally.classes.iter();
        let good = classes.filter(|(class, _)| self.states[*class].good_until().is_some());
        good.map(|(_, files)| files.eligible).sum()
    }

    /// Sends a folder, if the budget allows it.
    fn send(&mut self, ready: &Ready<'_, 'c>, is_trial: bool) -> Choice {
        let files = ready.tally.all.files;
        let budget = &ready.folder.rules.budget;
        let charged = budget::charged(self.ledger, budget, self.now).saturating_add(self.planned);
        if !budget::allows(budget, charged, files) {
            let until = budget::allows_at(self.ledger, budget, files, self.now);
            return Choice::Hold(Hold::until(Reason::Budget, until));
        }
        self.planned = self.planned.saturating_add(files);
        for class in ready.tally.classes.keys() {
            if let Some(state) = self.states.get_mut(class) {
                state.open = Some(ready.folder.id);
            }
        }
        Choice::Send { is_trial }
    }

    /// Chooses the folders that try a class, those with most to gain first; the others are held.
    fn tries(&mut self, mut rest: Vec<&Ready<'_, 'c>>) -> Vec<(FolderId, Choice)> {
        let mut choices = Vec::new();
        while self.tries_left > 0 {
            let worth = |(at, ready): (usize, &&Ready<'_, 'c>)| {
                let classes = self.tried_now(ready);
                let worth = classes.map(|class| self.worth(class, ready)).max()?;
                Some((worth, Reverse(at)))
            };
            let best = rest.iter().enumerate().filter_map(worth).max();
            let Some((_, Reverse(at))) = best else {
                break;
            };
            let ready = rest.remove(at);
            let choice = self.send(ready, true);
            if matches!(choice, Choice::Send { .. }) {
                self.tries_left -= 1;
            }
            choices.push((ready.folder.id, choice));
        }
        choices.extend(
            rest.into_iter()
                .map(|ready| (ready.folder.id, Choice::Hold(self.held(ready)))),
        );
        choices
    }

    /// The classes that a folder may try now.
    fn tried_now<'r>(&'r self, ready: &'r Ready<'_, 'c>) -> impl Iterator<Item = &'c Class> + 'r {
        let may_try = |class: &&'c Class| {
            let next = self.next_of(class, ready);
            self.states[*class].open.is_none() && next.is_none_or(|at| at <= self.now)
        };
        ready.eligible_classes().filter(may_try)
    }

    /// What a try shows for what it costs: the greater, the sooner. Classes that were tried in vain less often come first. Until a class was
    /// tried in vain a few times, more eligible files show more, since one may fail again by chance; then the folder with the fewest files is best.
    fn worth(&self, class: &Class, ready: &Ready<'_, 'c>) -> (Reverse<u32>, u64, Reverse<u64>) {
        let in_vain = self.states[class].in_vain.min(FEW_IN_VAIN);
        let shows = if in_vain < FEW_IN_VAIN {
            ready.eligible(class).min(ENOUGH_FILES)
        } else {
            0
        };
        (Reverse(in_vain), shows, Reverse(ready.tally.all.files))
    }

    fn next_of(&self, class: &Class, ready: &Ready<'_, 'c>) -> Option<Timestamp> {
        self.states[class].next_try(
            ready.folder.rules,
            self.new.get(class).copied().unwrap_or_default(),
            ready.tally.all.files,
        )
    }

    /// Which class holds a folder: the one that may be tried first.
    fn held(&self, ready: &Ready<'_, 'c>) -> Hold {
        let next = |class: &Class| self.next_of(class, ready).max(self.next_try);
        let class = ready
            .eligible_classes()
            .min_by_key(|class| (next(class), Reverse(ready.eligible(class))));
        let state = class.map(|class| &self.states[class]);
        Hold {
            until: class.and_then(next),
            folder: state.and_then(|state| state.open.or(state.last.map(|(_, folder)| folder))),
            class: class.cloned(),
            ..Reason::Class.into()
        }
    }
}
