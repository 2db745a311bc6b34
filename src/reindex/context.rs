//! The input of decisions at one moment.

use std::sync::Arc;

use chrono_tz::Tz;

use crate::clock::Moment;
use crate::config::{Reindex, ReindexRules};
use crate::ledger::LedgerView;
use crate::policy::{self, Candidate, Decision, FolderFailures, Numbers, Outlook};
use crate::reindex::{FolderFindings, PortalFindings};

/// The rules in use: a reload changes them for every decision from then on.
#[derive(Debug, Clone)]
pub struct Rules {
    pub reindex: Arc<Reindex>,
    /// The time zone of their windows.
    pub zone: Tz,
    /// How many classes of a portal have counters of their own, at most.
    pub max_classes: usize,
}

impl Rules {
    /// What the failed files of all folders show about each class; empty if the ledger cannot be used.
    pub(super) fn outlook(
        &self,
        latest: &PortalFindings,
        ledger: Option<&LedgerView>,
        now: Moment,
    ) -> Outlook {
        let failures = latest.folders.iter().map(|folder| FolderFailures {
            folder: folder.id,
            rules: self.reindex.for_folder(folder.id, folder.name.label()),
            files: folder.failed().files,
        });
        ledger.map_or_else(Outlook::default, |ledger| {
            Outlook::of(failures, ledger, now.wall)
        })
    }
}

/// The input of decisions at one moment.
pub(super) struct DecisionContext {
    pub latest: Arc<PortalFindings>,
    pub rules: Rules,
    pub kill_switch: bool,
    /// The attempts; `None` if the ledger cannot be used.
    pub ledger: Option<Arc<LedgerView>>,
    pub now: Moment,
    /// What the failed files of all folders show about each class.
    pub outlook: Arc<Outlook>,
}

impl DecisionContext {
    /// Whether all but the time is the same as in another context.
    pub fn has_facts_of(&self, other: &Self) -> bool {
        let ledgers = [self, other].map(|context| context.ledger.as_ref().map(Arc::as_ptr));
        Arc::ptr_eq(&self.latest, &other.latest)
            && Arc::ptr_eq(&self.rules.reindex, &other.rules.reindex)
            && self.kill_switch == other.kill_switch
            && ledgers[0] == ledgers[1]
    }

    pub fn rules_of(&self, folder: &FolderFindings) -> &ReindexRules {
        let Rules { reindex, .. } = &self.rules;
        reindex.for_folder(folder.id, folder.name.label())
    }

    pub fn decide(&self, folder: &FolderFindings) -> Decision {
        policy::decide(
            &self.candidate(folder),
            self.ledger.as_deref(),
            self.now.wall,
        )
    }

    /// The numbers behind a decision about a folder.
    pub fn numbers(&self, folder: &FolderFindings) -> Numbers {
        let candidate = self.candidate(folder);
        Numbers::of(&candidate, self.ledger.as_deref(), self.now.wall)
    }

    fn candidate<'a>(&'a self, folder: &'a FolderFindings) -> Candidate<'a> {
        let rules = self.rules_of(folder);
        let clock_was_set = self
            .ledger
            .as_ref()
            .is_some_and(|ledger| ledger.clock_was_set_within(rules.min_age, self.now.wall));
        Candidate {
            zone: self.rules.zone,
            kill_switch: self.kill_switch,
            clock_trusted: !clock_was_set,
            portal_erring: self.latest.portal_erring,
            quality: self.latest.quality(folder, self.now),
            ..Candidate::new(
                folder.id,
                rules,
                folder.counts,
                folder.failed(),
                &self.outlook,
            )
        }
    }
}
