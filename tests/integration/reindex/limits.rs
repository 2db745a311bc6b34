//! Whether limits were kept: by what a portal was asked, and by what was written down.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use uuid::Uuid;

use crate::support::writes::REINDEX_FAILED;

/// In milliseconds since 1970.
pub(crate) type Time = i64;

/// Something that happened in a folder.
pub(crate) type Event = (Time, Uuid);

/// What the rules of a story allow.
pub(crate) struct Limits {
    pub(crate) cooldown: Duration,
    /// Files in any window.
    pub(crate) budget: u64,
    /// The length of the window.
    pub(crate) per: Duration,
}

impl Limits {
    /// Fails where two events of a folder came in one cooldown. `under_way` is how much later than it was decided an event may come.
    pub(crate) fn cooldowns_were_kept(&self, events: &[Event], under_way: Duration) {
        let cooldown = millis(self.cooldown) - millis(under_way);
        let mut last = BTreeMap::new();
        for (at, folder) in events {
            if let Some(before) = last.insert(*folder, *at) {
                let gap = at - before;
                assert!(gap >= cooldown, "{folder}: {gap} ms");
            }
        }
    }

    /// Fails where in some window more files were written down than the budget has: each attempt is its time and its files.
    pub(crate) fn budget_was_kept(&self, attempts: &[(Time, u64)]) {
        for (number, (last, _)) in attempts.iter().enumerate() {
            let begin = last - millis(self.per);
            let window = attempts[..=number].iter();
            let window = window.filter(|(at, _)| *at > begin);
            let files: u64 = window.map(|(_, files)| files).sum();
            assert!(files <= self.budget, "{files} files until {last}");
        }
    }
}

/// Fails where a request does not follow an attempt of its own that was written down before it.
pub(crate) fn each_request_has_an_attempt(
    requests: &[Event],
    attempts: &[Event],
    under_way: Duration,
) {
    let mut left = attempts.to_vec();
    for (at, folder) in requests {
        let own = left
            .iter()
            .position(|(intended, of)| of == folder && is_soon_after(*at, *intended, under_way));
        let own = own.unwrap_or_else(|| panic!("{folder} at {at}: not in {attempts:#?}"));
        left.remove(own);
    }
}

/// Whether a time is at most so long after another one.
pub(crate) fn is_soon_after(at: Time, before: Time, by: Duration) -> bool {
    (0..=millis(by)).contains(&(at - before))
}

/// The folder that a request asked to reindex.
pub(crate) fn folder_of(target: &str) -> Uuid {
    let path = target.strip_suffix(REINDEX_FAILED).unwrap();
    path.rsplit('/').next().unwrap().parse().unwrap()
}

pub(crate) fn millis(duration: Duration) -> Time {
    i64::try_from(duration.as_millis()).unwrap()
}

/// A time of this machine's clock.
pub(crate) fn wall(at: SystemTime) -> Time {
    millis(at.duration_since(UNIX_EPOCH).unwrap())
}
