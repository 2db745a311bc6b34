//! Everything that a decision is made from at one moment, the ledger aside.

use std::sync::Arc;

use chrono_tz::Tz;

use crate::config::{Reindex, ReindexRules};
use crate::ledger::LedgerView;
use crate::model::Moment;
use crate::policy::{self, Candidate, Decision, FolderFailures, Outlook};
use crate::reindex::{FolderFindings, PortalFindings};

/// The rules in use: a reload changes them for every decision from then on.
#[derive(Debug, Clone)]
pub struct Rules {
    /// The rules.
    pub reindex: Arc<Reindex>,
    /// The time zone of their windows.
    pub zone: Tz,
    /// Classes of a portal that are counted by themselves, at most.
    pub max_classes: usize,
}

impl Rules {
    /// What the failed files of all folders tell of each class; nothing, where the ledger cannot be used.
    pub(super) fn outlook(
        &self,
        latest: &PortalFindings,
        ledger: Option<&LedgerView>,
        now: Moment,
    ) -> Outlook {
        let failures = latest.folders.iter().map(|folder| FolderFailures {
            folder: folder.id,
            rules: self.reindex.for_folder(folder.id, folder.name.label()),
            files: folder.failed().files(),
        });
        ledger.map_or_else(Outlook::default, |ledger| {
            Outlook::of(failures, ledger, now.wall)
        })
    }
}

/// What is known, and what holds, at one moment.
pub(super) struct DecisionContext {
    /// What the latest collection found.
    pub latest: Arc<PortalFindings>,
    pub rules: Rules,
    pub kill_switch: bool,
    /// What was attempted; `None` when the ledger cannot be used.
    pub ledger: Option<Arc<LedgerView>>,
    pub now: Moment,
    /// What the failed files of all folders tell.
    pub outlook: Arc<Outlook>,
}

impl DecisionContext {
    /// The rules of a folder.
    pub fn rules_of(&self, folder: &FolderFindings) -> &ReindexRules {
        let Rules { reindex, .. } = &self.rules;
        reindex.for_folder(folder.id, folder.name.label())
    }

    /// Decides about a folder.
    pub fn decide(&self, folder: &FolderFindings) -> Decision {
        let rules = self.rules_of(folder);
        let ledger = self.ledger.as_deref();
        let clock_was_set =
            ledger.is_some_and(|ledger| ledger.clock_was_set_within(rules.min_age, self.now.wall));
        let candidate = Candidate {
            folder: folder.id,
            rules,
            zone: self.rules.zone,
            kill_switch: self.kill_switch,
            clock_trusted: !clock_was_set,
            portal_erring: self.latest.portal_erring,
            counts_are: self.latest.worth(folder, self.now),
            counts: folder.counts,
            failed: folder.failed(),
            outlook: &self.outlook,
        };
        policy::decide(&candidate, ledger, self.now.wall)
    }
}
