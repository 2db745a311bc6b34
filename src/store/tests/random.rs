//! Whatever happens to attempts, the database has what the process knows.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;
use crate::attempts::{Book, FileState, Forgiven, Review, Verdict};
use crate::config::State;
use crate::model::{Lost, Outcome};
use crate::store::{forgive, ledger as of_ledger};

const HORIZON: Duration = Duration::from_hours(90 * 24);

/// Something that happens; which attempt and which file, chosen among those that there are.
#[derive(Debug, Clone)]
enum Step {
    Intend(u128, u128),
    Settle(usize, Outcome),
    Review(usize, Vec<(u128, FileState)>, Option<Verdict>),
    Renew(u128, Vec<u128>),
    Tidy(HashSet<u128>),
    Forgive(u8),
    /// The process ends, and another one takes its place.
    TakeOver,
    /// The database loses the last writes.
    Lose,
}

fn steps() -> impl Strategy<Value = Vec<(i64, Step)>> {
    let status = Lost::Status {
        status: 503,
        retry_after: None,
    };
    let lost = prop::sample::select(vec![Lost::NoAnswer, status, Lost::Unreadable]);
    let wait = prop::option::of((0..9_u64).prop_map(Duration::from_secs));
    let outcome = prop_oneof![
        Just(Outcome::NotSent),
        (0..9_u64).prop_map(|updated| Outcome::Accepted { updated }),
        (400..500_u16, wait).prop_map(|(status, retry_after)| Outcome::Refused {
            status,
            retry_after
        }),
        lost.prop_map(|why| Outcome::Unknown { why }),
    ];
    let state = prop::sample::select(FileState::ALL.to_vec());
    let verdict = prop::option::of(prop::sample::select(Verdict::ALL.to_vec()));
    let files = prop::collection::vec((1..6_u128, state), 0..6);
    let step = prop_oneof![
        4 => (1..4_u128, 1..6_u128).prop_map(|(folder, files)| Step::Intend(folder, files)),
        4 => (0..9_usize, outcome).prop_map(|(attempt, outcome)| Step::Settle(attempt, outcome)),
        4 => (0..9_usize, files, verdict).prop_map(|(a, files, v)| Step::Review(a, files, v)),
        1 => (1..4_u128, prop::collection::vec(1..6_u128, 0..6)).prop_map(|(f, files)| Step::Renew(f, files)),
        1 => prop::collection::hash_set(1..4_u128, 0..3).prop_map(Step::Tidy),
        1 => (0..4_u8).prop_map(Step::Forgive),
        1 => Just(Step::TakeOver),
        1 => Just(Step::Lose),
    ];
    prop::collection::vec((0..400_i64, step), 1..25)
}

fn class(number: u128) -> Class {
    Class::from_label(["timeout", "password"][usize::from(number % 2 == 1)])
}

/// A process and what it knows.
struct World {
    path: tempfile::TempDir,
    store: Store,
    ledger: Ledger,
    at: Timestamp,
}

impl World {
    async fn new() -> Self {
        let path = tempfile::tempdir().unwrap();
        let store = store(path.path()).await;
        let ledger = ledger(&store).await;
        let at = NOON;
        Self {
            path,
            store,
            ledger,
            at,
        }
    }

    fn book(&self) -> std::sync::Arc<Book> {
        self.ledger.book().unwrap()
    }

    /// An attempt, from the newest backwards.
    fn picked(&self, back: usize) -> AttemptId {
        let ids: Vec<_> = self.book().track().iter().map(|it| it.id).collect();
        let id = ids.iter().rev().nth(back % ids.len().max(1));
        id.copied().unwrap_or(AttemptId::new(1))
    }

    /// Lets a step happen. What does not fit changes nothing.
    async fn step(&mut self, step: &Step) -> Result<(), StoreError> {
        let ledger = &self.ledger;
        match step {
            Step::Intend(number, files) => {
                let files = (1..=*files).map(|file| (key(file), SentFile::new(class(file))));
                let intent = Intent::new(name(), folder(*number), self.at, files.collect());
                ledger.intend(intent, &self.book()).await.map(drop)
            }
            Step::Settle(back, outcome) => {
                ledger.settle(self.picked(*back), self.at, *outcome).await
            }
            Step::Review(back, files, verdict) => {
                let changed = files.iter().map(|(file, state)| (key(*file), *state));
                let review = Review {
                    changed: changed.collect(),
                    verdict: *verdict,
                };
                ledger.review(self.picked(*back), self.at, review).await
            }
            Step::Renew(number, files) => {
                let files = files.iter().copied().map(key).collect();
                ledger.renew(folder(*number), files).await
            }
            Step::Tidy(listed) => {
                let listed = listed.iter().copied().map(folder).collect();
                ledger.tidy(HORIZON, listed).await
            }
            Step::Forgive(number) => {
                let what = match number {
                    0 => Forgiven::Everything,
                    1 => Forgiven::Folder(folder(1)),
                    _ => Forgiven::Class(class(1)),
                };
                let state = State::Path(self.path.path().to_owned());
                forgive(&state, &address(), Some(&what)).unwrap();
                ledger.follow().await.map(drop)
            }
            Step::TakeOver => {
                self.store.leave(self.ledger.clone()).await.unwrap();
                self.ledger = super::ledger(&self.store).await;
                Ok(())
            }
            Step::Lose => {
                self.lose().await;
                self.ledger.follow().await.map(drop)
            }
        }
    }

    /// The database is as an older copy. The process finds out, and writes what it knows.
    async fn lose(&self) {
        let lease = self.ledger.lease();
        for lost in [
            "UPDATE lease SET beat = beat - 1",
            "DELETE FROM attempt WHERE id % 2 = 0",
            "UPDATE attempt SET outcome = NULL, answered = NULL, verdict = NULL, judged = NULL",
            "DELETE FROM reindexed",
        ] {
            execute(lease, lost).await;
        }
    }

    /// What the database has.
    async fn stored(&self) -> Book {
        let read = async |connection: &mut _, portal: &PortalAddress| {
            of_ledger::book(connection, portal).await
        };
        self.ledger.lease().read(read).await.unwrap()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_database_has_what_the_process_knows(steps in steps()) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let mut world = World::new().await;
            for (hours, step) in steps {
                world.at = world.at.moved(hours * 3_600_000);
                let before = world.book();
                let fits = world.step(&step).await;
                let known = world.book();
                if let Err(misfit) = fits {
                    assert!(matches!(misfit, StoreError::Misfit(_)), "{step:?}: {misfit}");
                    assert_eq!(*before, *known, "{step:?}");
                }
                assert_eq!(world.stored().await, *known, "{step:?}");
            }
        });
    }
}
