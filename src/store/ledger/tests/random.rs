//! Whatever is changed in whatever order, the disk says what the memory says.

use std::collections::{BTreeMap, HashSet};

use proptest::prelude::*;

use super::*;
use crate::ledger::database::Guard;

/// Something to change; which attempt and which file, chosen among those that there are.
#[derive(Debug, Clone)]
enum Step {
    Intend(u8, u8),
    Settle(usize, Outcome),
    Review(usize, Vec<(u8, FileState)>, Option<Verdict>),
    Renew(u8, Vec<u8>),
    Tidy(HashSet<u8>),
    Forgive(u8),
    SetClock(i64),
}

fn steps() -> impl Strategy<Value = Vec<(u32, Step)>> {
    let outcome = prop_oneof![
        Just(Outcome::NotSent),
        (0..9_u64).prop_map(|updated| Outcome::Accepted { updated }),
        (400..500_u16, prop::option::of(0..9_u64)).prop_map(|(status, wait)| Outcome::Refused {
            status,
            retry_after: wait.map(Duration::from_secs),
        }),
        prop::sample::select(vec![
            Lost::NoAnswer,
            Lost::Status(503),
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
        1 => (-9_000_000..9_000_000_i64).prop_map(Step::SetClock),
    ];
    prop::collection::vec((0..4_000_u32, step), 1..40)
}

fn folder_id(number: u8) -> FolderId {
    uuid::Uuid::from_u128(number.into()).into()
}

/// Takes a step; an attempt is picked from the newest backwards.
fn change(
    view: &mut LedgerView,
    step: &Step,
    at: Timestamp,
    next: AttemptId,
) -> Result<(), Misfit> {
    let picked = |back: usize| AttemptId::new(next.get() - 1 - i64::try_from(back).unwrap());
    let keys = |files: &[u8]| -> Vec<_> { files.iter().map(|file| key((*file).into())).collect() };
    match step {
        Step::Intend(folder, files) => {
            let intent = Intent {
                folder: folder_id(*folder),
                files: intended(&(0..(*files).into()).collect::<Vec<u128>>()),
                ..intent(at)
            };
            view.intend(next, intent)?;
        }
        Step::Settle(back, outcome) => view.settle(picked(*back), at, *outcome)?,
        Step::Review(back, files, verdict) => {
            let files: Vec<_> = files.iter().map(|(f, s)| (u128::from(*f), *s)).collect();
            view.review(picked(*back), at, &judged(&files, *verdict))?;
        }
        Step::Renew(folder, files) => view.renew(folder_id(*folder), &keys(files)),
        Step::Tidy(listed) => view.tidy(&Tidy {
            at,
            horizon: DAY * 90,
            listed: listed.iter().copied().map(folder_id).collect(),
        }),
        Step::Forgive(number) => view.forgive(&Forgiveness {
            at,
            what: forgiven(*number),
        }),
        Step::SetClock(_) => unreachable!("it is no change of one portal"),
    }
    Ok(())
}

fn forgiven(number: u8) -> Forgiven {
    let class = Class::Text("timeout".into());
    match number {
        0 => Forgiven::Everything,
        1 => Forgiven::Folder(folder_id(1)),
        2 => Forgiven::Class(class),
        _ => Forgiven::Clock,
    }
}

/// Whether an attempt can be made: not while one that was sent in the folder is unjudged. `None` for other steps.
fn is_free(view: &LedgerView, step: &Step) -> Option<bool> {
    let Step::Intend(folder, _) = step else {
        return None;
    };
    let mut unjudged = view.track().unjudged();
    let sent = unjudged.any(|attempt| attempt.folder == folder_id(*folder));
    Some(!sent)
}

/// Every time in a view that moves with the clock.
fn times(view: &LedgerView) -> (Timestamp, Vec<Attempt>, Vec<Option<Timestamp>>) {
    times_moved(view, 0)
}

fn times_moved(view: &LedgerView, by: i64) -> (Timestamp, Vec<Attempt>, Vec<Option<Timestamp>>) {
    let moved = |time: Timestamp| time.moved(by);
    let attempts = view.track.iter();
    let folders = view.folders().collect::<BTreeMap<_, _>>().into_values();
    let unseen = folders.map(|folder| folder.unseen_since.map(moved));
    let attempts = attempts.map(|attempt| attempt.with_times(moved));
    (moved(view.met()), attempts.collect(), unseen.collect())
}

/// The attempts that count for each kind of limit.
fn limited(view: &LedgerView) -> Vec<Vec<AttemptId>> {
    let class = Class::Text("timeout".into());
    let track = view.track();
    let folders = (0..3).map(|id| track.of_folder(folder_id(id)).collect::<Vec<_>>());
    let class = track.of_class(&class).map(|(attempt, _)| attempt);
    let limited = folders.chain([class.collect(), track.newest_first().collect()]);
    let ids = |attempts: Vec<&Arc<Attempt>>| attempts.iter().map(|attempt| attempt.id).collect();
    limited.map(ids).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn the_disk_says_what_the_memory_says(steps in steps()) {
        let folder = Folder::new();
        let (mut database, loaded) = open::open_file(&folder.state).unwrap();
        let created = loaded.ledger.created;
        let mut view = LedgerView::new(created);
        let mut at = created;
        let mut next = database.next_id().unwrap();
        let mut moved = 0;
        for (hours, step) in steps {
            at = Timestamp::from_millis(at.as_millis() + i64::from(hours) * 3_600_000 / 10);
            let expected = is_free(&view, &step);
            if let Step::SetClock(step) = step {
                let before = view.clone();
                database.write(&portal(), &before, &mut view, &[], Guard::None).unwrap();
                let by = clock::follow(step, moved, false);
                moved += by;
                let mut views = database.clock_was_set(step, at).unwrap().unwrap();
                let after = views.portals.remove(&portal()).unwrap();
                prop_assert_eq!(limited(&after), limited(&view));
                prop_assert_eq!(times(&after), times_moved(&view, by));
                view = Arc::unwrap_or_clone(after);
                continue;
            }
            let mut taken = Vec::new();
            if let Step::Forgive(number) = step {
                let what = forgiven(number);
                let asked = Forgiveness { at, what };
                ask_to_forgive(&state(folder.path()), &portal(), &asked).unwrap();
                taken = database.asked_to_forgive(&portal()).unwrap();
                prop_assert_eq!(taken.len(), 1);
            }
            let mut after = view.clone();
            let made = change(&mut after, &step, at, next);
            prop_assert!(made.is_ok() || view == after);
            database.write(&portal(), &view, &mut after, &taken, Guard::None).unwrap();
            view = after;
            if let Some(free) = expected {
                prop_assert_eq!(made.is_ok(), free, "{:?}", made);
                next = database.next_id().unwrap();
            }
        }
        let before = view.clone();
        view.interrupt(at).unwrap();
        database.write(&portal(), &before, &mut view, &[], Guard::None).unwrap();
        drop(database);
        let (_, mut loaded) = open::open_file(&folder.state).unwrap();
        let found = loaded.portals.remove(&portal()).unwrap();
        prop_assert_eq!(&*found, &view);
    }
}
