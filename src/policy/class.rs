//! Whether a retry helps the files of a class: for decisions, and for people in `kb-exporter reindex classes` and on the status page.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

use crate::attempts::{Attempt, Book, ClassResult, ClassTotals, Verdict};
use crate::classify::Class;
use crate::config::ReindexRules;
use crate::model::{FolderId, Timestamp};

/// A class is good if, of so many of its newest files with a result, this many came back: a few show that an outage has ended, and many that a
/// retry helps some files of the class.
const GOOD: [(u64, u64); 2] = [(10, 3), (50, 10)];

/// For how long a result tells it.
const GOOD_FOR: Duration = Duration::from_hours(2);

/// Number of newest attempts that are read.
const NEWEST_ATTEMPTS: usize = 64;

/// An attempt in which one file in so many came back was not in vain, nor were those before it.
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

/// A pause doubles only once so many files failed again for each time: a few may fail by chance.
const FILES_PER_DOUBLING: u64 = 10;

/// The longest pause between two tries of a class.
const LONGEST_PAUSE: Duration = Duration::from_hours(24);

/// What the attempts of a portal show about a class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassState {
    /// Until when the newest result tells that files come back.
    back_until: Option<Timestamp>,
    /// How many of the newest files with a result came back, for each number of files in [`GOOD`].
    back: [u64; GOOD.len()],
    /// The folder of an open attempt that tries the class.
    pub open: Option<FolderId>,
    /// The newest attempt that sent files of it.
    pub last: Option<(Timestamp, FolderId)>,
    /// Number of newest attempts in which none came back, since the last one in which enough did.
    pub in_vain: u32,
    /// Number of files that failed again in these attempts.
    failed_again: u64,
}

impl ClassState {
    /// Reads the state from the attempts that were sent. Those that the portal refused, or whose effect is not known, show nothing.
    pub fn of(ledger: &Book, class: &Class, now: Timestamp) -> Self {
        let (mut state, mut files, mut ends) = (Self::default(), 0, false);
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
            state.note_result(attempt, result, files, now);
            files += known;
            ends |= result.recovered * ONE_IN >= result.sent;
            if result.recovered == 0 && !ends {
                state.in_vain += 1;
                state.failed_again += result.refailed;
            }
            if ends && GOOD.iter().all(|(newest, _)| files >= *newest) {
                break;
            }
        }
        state
    }

    /// Notes an attempt, newest first.
    fn note(&mut self, attempt: &Attempt, result: &ClassResult, now: Timestamp) {
        self.last.get_or_insert((attempt.intended, attempt.folder));
        let is_recent = now.since(attempt.intended) < WAIT_FOR_RESULT;
        if attempt.is_unjudged() && !is_known(result) && is_recent {
            self.open.get_or_insert(attempt.folder);
        }
    }

    /// Notes the result of an attempt; the results of so many newer files are known.
    fn note_result(&mut self, attempt: &Attempt, result: &ClassResult, newer: u64, now: Timestamp) {
        let until = attempt
            .judged
            .map_or(now, |judged| judged.at)
            .after(GOOD_FOR);
        if until <= now || result.recovered == 0 {
            return;
        }
        self.back_until.get_or_insert(until);
        let known = result.recovered + result.refailed;
        for (back, (newest, _)) in self.back.iter_mut().zip(GOOD) {
            let read = known.min(newest.saturating_sub(newer));
            *back += (result.recovered * read).div_ceil(known);
        }
    }

    /// Until when every folder with eligible files of the class is sent, if it is.
    pub fn good_until(&self) -> Option<Timestamp> {
        let mut back = self.back.iter().zip(GOOD);
        let is_good = back.any(|(back, (_, enough))| *back >= enough);
        self.back_until.filter(|_| is_good)
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
        let last = self.last.map(|(last, _)| last);
        let paused = last.map(|last| last.after(self.pause(rules)));
        if files > MANY_FILES {
            return paused.max(new.quiet);
        }
        let paused = paused?;
        let ended = new.outage_end.filter(|_| new.newest > last);
        Some(ended.map_or(paused, |ended| ended.min(paused)))
    }

    /// The time between two tries: a cooldown after the first one in vain, twice as long after each further one in which enough files failed.
    fn pause(&self, rules: &ReindexRules) -> Duration {
        let tries = self.in_vain.saturating_sub(1).min(20);
        let shown = self.failed_again / FILES_PER_DOUBLING;
        let doublings = tries.min(u32::try_from(shown).unwrap_or(tries));
        let pause = rules.cooldown.saturating_mul(1 << doublings);
        pause.min(LONGEST_PAUSE.max(rules.cooldown))
    }
}

/// When the files of a class failed that were never sent.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NewFailures {
    newest: Option<Timestamp>,
    /// When a folder with [`MANY_FILES`] need not wait any more until the class is quiet.
    quiet: Option<Timestamp>,
    /// When the outage in which they failed will have ended, if none fails until then; `None` if too few failed to tell.
    outage_end: Option<Timestamp>,
}

impl NewFailures {
    pub fn of(mut times: Vec<Timestamp>) -> Self {
        times.sort_unstable();
        let newest = times.last().copied();
        let waited = times.first().map(|oldest| oldest.after(LONGEST_PAUSE));
        let first = times.iter().rev().nth(NEWEST_FAILURES - 1);
        let end = |(newest, first): (Timestamp, &Timestamp)| {
            newest.after(QUIET.max(newest.since(*first)))
        };
        Self {
            newest,
            quiet: newest.map(|newest| newest.after(QUIET)).min(waited),
            outage_end: newest.zip(first).map(end),
        }
    }
}

/// Whether the result of every file is known.
fn is_known(result: &ClassResult) -> bool {
    result.recovered + result.refailed >= result.sent
}

/// Whether files came back in an attempt, of any class; `None` if that is not known.
pub(super) fn helped(attempt: &Attempt) -> Option<bool> {
    let results = attempt.classes.iter();
    let recovered: u64 = results.clone().map(|result| result.recovered).sum();
    let refailed: u64 = results.map(|result| result.refailed).sum();
    match (recovered, refailed) {
        (0, 0) => None,
        (recovered, _) => Some(recovered > 0),
    }
}

/// The results of retries for one class of a portal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassRecord {
    pub class: Class,
    /// Until when every folder with files of it is sent, because enough of its files came back; `None` while folders only try it.
    pub good_until: Option<Timestamp>,
    pub files: ClassTotals,
    /// When files of it were sent last.
    pub last: Option<Timestamp>,
}

impl ClassRecord {
    /// Whether a retry helps, for people.
    pub(crate) const fn a_retry(&self) -> &'static str {
        match (self.good_until, self.files.recovered, self.files.refailed) {
            (Some(_), ..) => "helps",
            (None, 0, 0) => "may help",
            (None, 0, _) => "has not helped",
            (None, ..) => "has helped",
        }
    }
}

/// The classes of a portal, those with most files first.
pub(crate) fn class_records(ledger: &Book, now: Timestamp) -> Vec<ClassRecord> {
    let classes = ledger.classes().iter();
    let mut records: Vec<_> = classes
        .map(|(class, files)| {
            let state = ClassState::of(ledger, class, now);
            ClassRecord {
                class: class.clone(),
                good_until: state.good_until(),
                files: *files,
                last: state.last.map(|(last, _)| last),
            }
        })
        .collect();
    records.sort_by_key(|record| Reverse(record.files.total()));
    records
}
