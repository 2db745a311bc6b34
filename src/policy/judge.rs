//! The states of the files of an attempt, and the verdict on it. Pure.

use std::time::Duration;

use crate::ledger::{Attempt, FileState, Review, SentFile, StateCounts, Verdict};
use crate::model::{FileKey, Status, Timestamp};

/// Time after the answer from which a folder without waiting files shows the result of an attempt: a portal may requeue files some
/// time after its answer.
const AT_REST_AFTER: Duration = Duration::from_mins(10);

/// How a read saw one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observation {
    Status(Status),
    /// Not at all, though every row was read: it was deleted, or replaced.
    Absent,
    /// Not among the files that are not done, all of which were read, and done files were only counted: it is done, or was deleted.
    Missing,
    /// Not at all, and not every row was read.
    Unread,
}

/// A later read of the folder of an attempt.
#[derive(Clone, Copy)]
pub enum LaterRead<'a> {
    Counted {
        /// When it began. A read that began before the attempt was answered shows nothing.
        began: Timestamp,
        /// Whether no file of the folder waited or was processed.
        idle: bool,
        seen: &'a dyn Fn(FileKey) -> Observation,
    },
    /// It did not: the folder cannot be read, or left.
    Failed,
}

/// What a read shows about an attempt: files whose state changed, and the verdict once it can be given.
///
/// Nothing, for an attempt that is not waiting for its verdict.
pub fn review(
    attempt: &Attempt,
    verify_after: Duration,
    read: LaterRead<'_>,
    now: Timestamp,
) -> Review {
    let (Some((answered, outcome)), Some(files)) = (attempt.outcome, &attempt.watched) else {
        return Review::default();
    };
    let due = now >= attempt.intended.after(verify_after);
    let (seen, over): (&dyn Fn(FileKey) -> Observation, bool) = match read {
        LaterRead::Counted { began, .. } if began < answered => return Review::default(),
        LaterRead::Counted { began, idle, seen } => {
            (seen, idle && began >= answered.after(AT_REST_AFTER))
        }
        LaterRead::Failed => (&|_| Observation::Unread, false),
    };
    let moved = |(key, file): (&FileKey, &SentFile)| {
        file.state != FileState::Sent
            || matches!(seen(*key), Observation::Status(status) if status != Status::Failed)
    };
    let timing = Timing {
        due,
        over: due || over,
        carried_out: outcome.is_carried_out() || files.iter().any(moved),
    };
    let mut changed = Vec::new();
    let mut counts = Vec::with_capacity(files.len());
    for (key, file) in files.iter() {
        let state = observe(file.state, seen(*key), timing);
        counts.push(state);
        if state != file.state {
            changed.push((*key, state));
        }
    }
    let end = due || (over && !timing.carried_out);
    let verdict = judge(&counts.into_iter().collect(), end);
    Review { changed, verdict }
}

/// Facts about all files of an attempt at a read.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// Whether the attempt has to be judged now.
    pub due: bool,
    /// Whether enough time has passed, and none of the folder's files waits any more.
    pub over: bool,
    /// Whether the portal said that it queued files, or one of them moved.
    pub carried_out: bool,
}

/// The state of a file after it was seen.
///
/// Failed directly after the request means nothing: the portal may not have moved the file yet. Failed in the end means that it failed
/// again, if the portal carried out what it was asked for.
pub const fn observe(before: FileState, seen: Observation, timing: Timing) -> FileState {
    match (before, seen) {
        (FileState::Sent | FileState::Waiting, Observation::Status(status)) => match status {
            Status::Pending | Status::Processing => FileState::Waiting,
            Status::Done => FileState::Done,
            Status::Flagged => FileState::Flagged,
            Status::Failed if matches!(before, FileState::Waiting) => FileState::Refailed,
            Status::Failed if timing.over && timing.carried_out => FileState::Refailed,
            Status::Failed | Status::Unknown => before,
        },
        (FileState::Sent | FileState::Waiting, Observation::Absent) => FileState::Gone,
        // It counts as recovered, because nothing shows that it was deleted.
        (FileState::Sent | FileState::Waiting, Observation::Missing) if timing.due => {
            FileState::Done
        }
        _ => before,
    }
}

/// The verdict on an attempt with these numbers of files by state, if it can be given. `due`: whether it has to.
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

/// The files whose attempts are counted from 0 again after a read: those that are done or gone.
pub fn renewed(
    files: impl IntoIterator<Item = FileKey>,
    seen: impl Fn(FileKey) -> Observation,
) -> Vec<FileKey> {
    let is_new = |key: &FileKey| {
        matches!(
            seen(*key),
            Observation::Status(Status::Done) | Observation::Absent | Observation::Missing
        )
    };
    files.into_iter().filter(is_new).collect()
}
