//! The decisions about all folders of a portal at one time. Which of those that nothing holds by themselves are sent, the classes, the tries of
//! the portal, and the budget decide.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::attempts::Book;
use crate::classify::Class;
use crate::config::Mode;
use crate::model::{FolderId, Status, Timestamp};
use crate::policy::class::{ClassState, NewFailures};
use crate::policy::decision::{Cause, Choice, Decision, Decisions, Hold, Numbers, Reason};
use crate::policy::facts::{FolderFacts, PortalFacts, Tally};
use crate::policy::limits::Limits;
use crate::policy::{budget, hold};

/// Decides about each folder. `ledger` is `None` if it cannot be used.
///
/// After anything was written to the ledger, every decision is out of date: decide again.
pub fn decide(portal: &PortalFacts<'_>, ledger: Option<&Book>) -> Decisions {
    let limits = ledger.map(|ledger| Limits::of(ledger, portal.now));
    let mut decisions = Decisions::default();
    let mut ready: [Vec<Ready<'_, '_>>; 2] = Default::default();
    let mut new: HashMap<&Class, NewFailures> = HashMap::new();
    for folder in &portal.folders {
        let tally = Tally::of(folder, ledger, portal.wall, &mut new);
        let last = ledger.and_then(|ledger| hold::last_sent(ledger.track(), folder.id));
        let numbers = Numbers {
            failed: folder.counts[Status::Failed],
            eligible: tally.eligible,
            exhausted: tally.exhausted,
            next_allowed: last.map(|last| hold::next_allowed(last, folder.rules)),
        };
        let last = last.map(AsRef::as_ref);
        let checked = hold::check(portal, folder, &tally, limits.as_ref(), last);
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
    let Some(limits) = &limits else {
        return decisions;
    };
    // What is only shown must not keep others from being sent.
    for ready in ready {
        let mut round = Round {
            limits,
            now: portal.now,
            new: &new,
            states: HashMap::new(),
            planned: 0,
            tries_left: limits.tries.left,
        };
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

/// The decisions of one mode at one time.
struct Round<'l, 'c> {
    limits: &'l Limits<'l>,
    now: Timestamp,
    new: &'l HashMap<&'c Class, NewFailures>,
    states: HashMap<&'c Class, ClassState>,
    /// Files of the folders that are sent in this round.
    planned: u64,
    tries_left: usize,
}

impl<'c> Round<'_, 'c> {
    /// Decides about folders that nothing else holds: first those with files of good classes, then the tries.
    pub fn plan(&mut self, ready: &[Ready<'_, 'c>]) -> Vec<(FolderId, Choice)> {
        for ready in ready {
            for class in ready.tally.classes.keys().copied() {
                let new = || ClassState::of(self.limits.ledger, class, self.now);
                self.states.entry(class).or_insert_with(new);
            }
        }
        let (mut good, rest): (Vec<_>, Vec<_>) =
            ready.iter().partition(|ready| self.gain(ready) > 0);
        good.sort_by_cached_key(|ready| Reverse(self.gain(ready)));
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
        good.map(|(_, eligible)| eligible).sum()
    }

    /// Whether the budget allows a folder now.
    fn is_affordable(&self, ready: &Ready<'_, 'c>) -> bool {
        let budget = &ready.folder.rules.budget;
        let charged = self.limits.charges.charged(budget, self.now);
        let charged = charged.saturating_add(self.planned);
        budget::allows(budget, charged, ready.tally.files)
    }

    /// Sends a folder, if the budget allows it.
    fn send(&mut self, ready: &Ready<'_, 'c>, is_trial: bool) -> Choice {
        if !self.is_affordable(ready) {
            return self.too_expensive(ready);
        }
        self.planned = self.planned.saturating_add(ready.tally.files);
        for class in ready.tally.classes.keys() {
            if let Some(state) = self.states.get_mut(class) {
                state.open = Some(ready.folder.id);
            }
        }
        Choice::Send { is_trial }
    }

    fn too_expensive(&self, ready: &Ready<'_, 'c>) -> Choice {
        let (budget, files) = (&ready.folder.rules.budget, ready.tally.files);
        let until = self.limits.charges.allows_at(budget, files, self.now);
        Choice::Hold(Hold::until(Reason::Budget, until))
    }

    /// Chooses the folders that try a class, those with most to gain first; the others are held.
    fn tries(&mut self, mut rest: Vec<&Ready<'_, 'c>>) -> Vec<(FolderId, Choice)> {
        let mut choices = Vec::new();
        while self.tries_left > 0 {
            let worth = |(at, ready): (usize, &&Ready<'_, 'c>)| {
                let worth = self.worth(ready)?;
                self.is_affordable(ready).then_some((worth, Reverse(at)))
            };
            let best = rest.iter().enumerate().filter_map(worth).max();
            let Some((_, Reverse(at))) = best else {
                break;
            };
            let ready = rest.remove(at);
            choices.push((ready.folder.id, self.send(ready, true)));
            self.tries_left -= 1;
        }
        let held = rest
            .into_iter()
            .map(|ready| (ready.folder.id, self.held(ready)));
        choices.extend(held);
        choices
    }

    /// The classes that a folder may try now.
    fn tried_now<'r>(&'r self, ready: &'r Ready<'_, 'c>) -> impl Iterator<Item = &'c Class> + 'r {
        let may_try = |class: &&'c Class| {
            let next = self.next_of(class, ready);
            self.states[*class].open.is_none() && next.is_none_or(|at| at <= self.now)
        };
        ready.tally.eligible_classes().filter(may_try)
    }

    /// What a try in a folder shows for what it costs, the greater the better: classes that were tried in vain less often come first, then
    /// folders with fewer files. `None` if it cannot try any class now.
    fn worth(&self, ready: &Ready<'_, 'c>) -> Option<(Reverse<u32>, Reverse<u64>)> {
        let classes = self.tried_now(ready);
        let in_vain = classes.map(|class| self.states[class].in_vain).min()?;
        Some((Reverse(in_vain), Reverse(ready.tally.files)))
    }

    fn next_of(&self, class: &Class, ready: &Ready<'_, 'c>) -> Option<Timestamp> {
        self.states[class].next_try(
            ready.folder.rules,
            self.new.get(class).copied().unwrap_or_default(),
            ready.tally.files,
        )
    }

    /// What holds a folder that makes no try now: the budget, or the class that may be tried first.
    fn held(&self, ready: &Ready<'_, 'c>) -> Choice {
        if self.tries_left > 0 && self.worth(ready).is_some() {
            return self.too_expensive(ready);
        }
        let next = |class: &Class| self.next_of(class, ready).max(self.limits.tries.next);
        let class = ready
            .tally
            .eligible_classes()
            .min_by_key(|class| (next(class), Reverse(ready.tally.eligible_of(class))));
        let cause = class.map(|class| {
            let state = &self.states[class];
            let last = state.last.map(|(_, folder)| folder);
            Cause::Class {
                class: class.clone(),
                folder: state.open.or(last),
            }
        });
        Choice::Hold(Hold {
            reason: Reason::Class,
            until: class.and_then(next),
            cause,
        })
    }
}
