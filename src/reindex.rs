//! Carries out what [`crate::policy`] decides: intent → request → outcome, and later the verdict.
//!
//! One [`Reindexer`] for each portal takes in what the latest collection found ([`PortalFindings`]), beside the collector. It is the only caller of
//! the one request that changes something. At every point a crash leaves the attempt charged: the intent is on disk before the request
//! is sent. Whatever may have changed while the portal was asked (rules, kill switch, clock, counts) is checked once more directly
//! before the intent.

mod attempt;
mod candidates;
mod context;
mod findings;
mod kill_switch;
mod review;

use std::collections::{BTreeMap, HashMap};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{error, info};

use crate::ledger::{AttemptId, LedgerError, Outcome, PortalLedger, Tidy};
use crate::metrics::PortalEvents;
use crate::model::{FolderId, Moment, PortalName, Timestamp};
use crate::policy::{self, Choice, Decision, Numbers, Outlook, Reason};
use crate::snapshot::{FolderReindex, Publisher, ReindexView};

pub use context::Rules;
pub use findings::{CountFindings, FolderFindings, PortalFindings};

use context::DecisionContext;
use review::Asked;

/// How often the ledger forgets what no limit can ask for any more.
const TIDY_EVERY: Duration = Duration::from_hours(1);

/// No request takes so long: an attempt without an outcome that is older was given up by whoever made it.
const GIVEN_UP_AFTER: Duration = Duration::from_hours(1);

/// What a [`Reindexer`] works with.
pub struct Dependencies {
    /// Remembers what was attempted.
    pub ledger: PortalLedger,
    /// Counts what was decided.
    pub events: Arc<PortalEvents>,
    /// Shows what was decided.
    pub publisher: Publisher,
    /// The rules in use.
    pub rules: watch::Receiver<Rules>,
    /// What the latest collection found; none before the first one.
    pub findings: watch::Receiver<Option<Arc<PortalFindings>>>,
}

/// Decides about the folders of one portal and does what was decided.
pub struct Reindexer {
    portal: PortalName,
    dependencies: Dependencies,
    tidy_at: Instant,
    /// What the portal told of files of an attempt by their names.
    asked_for: HashMap<AttemptId, Asked>,
    /// What the failed files of the latest findings tell.
    outlook: Option<(Arc<PortalFindings>, Arc<Outlook>)>,
    /// What came of requests, as far as the disk refused to take it.
    unwritten: Vec<(AttemptId, Timestamp, Outcome)>,
}

impl Reindexer {
    /// Makes one for a portal.
    #[must_use]
    pub fn new(portal: PortalName, dependencies: Dependencies) -> Self {
        Self {
            portal,
            dependencies,
            tidy_at: Instant::now(),
            asked_for: HashMap::new(),
            outlook: None,
            unwritten: Vec::new(),
        }
    }

    /// Takes in what collections found, until `cancel`. A panic costs the findings of one collection.
    pub async fn run(mut self, cancel: CancellationToken) {
        let reindex = Arc::clone(&self.dependencies.rules.borrow().reindex);
        self.show(BTreeMap::new(), kill_switch::is_on(&reindex).await);
        loop {
            let changed = tokio::select! {
                () = cancel.cancelled() => return,
                changed = self.dependencies.findings.changed() => changed,
            };
            if changed.is_err() {
                return;
            }
            // The log has told what went wrong; what was left unfinished is completed with the next findings.
            let _ = AssertUnwindSafe(self.take(&cancel)).catch_unwind().await;
        }
    }

    /// Judges earlier attempts, decides about each folder, and makes the attempts that are due.
    async fn take(&mut self, cancel: &CancellationToken) {
        let Some(latest) = self.dependencies.findings.borrow_and_update().clone() else {
            return;
        };
        self.take_in_what_was_forgiven().await;
        let context = self.context_with(Arc::clone(&latest)).await;
        self.write_outcomes().await;
        self.give_up_half_done(context.now.wall).await;
        self.review(&context).await;
        self.tidy(&context).await;
        let context = self.context_with(latest).await;
        let mut folders = BTreeMap::new();
        let mut triggers = Vec::new();
        for folder in &context.latest.folders {
            let Decision { choice, numbers } = context.decide(folder);
            match choice {
                Choice::Trigger(trigger) => {
                    // Shown as eligible until it is processed, which may take a while.
                    let reason = Reason::Eligible;
                    folders.insert(folder.id, FolderReindex { reason, numbers });
                    triggers.push(trigger);
                }
                Choice::Hold(reason) => {
                    self.settle_on(&mut folders, folder.id, "hold", reason, numbers);
                }
            }
        }
        self.show(folders.clone(), context.kill_switch);
        self.process_candidates(triggers, folders, cancel).await;
    }

    /// What is known and what holds now; none before the first collection has ended.
    async fn context(&mut self) -> Option<DecisionContext> {
        let latest = self.dependencies.findings.borrow().clone()?;
        Some(self.context_with(latest).await)
    }

    async fn context_with(&mut self, latest: Arc<PortalFindings>) -> DecisionContext {
        let rules = self.dependencies.rules.borrow().clone();
        let kill_switch = kill_switch::is_on(&rules.reindex).await;
        let now = Moment::now();
        let outlook = self.outlook(&latest, &rules, now);
        DecisionContext {
            outlook,
            ledger: self.dependencies.ledger.view().ok(),
            latest,
            rules,
            kill_switch,
            now,
        }
    }

    /// What the failed files of the findings tell: worked out once.
    fn outlook(
        &mut self,
        latest: &Arc<PortalFindings>,
        rules: &Rules,
        now: Moment,
    ) -> Arc<Outlook> {
        if let Some((of, outlook)) = &self.outlook
            && Arc::ptr_eq(of, latest)
        {
            return Arc::clone(outlook);
        }
        let ledger = self.dependencies.ledger.view().ok();
        let outlook = Arc::new(rules.outlook(latest, ledger.as_deref(), now));
        self.outlook = Some((Arc::clone(latest), Arc::clone(&outlook)));
        outlook
    }

    fn settle_on(
        &self,
        folders: &mut BTreeMap<FolderId, FolderReindex>,
        folder: FolderId,
        decision: &'static str,
        reason: Reason,
        numbers: Numbers,
    ) {
        self.dependencies.events.decided(decision, reason);
        if reason == Reason::Off {
            folders.remove(&folder);
        } else {
            folders.insert(folder, FolderReindex { reason, numbers });
        }
    }

    /// Says that the ledger refuses.
    fn refused(&self, failed: &LedgerError) -> Reason {
        error!(portal = %self.portal, error = %failed, "the reindex ledger cannot be written: nothing is reindexed");
        Reason::LedgerUnavailable
    }

    async fn tidy(&mut self, context: &DecisionContext) {
        if Instant::now() < self.tidy_at {
            return;
        }
        self.tidy_at = Instant::now() + TIDY_EVERY;
        let tidy = Tidy {
            at: context.now.wall,
            horizon: policy::horizon(&context.rules.reindex),
            listed: context
                .latest
                .folders
                .iter()
                .map(|folder| folder.id)
                .collect(),
        };
        if let Err(failed) = self.dependencies.ledger.tidy(tidy).await {
            self.refused(&failed);
        }
    }

    /// Says of old attempts without an outcome that it will never be known: a mistake in this program came between. Younger ones may be
    /// under way, also for another entry of the configuration with the same address.
    async fn give_up_half_done(&self, now: Timestamp) {
        let ledger = &self.dependencies.ledger;
        if ledger.view().is_ok()
            && let Err(failed) = ledger.interrupt(now.before(GIVEN_UP_AFTER)).await
        {
            self.refused(&failed);
        }
    }

    /// Passes over what people took back. Nothing, where the ledger cannot be used.
    async fn take_in_what_was_forgiven(&self) {
        let usable = self.dependencies.ledger.view().is_ok();
        match self.dependencies.ledger.take_in().await {
            Ok(taken) => {
                if !usable {
                    info!(portal = %self.portal, "the reindex ledger can be used again");
                }
                for forgiveness in taken {
                    info!(portal = %self.portal, what = %forgiveness.what, until = %forgiveness.at, "forgiven: limits of reindexing pass over what was before");
                }
            }
            Err(failed) if usable => {
                self.refused(&failed);
            }
            // The start has told why.
            Err(_) => {}
        }
    }

    fn show(&self, folders: BTreeMap<FolderId, FolderReindex>, kill_switch: bool) {
        let view = ReindexView {
            folders,
            ledger: self
                .dependencies
                .ledger
                .view()
                .map_err(|error| error.to_string()),
            kill_switch,
        };
        self.dependencies
            .publisher
            .publish_reindex(&self.portal, view);
    }
}
