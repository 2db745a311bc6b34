//! The decisions about all folders of a portal at one time.

use std::collections::HashMap;

use crate::attempts::LedgerView;
use crate::classify::Class;
use crate::config::Mode;
use crate::model::{Status, Timestamp};
use crate::policy::class::NewFailures;
use crate::policy::decision::{Choice, Decision, Decisions};
use crate::policy::facts::PortalFacts;
use crate::policy::hold;
use crate::policy::reason::Reason;
use crate::policy::round::{Ready, Round};
use crate::policy::tally::{Numbers, Tally};

/// Decides about each folder. `ledger` is `None` if it cannot be used.
///
/// After anything was written to the ledger, every decision is out of date: decide again.
pub fn decide(portal: &PortalFacts<'_>, ledger: Option<&LedgerView>) -> Decisions {
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
