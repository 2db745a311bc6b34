//! The states of the files of an attempt, and the verdict on it. Pure.

use std::time::Duration;

use crate::attempts::{Attempt, FileState, Review, SentFile, StateCounts, Verdict};
use crate::model::{FileKey, Outcome, Status, Timestamp};

/// Time after the answer from which a file that is failed was processed: a portal may requeue files some time after its answer.
const SETTLED_AFTER: Duration = Duration::from_mins(10);

/// After so long, what is not known of an attempt stays unknown.
const GIVEN_UP_AFTER: Duration = Duration::from_hours(24);

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
pub struct LaterRead<'a> {
    /// When it began. A read that began before the attempt was answered shows nothing.
    pub began: Timestamp,
    pub seen: &'a dyn Fn(FileKey) -> Observation,
}

/// What a read shows about an attempt: files whose state changed, and the verdict once it can be given. `read`: none if the folder could
/// not be counted.
///
/// Nothing, for an attempt that is not waiting for its verdict.
pub fn review(attempt: &Attempt, read: Option<LaterRead<'_>>, now: Timestamp) -> Review {
    let (Some((answered, outcome)), Some(files)) = (attempt.outcome, &attempt.watched) else {
        return Review::default();
    };
    let read = read.filter(|read| read.began >= answered);
    let given_up = now >= attempt.intended.after(GIVEN_UP_AFTER);
    let seen = |key| read.map_or(Observation::Unread, |read| (read.seen)(key));
    let settled = read.is_some_and(|read| read.began >= answered.after(SETTLED_AFTER));
    // A file that was not read may wait as well.
    let waits = |(key, file): (&FileKey, &SentFile)| {
        !file.state.is_settled()
            && matches!(
                seen(*key),
                Observation::Status(Status::Pending | Status::Processing) | Observation::Unread
            )
    };
    let moved = |(key, file): (&FileKey, &SentFile)| {
        file.state != FileState::Sent
            || matches!(seen(*key), Observation::Status(status) if status != Status::Failed)
    };
    let over = given_up || (settled && !files.iter().any(waits));
    let timing = Timing {
        over,
        carried_out: matches!(outcome, Outcome::Accepted { .. }) || files.iter().any(moved),
    };
    let mut changed = Vec::new();
    let mut states = Vec::with_capacity(files.len());
    for (key, file) in files.iter() {
        let state = observe(file.state, seen(*key), timing);
        states.push(state);
        if state != file.state {
            changed.push((*key, state));
        }
    }
    let ends = given_up || (over && !timing.carried_out);
    let verdict = judge(&states.into_iter().collect(), ends);
    Review { changed, verdict }
}

/// Facts about all files of an attempt at a read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timing {
    /// Whether enough time has passed, and none of its files waits any more.
    pub over: bool,
    /// Whether the portal said that it queued files, or one of them moved.
    pub carried_out: bool,
}

/// The state of a file after it was seen.
///
/// Failed directly after the request means nothing: the portal may not have moved the file yet. Failed in the end means that it failed
/// again, if the portal carried out what it was asked for.
pub(super) const fn observe(before: FileState, seen: Observation, timing: Timing) -> FileState {
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
        (FileState::Sent | FileState::Waiting, Observation::Missing) if timing.over => {
            FileState::Done
        }
        _ => before,
    }
}

/// The verdict on an attempt with these numbers of files by state, if it can be given. `due`: whether it has to.
pub(super) fn judge(files: &StateCounts, due: bool) -> Option<Verdict> {
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
