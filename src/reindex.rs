//! Carries out what [`crate::policy`] decides: intent → request → outcome, and later the verdict.
//!
//! One [`Reindexer`] for each portal reads what the latest collection published, in parallel with the collector. It is the only caller of
//! the one request that changes something. At every point a crash leaves the attempt charged: the intent is on disk before the request
//! is sent. Each decision is repeated directly before the intent, with the current input (rules, kill switch, clock, counts,
//! ledger).

mod attempt;
mod check;
mod input;
pub mod kill_switch;
mod review;
mod upkeep;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{error, info};

use crate::attempts::AttemptId;
use crate::clock::Moment;
use crate::config::Mode;
use crate::metrics::PortalEvents;
use crate::model::{FolderId, Outcome, PortalName, Timestamp};
use crate::policy::{Decision, Decisions, Hold, Reason};
use crate::snapshot::{LastRun, Publisher, ReindexView, Snapshot};
use crate::store::{Ledger, StoreError};

pub use input::Rules;

use check::NotMade;
use input::Input;
use review::NamedFiles;

/// How often decisions that are out of date are taken again after one collection.
const OUT_OF_DATE: usize = 5;

/// The parts that a [`Reindexer`] uses.
pub struct Dependencies {
    pub ledger: Ledger,
    pub events: Arc<PortalEvents>,
    pub publisher: Publisher,
    pub rules: watch::Receiver<Rules>,
}

/// Decides about the folders of one portal, and carries out the decisions.
pub struct Reindexer {
    portal: PortalName,
    dependencies: Dependencies,
    /// The collection that was processed last.
    processed: Option<LastRun>,
    tidy_at: Instant,
    /// How the portal listed files of an attempt when it was asked for their names.
    named_files: HashMap<AttemptId, NamedFiles>,
    /// The latest decisions.
    shown: BTreeMap<FolderId, Decision>,
    /// The outcomes that the disk refused to store.
    unwritten: Vec<(AttemptId, Timestamp, Outcome)>,
    /// Why something could not be written to the ledger: until a collection was processed and everything was written.
    refusals: [Option<String>; 2],
    /// Whether the ledger cannot be used: the view of it may be out of date.
    is_away: bool,
}

impl Reindexer {
    pub fn new(portal: PortalName, dependencies: Dependencies) -> Self {
        Self {
            portal,
            dependencies,
            processed: None,
            tidy_at: Moment::now().steady,
            named_files: HashMap::new(),
            shown: BTreeMap::new(),
            unwritten: Vec::new(),
            refusals: [None, None],
            is_away: false,
        }
    }

    /// Processes what collections found, until `cancel`, or until its lease is over.
    pub async fn run(mut self, cancel: CancellationToken) {
        self.follow_ledger().await;
        self.show();
        let mut changes = self.dependencies.publisher.changes();
        loop {
            let collected = changes.wait_for(|snapshot| {
                let run = last_run(snapshot, &self.portal);
                run.is_some() && run != self.processed
            });
            match cancel.run_until_cancelled(collected).await {
                Some(Ok(snapshot)) => self.processed = last_run(&snapshot, &self.portal),
                Some(Err(_)) | None => return,
            }
            if self.dependencies.ledger.lease().is_over() {
                return;
            }
            self.process(&cancel).await;
        }
    }

    /// Judges earlier attempts, decides about each folder, and makes the attempts that are due.
    async fn process(&mut self, cancel: &CancellationToken) {
        self.follow_ledger().await;
        self.write_outcomes().await;
        if let Some(input) = self.input().await {
            self.review(&input).await;
            self.tidy(&input).await;
        }
        self.make_attempts(cancel).await;
        self.refusals.rotate_left(1);
        self.refusals[1] = None;
        self.show();
    }

    /// Makes one attempt after the other. Each one puts the decisions about the other folders out of date.
    async fn make_attempts(&mut self, cancel: &CancellationToken) {
        let mut sent = BTreeSet::new();
        let mut not_made: BTreeMap<FolderId, Hold> = BTreeMap::new();
        let (mut trouble, mut out_of_date, mut off) = (None, 0, 0);
        while let Some(input) = self.input().await {
            off = input.folders_off();
            let mut decisions = input.decide();
            for (id, hold) in &not_made {
                decisions.hold(*id, hold);
            }
            if let Some(hold) = &trouble {
                decisions.hold_all(hold);
            }
            let next = decisions.order.first().copied();
            self.note(decisions);
            self.show();
            let Some(folder) = next.filter(|_| !cancel.is_cancelled() && out_of_date < OUT_OF_DATE)
            else {
                break;
            };
            match self.attempt(&input, folder, cancel).await {
                Ok(()) => drop(sent.insert(folder)),
                Err(NotMade::Held(hold)) => drop(not_made.insert(folder, hold)),
                Err(NotMade::AllHeld(hold)) => trouble = Some(hold),
                Err(NotMade::OutOfDate) => out_of_date += 1,
            }
        }
        if !cancel.is_cancelled() {
            self.count_decisions(&sent, off);
        }
    }

    /// The current input of decisions; none before the portal is shown.
    async fn input(&self) -> Option<Input> {
        let snapshot = self.dependencies.publisher.current();
        let portal = snapshot.portal(&self.portal)?;
        let rules = self.dependencies.rules.borrow().clone();
        let kill_switch = kill_switch::is_on(&rules.reindex).await;
        let may_act = self.dependencies.ledger.may_act() && !self.is_away;
        let book = self.dependencies.ledger.book().ok();
        Some(Input {
            is_double: input::is_double(&snapshot, portal),
            portal: Arc::clone(portal),
            rules,
            kill_switch,
            book: book.filter(|_| may_act),
            now: self.dependencies.ledger.now(),
            wall: Moment::now().wall,
        })
    }

    /// Notes decisions, and since when their reasons are the same.
    fn note(&mut self, mut decisions: Decisions) {
        for (id, decided) in &mut decisions.folders {
            let before = self.shown.get(id);
            let same = before.filter(|before| before.reason() == decided.reason());
            if let Some(before) = same {
                decided.since = before.since;
            } else if decided.is_rehearsed() {
                info!(portal = %self.portal, %id, files = decided.numbers.failed, "dry run: failed files would be reindexed now");
            }
        }
        self.shown = decisions.folders;
    }

    /// Counts the decision about each folder. `sent`: those to which a request was sent; `off`: how many have the mode off.
    fn count_decisions(&self, sent: &BTreeSet<FolderId>, off: usize) {
        let events = &self.dependencies.events;
        for (id, decided) in &self.shown {
            if !sent.contains(id) {
                events.decided(decided.as_str(), decided.reason());
            }
        }
        for _ in 0..off {
            events.decided("hold", Reason::Off);
        }
        for _ in sent {
            events.decided("trigger", Reason::Eligible);
        }
    }

    /// Notes a refusal, and logs it when it is new.
    fn refused(&mut self, failed: &StoreError) {
        if failed.is_out_of_date() {
            return;
        }
        let is_off = self.dependencies.rules.borrow().reindex.strongest_mode() == Mode::Off;
        if self.refusal().is_none() && !is_off {
            error!(portal = %self.portal, error = %failed, "the reindex ledger cannot be written: nothing is reindexed");
        }
        self.refusals[1] = Some(failed.to_string());
    }

    fn refusal(&self) -> Option<&String> {
        self.refusals.iter().flatten().next_back()
    }

    fn note_if_refused(&mut self, written: Result<(), StoreError>) {
        if let Err(failed) = written {
            self.refused(&failed);
        }
    }

    fn show(&self) {
        let ledger = &self.dependencies.ledger;
        let view = ReindexView {
            decisions: self.shown.clone(),
            decided: ledger.now(),
            book: ledger.book().map_err(|error| error.to_string()),
            write_error: self.refusal().cloned(),
        };
        let publisher = &self.dependencies.publisher;
        publisher.publish_reindex(&self.portal, view);
    }
}

/// The last collection of a portal.
fn last_run(snapshot: &Snapshot, portal: &PortalName) -> Option<LastRun> {
    snapshot.portal(portal)?.collections.last_run
}
