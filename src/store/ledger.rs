//! The reindex ledger of a portal: what is known of attempts, and the only way to change it.
//!
//! The intent of an attempt is on disk before its request is sent, so a crash at any point leaves the attempt charged. Every change is one
//! transaction of the lease's holder, so what is known in memory is what the database has.

mod read;
mod write;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::attempts::{AttemptId, Book, Intent, Misfit, Review};
use crate::clock::{Moment, SteadyCalendar};
use crate::model::{FileKey, FolderId, Lost, Outcome, PortalAddress, Timestamp};
use crate::store::database::Database;
use crate::store::error::StoreError;
use crate::store::lease::Lease;
use crate::store::statement::Connection;

pub(super) use read::{FORGIVEN_CLOCK, book};
pub(super) use write::forget_tried;

use read::Forgivenesses;

/// A machine whose calendar is ahead of the ledger's by more was set forward while the process ran.
const CALENDARS_AGREE: Duration = Duration::from_mins(1);

/// The ledger of one portal. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Ledger(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    lease: Lease,
    known: Mutex<Known>,
}

#[derive(Debug)]
struct Known {
    book: Arc<Book>,
    /// Limits are measured by it.
    calendar: SteadyCalendar,
    /// Whether a commit was not answered, so that the database may have more.
    is_in_doubt: bool,
    /// The losses of the database after which everything was written once more.
    losses: u64,
    /// Attempts of this process without an outcome that is written.
    under_way: HashSet<AttemptId>,
    /// Whether the database knows that the machine's calendar was set forward.
    was_set_forward: bool,
}

/// Reads the ledger of a portal for its new holder. Whoever waited for the answer to a request is gone.
pub(super) async fn take_over(
    connection: &mut Connection,
    portal: &PortalAddress,
) -> Result<Book, StoreError> {
    let mut book = book(connection, portal).await?;
    // A doubt of a calendar that was ahead holds from now on.
    let now = Moment::now().wall;
    if book.doubted > Some(now) {
        book.doubted = Some(now);
        write::doubt(connection, portal, now).await?;
    }
    let unanswered: Vec<_> = book.unanswered().map(|attempt| attempt.id).collect();
    let interrupted = Outcome::Unknown {
        why: Lost::Interrupted,
    };
    end_unanswered(connection, portal, &mut book, &unanswered, interrupted).await?;
    Ok(book)
}

async fn end_unanswered(
    connection: &mut Connection,
    portal: &PortalAddress,
    book: &mut Book,
    unanswered: &[AttemptId],
    outcome: Outcome,
) -> Result<(), StoreError> {
    let before = book.clone();
    for id in unanswered {
        let intended = book.attempt(*id).map(|attempt| attempt.intended);
        let at = Moment::now().wall.max(intended.unwrap_or_default());
        book.settle(*id, at, outcome)?;
    }
    write::write(connection, portal, &before, book).await
}

impl Ledger {
    pub(super) fn new(lease: Lease, book: Book) -> Self {
        let known = Known {
            book: Arc::new(book),
            calendar: SteadyCalendar::start(),
            is_in_doubt: false,
            losses: lease.losses(),
            under_way: HashSet::new(),
            was_set_forward: false,
        };
        Self(Arc::new(Shared {
            lease,
            known: Mutex::new(known),
        }))
    }

    pub fn lease(&self) -> &Lease {
        &self.0.lease
    }

    /// The time by which limits end: it goes on steadily, however the machine's calendar is set.
    pub fn now(&self) -> Timestamp {
        self.known().calendar.now()
    }

    /// Whether this process may act.
    pub fn may_act(&self) -> bool {
        self.lease().is_held()
    }

    /// What is known now, or why nothing is.
    pub fn book(&self) -> Result<Arc<Book>, StoreError> {
        let known = self.known();
        if known.is_in_doubt {
            let why = "the last write was not answered".to_owned();
            return Err(StoreError::CommitUnknown(why));
        }
        Ok(Arc::clone(&known.book))
    }

    /// Whether an attempt in a folder waits for its verdict.
    pub fn has_open_attempt(&self, folder: FolderId) -> bool {
        let known = self.known();
        known.book.track().unjudged_in(folder).next().is_some()
    }

    /// The files of a folder whose later statuses are wanted.
    pub fn watched(&self, folder: FolderId) -> HashSet<FileKey> {
        let known = self.known();
        let attempts = known.book.track().unjudged_in(folder);
        let sent = attempts.filter_map(|attempt| attempt.watched.as_ref());
        let sent = sent.flat_map(|files| files.keys());
        let tried = known.book.folder(folder).into_iter();
        let tried = tried.flat_map(|folder| folder.file_attempts.keys());
        sent.chain(tried).copied().collect()
    }

    /// Reads what people forgave since, and what the database has after a write that was not answered or that it lost. Fails where nothing can be
    /// written. Returns what was forgiven, for people.
    pub async fn follow(&self) -> Result<Vec<String>, StoreError> {
        match self.try_to_follow().await {
            // The lease was taken anew: what is known can be written.
            Err(StoreError::LostWrites) => self.try_to_follow().await,
            followed => followed,
        }
    }

    async fn try_to_follow(&self) -> Result<Vec<String>, StoreError> {
        let ledger = self.clone();
        let follow = async move |database: &mut Database| {
            let lease = ledger.lease();
            let losses = lease.losses();
            let (before, is_in_doubt, was_lost) = {
                let known = ledger.known();
                let before = Arc::clone(&known.book);
                (before, known.is_in_doubt, known.losses != losses)
            };
            ledger.correct_calendar();
            let set_forward = ledger.set_forward();
            let follow = async |connection: &mut Connection, portal: &PortalAddress| {
                if was_lost {
                    write::write_back(connection, portal, &before).await?;
                }
                if let Some(at) = set_forward {
                    write::doubt(connection, portal, at).await?;
                }
                let mut after = if was_lost || is_in_doubt {
                    book(connection, portal).await?
                } else {
                    Book::clone(&before)
                };
                let unsent = ledger.unsent(&after);
                end_unanswered(connection, portal, &mut after, &unsent, Outcome::NotSent).await?;
                let forgiven = read::forgivenesses(connection, portal).await?;
                let news = forgiven.since(&before);
                write::forget_tried(connection, portal, &news.attempts).await?;
                Ok((after, forgiven.doubted, news))
            };
            let (after, doubted, news) = lease.transaction(database, follow).await?;
            let mut known = ledger.known();
            known.losses = losses;
            known.is_in_doubt = false;
            known.was_set_forward |= set_forward.is_some();
            Ok(known.use_book(after, doubted, &news))
        };
        self.lease().run(follow).await
    }

    /// Attempts without an outcome whose intent this process was not told to be written: nothing was sent.
    fn unsent(&self, book: &Book) -> Vec<AttemptId> {
        let known = self.known();
        let unanswered = book.unanswered().map(|attempt| attempt.id);
        unanswered
            .filter(|id| !known.under_way.contains(id))
            .collect()
    }

    /// A calendar that was behind the newest attempt at the start is read again: it may be right by now.
    fn correct_calendar(&self) {
        let mut known = self.known();
        if known.book.latest() > Some(known.calendar.now()) {
            known.calendar = SteadyCalendar::start();
        }
    }

    /// The time of the machine's calendar, if it was set forward since the process began and the database does not know: the process that starts
    /// next would take all limits for older than they are.
    fn set_forward(&self) -> Option<Timestamp> {
        let wall = Moment::now().wall;
        let is_ahead = wall.since(self.now()) > CALENDARS_AGREE;
        let is_new = is_ahead && !self.known().was_set_forward;
        is_new.then_some(wall)
    }

    /// Writes that an attempt is about to be made. The request may be sent when this has returned, and only then.
    ///
    /// `decided_on` is what led to it: where anything changed since, it is [`Misfit::Changed`], and the decision is out of date.
    pub async fn intend(
        &self,
        intent: Intent,
        decided_on: &Arc<Book>,
    ) -> Result<AttemptId, StoreError> {
        let decided_on = Arc::clone(decided_on);
        let change = move |book: &Arc<Book>, after: &mut Book| {
            if !Arc::ptr_eq(book, &decided_on) {
                return Err(Misfit::Changed);
            }
            after.intend(intent)
        };
        let ledger = self.clone();
        let note = move |id: &AttemptId| {
            ledger.known().under_way.insert(*id);
        };
        self.change(change, note).await
    }

    /// Writes the outcome of a request.
    pub async fn settle(
        &self,
        id: AttemptId,
        at: Timestamp,
        outcome: Outcome,
    ) -> Result<(), StoreError> {
        let change = move |_: &Arc<Book>, after: &mut Book| after.settle(id, at, outcome);
        let ledger = self.clone();
        let note = move |(): &()| {
            ledger.known().under_way.remove(&id);
        };
        self.change(change, note).await
    }

    /// Writes what a read showed about an attempt.
    pub async fn review(
        &self,
        id: AttemptId,
        at: Timestamp,
        review: Review,
    ) -> Result<(), StoreError> {
        let change = move |_: &Arc<Book>, after: &mut Book| after.review(id, at, &review);
        self.change(change, |()| {}).await
    }

    /// Counts the attempts of files from 0 again.
    pub async fn renew(&self, folder: FolderId, files: Vec<FileKey>) -> Result<(), StoreError> {
        let change = move |_: &Arc<Book>, after: &mut Book| {
            after.renew(folder, &files);
            Ok(())
        };
        self.change(change, |()| {}).await
    }

    /// Removes what no limit reads any more. The counters of the folders that are listed stay.
    pub async fn tidy(
        &self,
        horizon: Duration,
        listed: HashSet<FolderId>,
    ) -> Result<(), StoreError> {
        let book = self.book()?;
        let (attempts, folders) = book.dispensable(horizon, &listed);
        if attempts.is_empty() && folders.is_empty() {
            return Ok(());
        }
        let change = move |_: &Arc<Book>, after: &mut Book| {
            after.forget(&attempts, &folders);
            Ok(())
        };
        self.change(change, |()| {}).await
    }

    /// Makes a change in one transaction. What fails changes nothing, unless it is not known whether it did.
    async fn change<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Arc<Book>, &mut Book) -> Result<T, Misfit> + Send + 'static,
        note: impl FnOnce(&T) + Send + 'static,
    ) -> Result<T, StoreError> {
        let ledger = self.clone();
        let job = async move |database: &mut Database| {
            let book = ledger.current()?;
            let mut after = Book::clone(&book);
            let done = change(&book, &mut after)?;
            let write = async |connection: &mut Connection, portal: &PortalAddress| {
                write::write(connection, portal, &book, &after).await
            };
            let written = ledger.lease().transaction(database, write).await;
            let mut known = ledger.known();
            match &written {
                Ok(()) => known.book = Arc::new(after),
                Err(StoreError::CommitUnknown(_)) => known.is_in_doubt = true,
                Err(_) => {}
            }
            drop(known);
            written?;
            note(&done);
            Ok(done)
        };
        self.lease().run(job).await
    }

    /// What is known, if that is what the database has.
    fn current(&self) -> Result<Arc<Book>, StoreError> {
        let known = self.known();
        if known.is_in_doubt || known.losses != self.lease().losses() {
            return Err(Misfit::Changed.into());
        }
        Ok(Arc::clone(&known.book))
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// Takes what was read into use. Returns what was forgiven since.
    fn use_book(
        &mut self,
        mut book: Book,
        doubted: Option<Timestamp>,
        news: &Forgivenesses,
    ) -> Vec<String> {
        for (what, until) in &news.attempts {
            book.forgive(what, *until);
        }
        // What was noted for the next process does not hold this one, whose limits end steadily.
        if doubted.is_none() || !self.was_set_forward {
            book.doubted = doubted;
        }
        if let Some(at) = news.clock {
            book.end_times_at(at);
            book.clock_forgiven = Some(at);
            self.calendar = SteadyCalendar::start();
            self.was_set_forward = false;
        }
        if book != *self.book {
            self.book = Arc::new(book);
        }
        let clock = news.clock.map(|_| FORGIVEN_CLOCK.to_owned());
        let what = news.attempts.iter().map(|(what, _)| what.to_string());
        what.chain(clock).collect()
    }
}
