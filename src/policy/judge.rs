//! What became of the files of an attempt, and what the attempt was good for. Pure: an attempt and a look in, a
//! [`Review`] out.

use std::time::Duration;

use crate::ledger::{Attempt, Course, FileState, Review, StateCounts, Verdict};
use crate::model::{FileKey, Status, Timestamp};
use crate::policy::cooldown::after;

/// How a look saw one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// In this state.
    As(Status),
    /// Not at all, though every row was read: it was deleted, or replaced.
    Absent,
    /// Not at all, and not every row was read.
    Unread,
}

/// A later look at the folder of an attempt.
#[derive(Clone, Copy)]
pub enum Look<'a> {
    /// It counted the folder.
    Counted {
        /// When it began. A look that began before the attempt was answered tells nothing.
        began: Timestamp,
        /// How it saw a file.
        seen: &'a dyn Fn(FileKey) -> Seen,
    },
    /// It did not: the folder cannot be read, or left.
    Failed,
}

/// What a look tells of an attempt: files whose state is another one, and the verdict once it can be given.
///
/// Nothing, for an attempt that is not waiting for its verdict.
#[must_use]
pub fn review(attempt: &Attempt, verify_after: Duration, look: Look<'_>, now: Timestamp) -> Review {
    let Course::Watched { answered, files } = &attempt.course else {
        return Review::default();
    };
    let due = now >= after(attempt.intended, verify_after);
    let seen: &dyn Fn(FileKey) -> Seen = match look {
        Look::Counted { began, .. } if began < answered.at => return Review::default(),
        Look::Counted { seen, .. } => seen,
        Look::Failed => &|_| Seen::Unread,
    };
    let mut changed = Vec::new();
    let mut counts = Vec::with_capacity(files.len());
    for (key, before) in files.iter() {
        let state = observe(*before, seen(*key), due);
        counts.push(state);
        if state != *before {
            changed.push((*key, state));
        }
    }
    let verdict = judge(&counts.into_iter().collect(), due);
    Review { changed, verdict }
}

/// The state of a file after it was seen. `due`: whether the attempt has to be judged now.
///
/// Failed directly after the request means nothing: the portal may not have moved the file yet.
#[must_use]
pub const fn observe(before: FileState, seen: Seen, due: bool) -> FileState {
    match (before, seen) {
        (FileState::Sent | FileState::Waiting, Seen::As(status)) => match status {
            Status::Pending | Status::Processing => FileState::Waiting,
            Status::Done => FileState::Done,
            Status::Flagged => FileState::Flagged,
            Status::Failed if due || matches!(before, FileState::Waiting) => FileState::Refailed,
            Status::Failed | Status::Unknown => before,
        },
        (FileState::Sent | FileState::Waiting, Seen::Absent) => FileState::Gone,
        _ => before,
    }
}

/// The verdict on an attempt with so many files in each state, where it can be given. `due`: whether it has to.
#[must_use]
pub fn judge(files: &StateCounts, due: bool) -> Option<Verdict> {
    let listed = files.total() - files.of(FileState::Gone);
    let done = files.of(FileState::Done);
    let unsettled = files.unsettled();
    if listed == 0 {
        return Some(Verdict::Inconclusive);
    }
    if done == listed {
        return Some(Verdict::Recovered);
    }
    if unsettled > 0 && !due {
        return None;
    }
    Some(match (done, unsettled) {
        (1.., _) => Verdict::Partial,
        (0, 0) => Verdict::None,
        (0, 1..) => Verdict::Inconclusive,
    })
}

/// The files whose attempts start anew after a look: those that were seen done, or are not there any more.
pub fn renewed(
    files: impl IntoIterator<Item = FileKey>,
    seen: impl Fn(FileKey) -> Seen,
) -> Vec<FileKey> {
    let is_new = |key: &FileKey| matches!(seen(*key), Seen::As(Status::Done) | Seen::Absent);
    files.into_iter().filter(is_new).collect()
}
