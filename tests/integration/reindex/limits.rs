//! Whether limits were kept: by what a portal was asked, and by what was written down.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use uuid::Uuid;

use crate::support::attempts::Attempt;
use crate::support::server::REINDEX_FAILED;

/// In milliseconds since 1970.
type Time = i64;

/// Something that happened in a folder.
pub(crate) type Event = (Time, Uuid);

impl Attempt {
    /// When it was written down, in which folder.
    pub(crate) fn event(&self) -> Event {
        (self.intended, self.folder)
    }
}

/// What the rules of a story allow.
pub(crate) struct Limits {
    pub(crate) cooldown: Duration,
    /// Files in any window.
    pub(crate) budget: u64,
    /// The length of the window.
    pub(crate) per: Duration,
}

impl Limits {
    /// Fails where what was written down and what the portal was asked do not keep to each other, or to the limits. `under_way` is how much
    /// later than it was decided a request may come.
    pub(crate) fn were_kept(&self, attempts: &[Attempt], requests: &[Event], under_way: Duration) {
        let intents: Vec<Event> = attempts.iter().map(Attempt::event).collect();
        each_request_has_an_attempt(requests, &intents, under_way);
        each_answer_was_given(attempts, requests, under_way);
        let sent = attempts.iter();
        let sent: Vec<_> = sent
            .filter(|attempt| attempt.outcome != "not_sent")
            .collect();
        let events: Vec<Event> = sent.iter().map(|attempt| attempt.event()).collect();
        self.cooldowns_were_kept(&events);
        let charges = sent.iter().map(|attempt| (attempt.intended, attempt.files));
        self.budget_was_kept(&charges.collect::<Vec<_>>());
    }

    /// Fails where two events of a folder came in one cooldown.
    fn cooldowns_were_kept(&self, events: &[Event]) {
        let cooldown = millis(self.cooldown);
        let mut last = BTreeMap::new();
        for (at, folder) in events {
            if let Some(before) = last.insert(*folder, *at) {
                let gap = at - before;
                assert!(gap >= cooldown, "{folder}: {gap} ms");
            }
        }
    }

    /// Fails where in some window more files were written down than the budget has: each attempt is its time and its files.
    fn budget_was_kept(&self, attempts: &[(Time, u64)]) {
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
fn each_request_has_an_attempt(requests: &[Event], attempts: &[Event], under_way: Duration) {
    let mut left = attempts.to_vec();
    for (at, folder) in requests {
        let own = left
            .iter()
            .position(|(intended, of)| of == folder && is_soon_after(*at, *intended, under_way));
        let own = own.unwrap_or_else(|| panic!("{folder} at {at}: not in {attempts:#?}"));
        left.remove(own);
    }
}

/// The portal received each request that it is said to have answered.
fn each_answer_was_given(attempts: &[Attempt], requests: &[Event], under_way: Duration) {
    let answered = attempts
        .iter()
        .filter(|attempt| attempt.outcome == "accepted");
    let mut left = requests.to_vec();
    for attempt in answered {
        let (intended, folder) = attempt.event();
        let own = left
            .iter()
            .position(|(at, of)| *of == folder && is_soon_after(*at, intended, under_way));
        left.remove(own.unwrap_or_else(|| panic!("{attempt:?}: not in {requests:#?}")));
    }
}

/// Whether a time is at most so long after another one.
fn is_soon_after(at: Time, before: Time, by: Duration) -> bool {
    (0..=millis(by)).contains(&(at - before))
}

/// The folder that a request asked to reindex.
pub(crate) fn folder_of(target: &str) -> Uuid {
    let path = target.strip_suffix(REINDEX_FAILED).unwrap();
    path.rsplit('/').next().unwrap().parse().unwrap()
}

fn millis(duration: Duration) -> Time {
    i64::try_from(duration.as_millis()).unwrap()
}

/// A time of this machine's clock.
pub(crate) fn wall(at: SystemTime) -> Time {
    millis(at.duration_since(UNIX_EPOCH).unwrap())
}
