//! For tests: random events.

use std::collections::HashSet;
use std::time::Duration;

use proptest::prelude::*;

use crate::attempts::{
    AttemptId, Event, FileState, Forgiven, Forgiveness, Intent, LedgerView, Review, SentFile,
    Verdict,
};
use crate::classify::Class;
use crate::model::{FileKey, FolderId, Lost, Outcome, PortalName, Timestamp};

/// Something that happens; which attempt and which file, chosen among those that there are.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Intend(u8, u8),
    Settle(usize, Outcome),
    Review(usize, Vec<(u8, FileState)>, Option<Verdict>),
    Renew(u8, Vec<u8>),
    Tidy(HashSet<u8>),
    Forgive(u8),
}

/// Steps, each with the tenths of hours before it.
pub(crate) fn steps() -> impl Strategy<Value = Vec<(u32, Step)>> {
    let outcome = prop_oneof![
        Just(Outcome::NotSent),
        (0..9_u64).prop_map(|updated| Outcome::Accepted { updated }),
        (400..500_u16, prop::option::of(0..9_u64)).prop_map(|(status, wait)| Outcome::Refused {
            status,
            retry_after: wait.map(Duration::from_secs),
        }),
        prop::sample::select(vec![
            Lost::NoAnswer,
            Lost::Status {
                status: 503,
                retry_after: None,
            },
            Lost::Unreadable,
            Lost::Interrupted
        ])
        .prop_map(|why| Outcome::Unknown { why }),
    ];
    let state = prop::sample::select(FileState::ALL.to_vec());
    let verdict = prop::option::of(prop::sample::select(Verdict::ALL.to_vec()));
    let files = prop::collection::vec((0..6_u8, state), 0..6);
    let step = prop_oneof![
        3 => (0..3_u8, 1..6_u8).prop_map(|(folder, files)| Step::Intend(folder, files)),
        3 => (0..9_usize, outcome).prop_map(|(attempt, outcome)| Step::Settle(attempt, outcome)),
        3 => (0..9_usize, files, verdict).prop_map(|(a, files, v)| Step::Review(a, files, v)),
        1 => (0..3_u8, prop::collection::vec(0..6_u8, 0..6)).prop_map(|(f, files)| Step::Renew(f, files)),
        1 => prop::collection::hash_set(0..3_u8, 0..3).prop_map(Step::Tidy),
        1 => (0..4_u8).prop_map(Step::Forgive),
    ];
    prop::collection::vec((0..4_000_u32, step), 1..40)
}

fn folder(number: u8) -> FolderId {
    uuid::Uuid::from_u128(number.into()).into()
}

fn key(number: u8) -> FileKey {
    FileKey {
        link: number.into(),
        id: u128::MAX,
    }
}

/// How long attempts are remembered when it is tidied.
pub(crate) const HORIZON: Duration = Duration::from_hours(90 * 24);

/// The folders that are listed when it is tidied; all of them if the step is another one.
pub(crate) fn listed(step: &Step) -> HashSet<FolderId> {
    let listed = match step {
        Step::Tidy(listed) => listed.clone(),
        _ => (0..3).collect(),
    };
    listed.into_iter().map(folder).collect()
}

impl Step {
    /// The event of the step; `None` if it is to tidy. An attempt is picked from the newest backwards.
    pub(crate) fn event(&self, view: &LedgerView, at: Timestamp) -> Option<Event> {
        let ids: Vec<AttemptId> = view.track().iter().map(|attempt| attempt.id).collect();
        let picked = |back: &usize| {
            let id = ids.iter().rev().nth(*back % ids.len().max(1));
            id.copied().unwrap_or(AttemptId::new(1))
        };
        let class =
            |number: u8| Class::Text(["timeout", "password"][usize::from(number % 2)].into());
        Some(match self {
            Self::Intend(number, files) => {
                let portal = PortalName::new("main").unwrap();
                let files = (0..*files).map(|file| (key(file), SentFile::new(class(file))));
                Event::Intended(Intent::new(portal, folder(*number), at, files.collect()))
            }
            Self::Settle(back, outcome) => Event::Settled {
                id: picked(back),
                at,
                outcome: *outcome,
            },
            Self::Review(back, files, verdict) => {
                let changed = files.iter().map(|(file, state)| (key(*file), *state));
                let review = Review {
                    changed: changed.collect(),
                    verdict: *verdict,
                };
                let id = picked(back);
                Event::Reviewed { id, at, review }
            }
            Self::Renew(number, files) => Event::Renewed {
                folder: folder(*number),
                files: files.iter().copied().map(key).collect(),
            },
            Self::Forgive(number) => {
                let what = match number {
                    0 => Forgiven::Everything,
                    1 => Forgiven::Folder(folder(1)),
                    2 => Forgiven::Class(class(0)),
                    _ => Forgiven::Clock,
                };
                Event::Forgiven(Forgiveness { at, what })
            }
            Self::Tidy(_) => return None,
        })
    }
}
