//! From what later reads see to a verdict.

use proptest::prelude::*;

use super::*;
use crate::attempts::StateCounts;
use crate::policy::judge::{LaterRead, Observation, Timing, judge, observe, renewed, review};

const DONE: Observation = Observation::Status(Status::Done);
const FAILED: Observation = Observation::Status(Status::Failed);
const PENDING: Observation = Observation::Status(Status::Pending);
const PROCESSING: Observation = Observation::Status(Status::Processing);
const FLAGGED: Observation = Observation::Status(Status::Flagged);
const UNKNOWN: Observation = Observation::Status(Status::Unknown);

/// A read soon after the answer.
const EARLY: Timing = Timing {
    over: false,
    carried_out: true,
};

#[test]
fn a_file_is_followed_from_read_to_read_until_it_is_settled() {
    use FileState::{Done, Flagged, Gone, Refailed, Sent, Waiting};
    for (reads, states) in [
        (&[FAILED, FAILED][..], &[Sent, Sent][..]),
        (&[PENDING, FAILED, DONE], &[Waiting, Refailed, Refailed]),
        (&[FAILED, PROCESSING, DONE], &[Sent, Waiting, Done]),
        (&[DONE, FAILED], &[Done, Done]),
        (&[DONE, Observation::Absent], &[Done, Done]),
        (&[Observation::Absent, FAILED], &[Gone, Gone]),
        (&[PENDING, Observation::Absent], &[Waiting, Gone]),
        (&[FLAGGED, DONE], &[Flagged, Flagged]),
        (
            &[Observation::Unread, UNKNOWN, PENDING],
            &[Sent, Sent, Waiting],
        ),
        (
            &[PENDING, UNKNOWN, Observation::Unread],
            &[Waiting, Waiting, Waiting],
        ),
    ] {
        let seen: Vec<FileState> = reads
            .iter()
            .scan(Sent, |state, seen| {
                *state = observe(*state, *seen, EARLY);
                Some(*state)
            })
            .collect();
        assert_eq!(seen, states, "{reads:?}");
    }
    let over = Timing {
        over: true,
        ..EARLY
    };
    assert_eq!(observe(Sent, FAILED, over), Refailed, "it never moved");
    assert_eq!(observe(Waiting, PENDING, over), Waiting);
    let not_carried_out = Timing {
        carried_out: false,
        ..over
    };
    assert_eq!(observe(Sent, FAILED, not_carried_out), Sent, "nobody tried");
    assert_eq!(observe(Sent, Observation::Missing, EARLY), Sent);
    assert_eq!(
        observe(Sent, Observation::Missing, over),
        Done,
        "nobody could show that it was deleted"
    );
}

#[test]
fn a_verdict_is_given_as_soon_as_it_can_and_when_it_must() {
    use FileState::{Done, Flagged, Gone, Refailed, Sent, Waiting};
    use Verdict::{Inconclusive, None as NoEffect, Partial, Recovered};
    for (files, early, due) in [
        (&[Done, Done][..], Some(Recovered), Recovered),
        (&[Done, Gone], Some(Recovered), Recovered),
        (&[Done, Refailed], Some(Partial), Partial),
        (&[Done, Flagged], Some(Partial), Partial),
        (&[Done, Waiting], None, Partial),
        (&[Done, Sent], None, Partial),
        (&[Refailed, Refailed], Some(NoEffect), NoEffect),
        (&[Refailed, Flagged, Gone], Some(NoEffect), NoEffect),
        (&[Flagged], Some(NoEffect), NoEffect),
        (&[Refailed, Waiting], None, Inconclusive),
        (&[Sent], None, Inconclusive),
        (&[Gone, Gone], Some(Inconclusive), Inconclusive),
        (&[], Some(Inconclusive), Inconclusive),
    ] {
        let counts: StateCounts = files.iter().copied().collect();
        assert_eq!(judge(&counts, false), early, "{files:?}");
        assert_eq!(judge(&counts, true), Some(due), "{files:?}");
    }
}

/// An attempt on two files an hour ago, answered a minute later.
fn watched(outcome: Outcome) -> (TestLedger, AttemptId) {
    let mut ledger = TestLedger::new();
    let id = ledger.intend(1, ago(HOUR), "timeout", &[1, 2]);
    let at = ago(MINUTE * 59);
    ledger.view.settle(id, at, outcome).unwrap();
    (ledger, id)
}

fn read(
    ledger: &TestLedger,
    id: AttemptId,
    began: Timestamp,
    seen: &dyn Fn(FileKey) -> Observation,
) -> Review {
    let attempt = ledger.view.attempt(id).unwrap();
    review(attempt, Some(LaterRead { began, seen }), NOON)
}

/// What becomes of an attempt whose two files are seen so at a read this number of minutes after the request: the number of files that failed
/// again and the verdict.
fn after(outcome: Outcome, minutes: u32, seen: [Observation; 2]) -> (u64, Option<Verdict>) {
    let mut ledger = TestLedger::new();
    let began = ago(DAY * 2);
    let id = ledger.intend(1, began, "timeout", &[1, 2]);
    ledger.settle(id, outcome);
    let now = began.after(MINUTE * minutes);
    let seen = |file| seen[usize::from(file == key(2))];
    let read = LaterRead {
        began: now,
        seen: &seen,
    };
    let found = review(ledger.view.attempt(id).unwrap(), Some(read), now);
    let verdict = found.verdict;
    if !found.is_empty() {
        ledger.view.review(id, now, &found).unwrap();
    }
    (ledger.view.totals(folder(1)).files_refailed, verdict)
}

#[test]
fn files_that_stay_failed_failed_again_only_where_the_portal_tried() {
    const UNREAD: Observation = Observation::Unread;
    let accepted = Outcome::Accepted { updated: 0 };
    let unavailable = unavailable(None);
    let [lost, unreadable] = [Lost::NoAnswer, Lost::Unreadable].map(|why| Outcome::Unknown { why });
    let in_vain = (0, Some(Verdict::Inconclusive));
    let day = 24 * 60;
    for (outcome, minutes, seen, expected) in [
        (accepted, 9, [FAILED, FAILED], (0, None)),
        (accepted, 10, [FAILED, FAILED], (2, Some(Verdict::None))),
        (accepted, 10, [PENDING, FAILED], (0, None)),
        (accepted, day - 1, [UNREAD, UNREAD], (0, None)),
        (accepted, day, [UNREAD, UNREAD], in_vain),
        (accepted, day, [PENDING, FAILED], (1, in_vain.1)),
        (unavailable, 9, [FAILED, FAILED], (0, None)),
        (unavailable, 10, [FAILED, FAILED], in_vain),
        (lost, 10, [FAILED, FAILED], in_vain),
        (lost, 10, [DONE, FAILED], (1, Some(Verdict::Partial))),
        (lost, 60, [FAILED, UNREAD], (0, None)),
        (lost, 60, [UNREAD, UNREAD], (0, None)),
        (lost, day, [UNREAD, UNREAD], in_vain),
        (unreadable, 10, [FLAGGED, FAILED], (1, Some(Verdict::None))),
    ] {
        let found = after(outcome, minutes, seen);
        assert_eq!(found, expected, "{outcome:?}, {minutes} minutes, {seen:?}");
    }
}

#[test]
fn a_read_that_began_before_the_answer_shows_nothing() {
    let (ledger, id) = watched(Outcome::Accepted { updated: 2 });
    assert!(read(&ledger, id, ago(HOUR), &|_| DONE).is_empty());
    assert_eq!(
        read(&ledger, id, ago(MINUTE * 59), &|_| DONE).verdict,
        Some(Verdict::Recovered)
    );
}

#[test]
fn what_was_not_sent_or_was_refused_is_not_judged() {
    let mut ledger = TestLedger::new();
    let under_way = ledger.intend(1, ago(DAY), "timeout", &[1]);
    let refused = ledger.intend(2, ago(DAY), "timeout", &[1]);
    ledger.settle(refused, super::refused(400, None));
    let withdrawn = ledger.intend(3, ago(DAY), "timeout", &[1]);
    ledger.settle(withdrawn, Outcome::NotSent);
    for id in [under_way, refused, withdrawn] {
        assert!(read(&ledger, id, NOON, &|_| DONE).is_empty());
    }
    for of in [2, 3] {
        assert_eq!(ledger.view.file_attempts(folder(of), key(1)), 0);
    }
}

#[test]
fn files_that_were_seen_done_or_are_gone_start_anew() {
    let seen = |file: FileKey| match file.link {
        1 => DONE,
        2 => Observation::Absent,
        3 => FAILED,
        4 => FLAGGED,
        5 => Observation::Missing,
        _ => Observation::Unread,
    };
    let found = renewed((1..=6).map(key), seen);
    assert_eq!(found, [key(1), key(2), key(5)]);
}

fn seen() -> impl Strategy<Value = Observation> {
    let status = prop::sample::select(Status::ALL.to_vec()).prop_map(Observation::Status);
    prop_oneof![4 => status, 1 => Just(Observation::Absent), 1 => Just(Observation::Unread)]
}

proptest! {
    #[test]
    fn every_file_is_counted_once_and_every_attempt_judged_once(
        reads in prop::collection::vec(prop::collection::vec(seen(), 6), 1..8)
    ) {
        let mut ledger = TestLedger::new();
        let files = [1, 2, 3, 4, 5, 6];
        let id = ledger.intend(1, ago(HOUR), "timeout", &files);
        ledger.settle(id, Outcome::Accepted { updated: 6 });
        let last = reads.len() - 1;
        for (number, rows) in reads.iter().enumerate() {
            let now = if number == last { NOON.after(DAY) } else { ago(MINUTE * 30) };
            let rows = |file: FileKey| rows[usize::try_from(file.link - 1).unwrap()];
            let attempt = ledger.view.attempt(id).unwrap();
            let read = LaterRead { began: now, seen: &rows };
            let review = review(attempt, Some(read), now);
            if !review.is_empty() {
                ledger.view.review(id, now, &review).unwrap();
            }
        }
        let attempt = ledger.view.attempt(id).unwrap();
        let states = attempt.file_states();
        let totals = ledger.view.totals(folder(1));
        prop_assert!(attempt.judged.is_some());
        prop_assert_eq!(states.total(), 6);
        prop_assert_eq!(totals.files_recovered, states.of(FileState::Done));
        prop_assert_eq!(totals.files_refailed, states.of(FileState::Refailed));
        let judged: u64 = Verdict::ALL.iter().map(|verdict| totals.judged(*verdict)).sum();
        prop_assert_eq!(judged, 1);
        for file in files {
            prop_assert!(ledger.view.file_attempts(folder(1), key(file)) <= 1);
        }
    }

    #[test]
    fn what_is_settled_stays_settled(
        state in prop::sample::select(FileState::ALL.to_vec()),
        seen in seen(),
        over: bool,
        carried_out: bool,
    ) {
        let after = observe(state, seen, Timing { over, carried_out });
        prop_assert!(!state.is_settled() || after == state);
        prop_assert!(after != FileState::Sent || state == FileState::Sent);
    }
}
