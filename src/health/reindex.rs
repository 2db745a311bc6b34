//! Reindexing as health and the status page show it.

use std::collections::BTreeSet;

use crate::classify::Class;
use crate::clock::Moment;
use crate::ledger::ActiveMode;
use crate::policy::{BreakerState, Numbers, Reason};
use crate::snapshot::{FolderState, FolderView, PortalLimits, PortalView, ReindexView, Snapshot};

/// Maximum number of notes about unknown classes.
const MAX_UNKNOWN: usize = 5;

/// The decision about a folder whose mode is not off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FolderDecision {
    pub mode: ActiveMode,
    /// Why, and from what; none before the first decision in this mode.
    pub decided: Option<(Reason, Numbers)>,
}

impl FolderDecision {
    /// The decision about a folder; `None` if the mode is off or the folder left.
    pub(super) fn of(
        portal: &PortalView,
        view: Option<&ReindexView>,
        folder: &FolderView,
    ) -> Option<Self> {
        if matches!(folder.state, FolderState::Departed(_)) {
            return None;
        }
        let rules = portal.reindex.for_folder(folder.id, folder.name.label());
        let mode = ActiveMode::of(rules.mode)?;
        let decided = view.and_then(|view| view.folders.get(&folder.id));
        let decided = decided.map(|decided| (decided.reason, decided.numbers));
        Some(Self { mode, decided })
    }

    /// The decision with the numbers behind it, for people.
    pub fn summary(&self) -> String {
        let sentence = self.sentence();
        let Some((_, numbers)) = self.decided else {
            return sentence.to_owned();
        };
        let next = numbers.next_allowed;
        let next = next.map_or_else(String::new, |time| format!("next allowed {time}, "));
        let Numbers {
            failed, retryable, ..
        } = numbers;
        format!("{sentence}; {next}{failed} failed, {retryable} retryable")
    }

    /// The decision in a sentence, for people.
    pub fn sentence(&self) -> &'static str {
        match (self.decided, self.mode) {
            (None, _) => "no decision has been made yet",
            (Some((Reason::Eligible, _)), ActiveMode::DryRun) => {
                "an attempt was due; dry run sends nothing"
            }
            (Some((Reason::Eligible, _)), ActiveMode::Enforce) => {
                "an attempt was made or follows soon"
            }
            (Some((reason, _)), _) => reason.sentence(),
        }
    }
}

/// The remaining budget and the breaker; `None` if nothing is reindexed or the ledger cannot be used.
pub(super) fn limits(portal: &PortalView, view: &ReindexView, now: Moment) -> Option<PortalLimits> {
    let mode = ActiveMode::of(portal.reindex.strongest_mode())?;
    let ledger = view.ledger.as_ref().ok()?;
    Some(PortalLimits::of(mode, &portal.reindex, ledger, now))
}

/// Why the ledger cannot be used or written; a warning.
pub(super) fn warning(view: &ReindexView) -> Option<String> {
    let refused = view.refusal()?;
    Some(format!("nothing is reindexed: {refused}"))
}

/// What stops reindexing as configured; not a warning.
pub(super) fn remarks(kill_switch: bool, limits: Option<PortalLimits>) -> Vec<String> {
    let remark = "nothing is reindexed: the kill switch is on";
    let kill_switch = kill_switch.then(|| remark.to_owned());
    let breaker = match limits.map(|limits| limits.breaker) {
        Some(BreakerState::Open { until }) => Some(format!(
            "nothing is reindexed until {until}: the last attempts had no effect"
        )),
        Some(BreakerState::HalfOpen { .. }) => {
            Some("one folder at a time is reindexed: the last attempts had no effect".to_owned())
        }
        Some(BreakerState::Closed) | None => None,
    };
    kill_switch.into_iter().chain(breaker).collect()
}

/// The classes that files had in any portal, because the rules hold for all portals. None before each portal ended a collection.
pub(super) fn known_classes(snapshot: &Snapshot) -> Option<BTreeSet<&str>> {
    let portals = || snapshot.portals.iter();
    if portals().any(|portal| !portal.was_collected()) {
        return None;
    }
    let slots = portals().flat_map(|portal| portal.classes.keys().map(|class| &**class));
    let counts = portals().flat_map(|portal| portal.folders.values());
    let counts = counts.filter_map(|folder| folder.counts.as_ref());
    let shown = counts.flat_map(|counts| counts.errors.iter().map(|row| row.class.as_str()));
    let ledgers = snapshot.reindex.values();
    let ledgers = ledgers.filter_map(|view| view.ledger.as_ref().ok());
    let sent = ledgers.flat_map(|ledger| ledger.known_classes().map(Class::as_str));
    Some(slots.chain(shown).chain(sent).collect())
}

/// The classes in the rules of reindexing that no file had; not a warning.
pub(super) fn unknown_classes(portal: &PortalView, known: &BTreeSet<&str>) -> Vec<String> {
    if portal.list.facts().is_none() {
        return Vec::new();
    }
    let mut notes = portal.reindex.unknown_classes(&portal.errors, known);
    if notes.len() > MAX_UNKNOWN {
        let more = notes.len() - MAX_UNKNOWN;
        notes.truncate(MAX_UNKNOWN);
        notes.push(format!(
            "reindex names {more} more unknown classes; --config.check lists all"
        ));
    }
    notes
}
