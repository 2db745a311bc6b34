//! Carries out what [`crate::policy`] decides: intent → request → outcome, and later the verdict.
//!
//! One [`Reindexer`] for each portal takes in what each collection found ([`Batch`]), one after the other, beside the collector. It
//! is the only caller of the one request that changes something. At every point a crash leaves the attempt charged: the intent is on
//! disk before the request is sent.

mod attempt;
mod batch;
mod clock;
mod kill_switch;
mod review;

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::error;

use crate::ledger::{ActiveMode, Course, LedgerError, PortalLedger, Tidy};
use crate::metrics::PortalEvents;
use crate::model::{FolderId, Moment, PortalName, Timestamp};
use crate::policy::{self, Choice, Decision, Numbers, Reason, Trigger};
use crate::snapshot::{FolderReindex, Publisher, ReindexView};

pub use batch::{Batch, Findings, FolderBatch};

use clock::Clock;

/// How often the ledger forgets what no limit can ask for any more.
const TIDY_EVERY: Duration = Duration::from_hours(1);

/// Decides about the folders of one portal and does what was decided.
pub struct Reindexer {
    portal: PortalName,
    ledger: PortalLedger,
    events: Arc<PortalEvents>,
    publisher: Publisher,
    clock: Clock,
    tidy_at: Instant,
}

impl Reindexer {
    /// Makes one for a portal.
    #[must_use]
    pub fn new(
        portal: PortalName,
        ledger: PortalLedger,
        events: Arc<PortalEvents>,
        publisher: Publisher,
    ) -> Self {
        Self {
            portal,
            ledger,
            events,
            publisher,
            clock: Clock::start(Moment::now()),
            tidy_at: Instant::now(),
        }
    }

    /// Takes in one batch after the other, until `cancel`. A mistake in this program costs one batch.
    pub async fn run(mut self, mut batches: mpsc::Receiver<Batch>, cancel: CancellationToken) {
        self.show(BTreeMap::new(), false);
        loop {
            let batch = tokio::select! {
                () = cancel.cancelled() => return,
                batch = batches.recv() => batch,
            };
            let Some(batch) = batch else { return };
            // The log has told what went wrong; what was left half done is made good before the next batch.
            let _ = AssertUnwindSafe(self.take(&batch, &cancel))
                .catch_unwind()
                .await;
        }
    }

    /// Judges earlier attempts, decides about each folder, and makes the attempts that are due.
    async fn take(&mut self, batch: &Batch, cancel: &CancellationToken) {
        let now = Moment::now();
        let trusted = self.clock.trusts(now, batch.reindex.rules.cooldown);
        self.give_up_half_done(now.wall).await;
        self.review(batch, now.wall).await;
        self.tidy(batch, now.wall).await;
        let mut desk = Desk {
            batch,
            kill_switch: kill_switch::is_on(&batch.reindex).await,
            trusted,
        };
        let mut folders = BTreeMap::new();
        let mut triggers = Vec::new();
        for folder in &batch.folders {
            let Decision { choice, numbers } = self.decide(&desk, folder);
            match choice {
                Choice::Trigger(trigger) => {
                    // Shown as such until its turn comes, which may take a while.
                    let reason = Reason::Eligible;
                    folders.insert(folder.id, FolderReindex { reason, numbers });
                    triggers.push(trigger);
                }
                Choice::Hold(reason) => {
                    self.settle_on(&mut folders, folder, "hold", reason, numbers);
                }
            }
        }
        self.show(folders.clone(), desk.kill_switch);
        for trigger in self.in_order(triggers) {
            let Some(folder) = batch.folder(trigger.folder) else {
                continue;
            };
            if cancel.is_cancelled() {
                return;
            }
            // The attempts before may have taken long.
            desk.kill_switch = kill_switch::is_on(&batch.reindex).await;
            self.try_folder(&desk, folder, &mut folders).await;
            self.show(folders.clone(), desk.kill_switch);
        }
    }

    /// Decides about a folder again, since others had their turn meanwhile, and makes the attempt.
    async fn try_folder(
        &self,
        desk: &Desk<'_>,
        folder: &FolderBatch,
        folders: &mut BTreeMap<FolderId, FolderReindex>,
    ) {
        let decision = self.decide(desk, folder);
        let word = decision.as_str();
        let Decision { choice, numbers } = decision;
        let (word, reason) = match choice {
            Choice::Hold(reason) => (word, reason),
            Choice::Trigger(trigger) => match self.attempt(desk.batch, folder, trigger).await {
                Ok(()) => (word, Reason::Eligible),
                Err(reason) => ("hold", reason),
            },
        };
        // What was just attempted has a cooldown now.
        let numbers = Numbers {
            next_allowed: self.decide(desk, folder).numbers.next_allowed,
            ..numbers
        };
        self.settle_on(folders, folder, word, reason, numbers);
    }

    fn decide(&self, desk: &Desk<'_>, folder: &FolderBatch) -> Decision {
        let case = desk.batch.case(folder, desk.kill_switch, desk.trusted);
        let ledger = self.ledger.view().ok();
        policy::decide(&case, ledger.as_deref(), Moment::now().wall)
    }

    fn in_order(&self, triggers: Vec<Trigger>) -> Vec<Trigger> {
        match self.ledger.view() {
            Ok(ledger) => policy::in_order(triggers, &ledger),
            Err(_) => Vec::new(),
        }
    }

    fn settle_on(
        &self,
        folders: &mut BTreeMap<FolderId, FolderReindex>,
        folder: &FolderBatch,
        decision: &'static str,
        reason: Reason,
        numbers: Numbers,
    ) {
        if reason != Reason::Off {
            self.events.decided(decision, reason);
            folders.insert(folder.id, FolderReindex { reason, numbers });
        }
    }

    /// Says that the ledger refuses.
    fn refused(&self, failed: &LedgerError) -> Reason {
        error!(portal = %self.portal, error = %failed, "the reindex ledger cannot be written: nothing is reindexed");
        Reason::LedgerUnavailable
    }

    async fn tidy(&mut self, batch: &Batch, at: Timestamp) {
        if Instant::now() < self.tidy_at {
            return;
        }
        self.tidy_at = Instant::now() + TIDY_EVERY;
        let tidy = Tidy {
            at,
            horizon: policy::horizon(&batch.reindex),
            listed: batch.listed.clone(),
        };
        if let Err(failed) = self.ledger.tidy(tidy).await {
            self.refused(&failed);
        }
    }

    /// Says of attempts without an outcome that it will never be known: no request is under way now, so the disk refused to take it, or a
    /// mistake in this program came between.
    async fn give_up_half_done(&self, now: Timestamp) {
        let Ok(ledger) = self.ledger.view() else {
            return;
        };
        let mut attempts = ledger.track(ActiveMode::Enforce).unjudged();
        if attempts.any(|attempt| matches!(attempt.course, Course::Intended { .. }))
            && let Err(failed) = self.ledger.interrupt(now).await
        {
            self.refused(&failed);
        }
    }

    fn show(&self, folders: BTreeMap<FolderId, FolderReindex>, kill_switch: bool) {
        let view = ReindexView {
            folders,
            ledger: self.ledger.view().map_err(|error| error.to_string()),
            kill_switch,
        };
        self.publisher.publish_reindex(&self.portal, view);
    }
}

/// What all decisions of a batch share.
struct Desk<'a> {
    batch: &'a Batch,
    kill_switch: bool,
    trusted: bool,
}
