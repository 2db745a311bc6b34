//! The states of the files of an attempt, and the verdict on it. Pure.

use std::time::Duration;

use crate::ledger::{Attempt, FileState, Outcome, Review, SentFile};
use crate::model::{FileKey, Status, Timestamp};
use crate::policy::judge::{Timing, judge, observe};

pub use crate::policy::judge::{Observation, renewed};

/// Time after the answer from which a file that is failed was processed: a portal may requeue files some time after its answer.
const SETTLED_AFTER: Duration = Duration::from_mins(10);

/// After so long, what is not known of an attempt stays unknown.
const GIVEN_UP_AFTER: Duration = Duration::from_hours(24);

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
    let waits = |key: &FileKey| {
        matches!(
            seen(*key),
            Observation::Status(Status::Pending | Status::Processing)
        )
    };
    let moved = |(key, file): (&FileKey, &SentFile)| {
        file.state != FileState::Sent
            || matches!(seen(*key), Observation::Status(status) if status != Status::Failed)
    };
    let over = given_up || (settled && !files.keys().any(waits));
    let timing = Timing {
        // A file that is missing then is done: no later read tells more.
        due: over,
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
