//! Carries out what [`crate::policy`] decides: intent → request → outcome, and later the verdict.
//!
//! One [`Reindexer`] for each portal reads what the latest collection found ([`PortalFindings`]), in parallel with the collector. It is the only caller of
//! the one request that changes something. At every point a crash leaves the attempt charged: the intent is on disk before the request
//! is sent. Each decision is repeated directly before the intent, with the current input (rules, kill switch, clock, counts,
//! ledger).

mod attempt;
mod candidates;
mod check;
mod context;
mod findings;
pub mod kill_switch;
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

use crate::clock::Moment;
use crate::ledger::{AttemptId, LedgerError, Outcome, PortalLedger, Tidy};
use crate::metrics::PortalEvents;
use crate::model::{FolderId, PortalName, Shard, Timestamp};
use crate::policy::{self, Choice, Decision, Outlook, Reason};
use crate::snapshot::{FolderReindex, Publisher, ReindexView};

pub use context::Rules;
pub use findings::{CountFindings, FolderFindings, PortalFindings};

use context::DecisionContext;
use review::NamedFiles;

/// Interval at which the ledger deletes data that no limit needs any more.
const TIDY_EVERY: Duration = Duration::from_hours(1);

/// No request takes so long: an attempt without an outcome that is older was given up by whoever made it.
const GIVEN_UP_AFTER: Duration = Duration::from_hours(1);

/// The parts that a [`Reindexer`] uses.
pub struct Dependencies {
    pub ledger: PortalLedger,
    /// Which folders are this process's: others judge the attempts in other folders.
    pub shard: Shard,
    pub events: Arc<PortalEvents>,
    pub publisher: Publisher,
    pub rules: watch::Receiver<Rules>,
    /// The results of the latest collection; `None` before the first one.
    pub findings: watch::Receiver<Option<Arc<PortalFindings>>>,
}

/// Decides about the folders of one portal, and carries out the decisions.
pub struct Reindexer {
    portal: PortalName,
    dependencies: Dependencies,
    tidy_at: Instant,
    /// How the portal listed files of an attempt when it was asked for their names.
    named_files: HashMap<AttemptId, NamedFiles>,
    /// What the failed files of the latest findings show of each class.
    outlook: Option<(Arc<PortalFindings>, Arc<Outlook>)>,
    /// The outcomes that the disk refused to store.
    unwritten: Vec<(AttemptId, Timestamp, Outcome)>,
    refusals: Refusals,
    /// Whether the server that has the ledger cannot be used: the view of the ledger may be out of date.
    is_away: bool,
}

/// The error of the last write to the ledger.
#[derive(Debug, Default)]
struct Refusals {
    /// While the findings before the latest were processed.
    before: Option<String>,
    /// While the latest findings are processed.
    latest: Option<String>,
}

impl Refusals {
    /// Why something could not be written: until findings were processed and everything was written.
    fn shown(&self) -> Option<&String> {
        self.latest.as_ref().or(self.before.as_ref())
    }

    fn processed(&mut self) {
        self.before = self.latest.take();
    }
}

impl Reindexer {
    pub fn new(portal: PortalName, dependencies: Dependencies) -> Self {
        Self {
            portal,
            dependencies,
            tidy_at: Moment::now().steady,
            named_files: HashMap::new(),
            outlook: None,
            unwritten: Vec::new(),
            refusals: Refusals::default(),
            is_away: false,
        }
    }

    /// Processes what collections found, until `cancel`. A panic costs the findings of one collection.
    pub async fn run(mut self, cancel: CancellationToken) {
        self.show(BTreeMap::new());
        let ledger = self.dependencies.ledger.clone();
        let stay_active = ledger.stay_active(&cancel);
        tokio::join!(stay_active, self.process_all(&cancel));
        ledger.stop_acting().await;
    }

    async fn process_all(&mut self, cancel: &CancellationToken) {
        loop {
            let changed = tokio::select! {
                () = cancel.cancelled() => return,
                changed = self.dependencies.findings.changed() => changed,
            };
            if changed.is_err() {
                return;
            }
            // The panic is in the log; unfinished work is completed with the next findings.
            let _ = AssertUnwindSafe(self.process_findings(cancel))
                .catch_unwind()
                .await;
        }
    }

    /// Judges earlier attempts, decides about each folder, and makes the attempts that are due.
    async fn process_findings(&mut self, cancel: &CancellationToken) {
        let Some(latest) = self.dependencies.findings.borrow_and_update().clone() else {
            return;
        };
        self.follow_ledger().await;
        self.write_outcomes().await;
        if !self.dependencies.ledger.may_act() {
            return self.show_what_another_process_decides(latest).await;
        }
        self.take_in_what_was_forgiven().await;
        let context = self.context_with(Arc::clone(&latest)).await;
        self.give_up_half_done(context.now.wall).await;
        self.review(&context).await;
        self.tidy(&context).await;
        let context = self.context_with(latest).await;
        let mut folders = BTreeMap::new();
        let mut triggers = Vec::new();
        for folder in &context.latest.folders {
            let decision = context.decide(folder);
            let shown = shown(&decision);
            match decision.choice {
                Choice::Trigger(trigger) => {
                    // Shown as eligible until it is processed, which may take a while.
                    folders.insert(folder.id, shown);
                    triggers.push(trigger);
                }
                Choice::Hold(_) => self.count_decision(&mut folders, folder.id, "hold", shown),
            }
        }
        self.show(folders.clone());
        self.process_candidates(&context, triggers, folders, cancel)
            .await;
    }

    /// The current input of decisions; none before the first collection has ended.
    async fn context(&mut self) -> Option<DecisionContext> {
        let latest = self.dependencies.findings.borrow().clone()?;
        Some(self.context_with(latest).await)
    }

    async fn context_with(&mut self, latest: Arc<PortalFindings>) -> DecisionContext {
        let rules = self.dependencies.rules.borrow().clone();
        let kill_switch = kill_switch::is_on(&rules.reindex).await;
        let now = self.dependencies.ledger.now();
        let ledger = self.dependencies.ledger.view().ok();
        let ledger = ledger.filter(|_| !self.is_away);
        let outlook = match self.outlook.take() {
            Some((of, outlook)) if Arc::ptr_eq(&of, &latest) => outlook,
            _ => Arc::new(rules.outlook(&latest, ledger.as_deref(), now)),
        };
        self.outlook = Some((Arc::clone(&latest), Arc::clone(&outlook)));
        DecisionContext {
            latest,
            rules,
            kill_switch,
            ledger,
            now,
            outlook,
        }
    }

    fn count_decision(
        &self,
        folders: &mut BTreeMap<FolderId, FolderReindex>,
        folder: FolderId,
        decision: &'static str,
        shown: FolderReindex,
    ) {
        self.dependencies.events.decided(decision, shown.reason);
        if shown.reason == Reason::Off {
            folders.remove(&folder);
        } else {
            folders.insert(folder, shown);
        }
    }

    /// Notes a refusal, and logs it when it is new.
    fn refused(&mut self, failed: &LedgerError) {
        if matches!(failed, LedgerError::NoLease) {
            // Another process acts by now.
            return;
        }
        if self.refusals.shown().is_none() {
            error!(portal = %self.portal, error = %failed, "the reindex ledger cannot be written: nothing is reindexed");
        }
        // A change that does not fit says nothing of the disk.
        if !matches!(failed, LedgerError::Misfit(_)) {
            self.refusals.latest = Some(failed.to_string());
        }
    }

    fn note_if_refused(&mut self, written: Result<(), LedgerError>) {
        if let Err(failed) = written {
            self.refused(&failed);
        }
    }

    async fn tidy(&mut self, context: &DecisionContext) {
        if Moment::now().steady < self.tidy_at {
            return;
        }
        self.tidy_at = Moment::now().steady + TIDY_EVERY;
        let Some(ledger) = &context.ledger else {
            return;
        };
        let listed = context.latest.folders.iter().map(|folder| folder.id);
        // Whether these are listed is for other processes to say.
        let others = ledger.folders().map(|(id, _)| id);
        let others = others.filter(|id| !self.dependencies.shard.owns(&self.portal, *id));
        let tidy = Tidy {
            at: context.now.wall,
            horizon: policy::horizon(&context.rules.reindex),
            listed: listed.chain(others).collect(),
        };
        self.note_if_refused(self.dependencies.ledger.tidy(tidy).await);
    }

    /// Records old attempts without an outcome as interrupted: the process ended in between. Younger ones may be under way, also for
    /// another entry of the configuration with the same address.
    async fn give_up_half_done(&mut self, now: Timestamp) {
        let ledger = &self.dependencies.ledger;
        if ledger.view().is_ok() {
            self.note_if_refused(ledger.interrupt(now.before(GIVEN_UP_AFTER)).await);
        }
    }

    /// Reads what other processes wrote to the ledger, and finds out whether it can be used.
    async fn follow_ledger(&mut self) {
        let ledger = &self.dependencies.ledger;
        let usable = ledger.view().is_ok();
        self.is_away = false;
        match ledger.follow().await {
            Ok(()) if usable => {}
            Ok(()) => info!(portal = %self.portal, "the reindex ledger can be used again"),
            Err(failed) if usable => {
                self.is_away = ledger.is_shared();
                self.refused(&failed);
            }
            // The start has logged why.
            Err(_) => {}
        }
    }

    /// Applies new `forgive` entries. Does nothing if the ledger cannot be used.
    async fn take_in_what_was_forgiven(&mut self) {
        if self.dependencies.ledger.view().is_err() {
            return;
        }
        match self.dependencies.ledger.take_in().await {
            Ok(taken) => {
                for forgiveness in taken {
                    info!(portal = %self.portal, what = %forgiveness.what, until = %forgiveness.at, "forgiven: earlier attempts no longer count towards the limits of reindexing");
                }
            }
            Err(failed) => self.refused(&failed),
        }
    }

    /// Shows what the process that may act decides from the same ledger.
    async fn show_what_another_process_decides(&mut self, latest: Arc<PortalFindings>) {
        let context = self.context_with(latest).await;
        let folders = context.latest.folders.iter();
        let decided = folders.map(|folder| (folder.id, shown(&context.decide(folder))));
        let decided = decided.filter(|(_, shown)| shown.reason != Reason::Off);
        let decided = decided.collect();
        self.refusals.processed();
        self.show(decided);
    }

    fn show(&self, folders: BTreeMap<FolderId, FolderReindex>) {
        let ledger = self.dependencies.ledger.view();
        let view = ReindexView {
            folders,
            ledger: ledger.map_err(|error| error.to_string()),
            write_error: self.refusals.shown().cloned(),
        };
        let publisher = &self.dependencies.publisher;
        publisher.publish_reindex(&self.portal, view);
    }
}

/// What is shown of a decision.
fn shown(decision: &Decision) -> FolderReindex {
    FolderReindex {
        reason: decision.reason(),
        numbers: decision.numbers,
    }
}
