//! Whether a retry helps the files of a class: what its attempts show, and when it is tried next.

use std::sync::Arc;
use std::time::Duration;

use crate::attempts::{Attempt, Book, ClassResult, Verdict};
use crate::classify::Class;
use crate::config::ReindexRules;
use crate::model::{FolderId, Timestamp};

/// A class is good if, of this number of its newest files with a result, [`ENOUGH`] came back.
pub(super) const NEWEST_FILES: u64 = 10;
const ENOUGH: u64 = 3;

/// For how long a file that came back tells that others will.
const GOOD_FOR: Duration = Duration::from_hours(2);

/// Number of newest attempts that are read.
const NEWEST_ATTEMPTS: usize = 64;

/// An attempt in which one file in this number came back was not in vain, nor were those before it.
const ONE_IN: u64 = 5;

/// For how long an open attempt keeps other folders from trying its classes.
const WAIT_FOR_RESULT: Duration = Duration::from_mins(30);

/// An outage has ended when, after the newest try, a file failed and then none for so long, and for as long as the newest failures took: where
/// files fail seldom, a short time without a failure shows nothing.
const QUIET: Duration = Duration::from_mins(30);
const NEWEST_FAILURES: usize = 5;

/// A folder with more files tries a class only when the class is quiet, or a file has waited for [`LONGEST_PAUSE`]: a try costs much of the
/// budget.
const MANY_FILES: u64 = 100;

/// The longest pause between two tries of a class.
const LONGEST_PAUSE: Duration = Duration::from_hours(24);

/// What the attempts of a portal show about a class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassState {
    /// Until when the newest file that came back tells that others will.
    back_until: Option<Timestamp>,
    /// How many of the newest files with a result, [`NEWEST_FILES`] at most, came back.
    pub back: u64,
    /// How many of them there are.
    pub known: u64,
    /// The folder of an open attempt that tries the class.
    pub open: Option<FolderId>,
    /// The newest attempt that sent files of it.
    pub last: Option<(Timestamp, FolderId)>,
    /// Number of newest attempts in which none came back, since the last one in which enough did.
    pub in_vain: u32,
}

impl ClassState {
    /// Reads the state from the attempts that were sent. Those that the portal refused, or whose effect is not known, show nothing.
    pub fn of(ledger: &Book, class: &Class, now: Timestamp) -> Self {
        let (mut state, mut ends) = (Self::default(), false);
        let attempts = ledger.track().of_class(class);
        let shows = |(attempt, _): &(&Arc<Attempt>, _)| {
            let verdict = attempt.judged.map(|judged| judged.verdict);
            attempt.charge() > 0 && verdict != Some(Verdict::Inconclusive)
        };
        for (attempt, result) in attempts.take(NEWEST_ATTEMPTS).filter(shows) {
            state.note(attempt, result, now);
            // Files that come back are seen sooner than those that fail again.
            let known = result.recovered + result.refailed;
            if known == 0 || known * 2 < result.sent {
                continue;
            }
            state.note_result(attempt, result, now);
            ends |= result.recovered * ONE_IN >= result.sent;
            if result.recovered == 0 && !ends {
                state.in_vain += 1;
            }
            if ends && state.known == NEWEST_FILES {
                break;
            }
        }
        state.back_until = state.back_until.filter(|until| *until > now);
        state
    }

    /// Notes an attempt, newest first.
    fn note(&mut self, attempt: &Attempt, result: &ClassResult, now: Timestamp) {
        self.last.get_or_insert((attempt.intended, attempt.folder));
        let is_known = result.recovered + result.refailed >= result.sent;
        let is_recent = now.since(attempt.intended) < WAIT_FOR_RESULT;
        if attempt.is_unjudged() && !is_known && is_recent {
            self.open.get_or_insert(attempt.folder);
        }
    }

    /// Notes the result of an attempt, newest first.
    fn note_result(&mut self, attempt: &Attempt, result: &ClassResult, now: Timestamp) {
        let known = result.recovered + result.refailed;
        let read = known.min(NEWEST_FILES - self.known);
        self.back += (result.recovered * read).div_ceil(known);
        self.known += read;
        if result.recovered > 0 {
            let at = attempt.judged.map_or(now, |judged| judged.at);
            self.back_until.get_or_insert(at.after(GOOD_FOR));
        }
    }

    /// Until when every folder with eligible files of the class is sent, if it is.
    pub fn good_until(&self) -> Option<Timestamp> {
        self.back_until.filter(|_| self.back >= ENOUGH)
    }

    /// When a folder with this number of failed files may try the class; `None` if at once.
    pub(super) fn next_try(
        &self,
        rules: &ReindexRules,
        new: NewFailures,
        files: u64,
    ) -> Option<Timestamp> {
        if self.back_until.is_some() && self.in_vain == 0 {
            return None;
        }
        let paused = self.paused_until(rules.cooldown);
        if files > MANY_FILES {
            return paused.max(new.quiet());
        }
        let last = self.last.map(|(last, _)| last);
        let ended = new.outage_end().filter(|_| new.newest() > last);
        let paused = paused?;
        Some(ended.map_or(paused, |ended| ended.min(paused)))
    }

    /// The end of the pause after the newest try: a cooldown after the first one in vain, and twice as long after each further one.
    pub(super) fn paused_until(&self, cooldown: Duration) -> Option<Timestamp> {
        let doublings = self.in_vain.saturating_sub(1).min(20);
        let pause = cooldown.saturating_mul(1 << doublings);
        let pause = pause.min(LONGEST_PAUSE.max(cooldown));
        self.last.map(|(last, _)| last.after(pause))
    }
}

/// When files of a class failed that were never sent.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NewFailures {
    /// The newest times, newest first.
    newest: [Option<Timestamp>; NEWEST_FAILURES],
    oldest: Option<Timestamp>,
}

impl NewFailures {
    pub fn add(&mut self, time: Timestamp) {
        let at = self.newest.partition_point(|newer| *newer >= Some(time));
        if at < NEWEST_FAILURES {
            self.newest[at..].rotate_right(1);
            self.newest[at] = Some(time);
        }
        self.oldest = Some(self.oldest.unwrap_or(time).min(time));
    }

    fn newest(&self) -> Option<Timestamp> {
        self.newest[0]
    }

    /// When a folder with [`MANY_FILES`] need not wait any more until the class is quiet.
    fn quiet(&self) -> Option<Timestamp> {
        let quiet = self.newest().map(|newest| newest.after(QUIET));
        let waited = self.oldest.map(|oldest| oldest.after(LONGEST_PAUSE));
        quiet.min(waited)
    }

    /// When the outage in which they failed will have ended, if none fails until then; `None` if too few failed to tell.
    fn outage_end(&self) -> Option<Timestamp> {
        let (newest, first) = (self.newest()?, self.newest[NEWEST_FAILURES - 1]?);
        Some(newest.after(QUIET.max(newest.since(first))))
    }
}
