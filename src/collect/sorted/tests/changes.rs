//! Counting by boundaries while the folder changes.

use proptest::prelude::*;

use super::*;
use crate::collect::testing::{Change, all_changes, change};

/// Counts a folder with this number of requests in flight.
fn run_with(
    in_flight: usize,
    fetch: impl Fn(PageRequest) -> PageBody,
) -> Result<SortedRead, ReadError> {
    let hints = Boundaries::default();
    let method = Method {
        in_flight,
        ..method(&hints)
    };
    run(method, fetch)
}

/// Counts a folder that changes once, before the request with this number, and returns the counts before and after with the read.
fn count_changed(
    folder: &Folder,
    change: Change,
    before_request: u64,
) -> ([Vec<u64>; 2], Result<SortedRead, ReadError>) {
    let before = counts(folder);
    let folder = RefCell::new(folder.clone());
    let fetch = |page| {
        let mut folder = folder.borrow_mut();
        if folder.requests == before_request {
            change.make(&mut folder);
        }
        folder.page(page)
    };
    let counted = run_with(1, fetch);
    let after = counts(&folder.borrow());
    ([before, after], counted)
}

#[test]
fn one_change_of_any_kind_between_any_two_requests_is_seen_whole_or_not_at_all_or_takes_the_mark() {
    let (mut tried, mut unmarked) = (0, 0);
    let contents: [&[(Status, u64)]; 5] = [
        &[(Status::Done, 7)],
        &[(Status::Done, 5), (Status::Failed, 2)],
        &[(Status::Failed, 3), (Status::Done, 3), (Status::Pending, 2)],
        &[(Status::Failed, 4), (Status::Pending, 3)],
        &[
            (Status::Pending, 1),
            (Status::Done, 1),
            (Status::Failed, 4),
            (Status::Flagged, 2),
        ],
    ];
    for (content, (order, turn)) in contents.iter().flat_map(|content| {
        let orders = orders().into_iter().step_by(10).zip(0..);
        orders.map(move |turned| (content, turned))
    }) {
        for page_size in [1, 3].into_iter().skip(turn.min(1)) {
            let mut folder = mixed(content, page_size);
            folder.order = order.clone();
            let still = count_folder(folder.clone()).count.requests;
            for (change, between) in all_changes(folder.files.len())
                .into_iter()
                .flat_map(|change| (1..still).map(move |between| (change, between)))
            {
                let (held, counted_so) = count_changed(&folder, change, between);
                tried += 1;
                let sorted = match counted_so {
                    Ok(sorted) => sorted,
                    Err(error) => {
                        let sorted = !matches!(error, ReadError::Unsorted { .. });
                        assert!(
                            sorted,
                            "{content:?} {order:?} {change:?} after {between}: {error}"
                        );
                        continue;
                    }
                };
                if sorted.count.consistent {
                    let counts = counted(&sorted);
                    let what = format!(
                        "{content:?} {order:?}, {page_size} a page, {change:?} after {between}"
                    );
                    assert!(held.contains(&counts), "{what}: {counts:?} of {held:?}");
                    unmarked += 1;
                }
            }
        }
    }
    assert!(
        tried > 10_000 && unmarked > tried * 9 / 10,
        "{unmarked} of {tried}"
    );
}

fn content() -> impl Strategy<Value = Vec<(Status, u64)>> {
    let status = |at: usize| {
        (
            Just(Status::ALL[at]),
            prop_oneof![Just(0), 1_u64..5, 20_u64..90],
        )
    };
    [0, 1, 2, 3, 4, 5].map(status).prop_map(Vec::from)
}

/// The counts of a folder, one after another while it changes.
struct Held {
    order: Vec<Status>,
    counts: Vec<Vec<u64>>,
    /// Files that changed.
    changed: u64,
}

impl Held {
    fn new(folder: &Folder) -> Self {
        Self {
            order: folder.order.clone(),
            counts: vec![counts(folder)],
            changed: 0,
        }
    }

    /// Whether a boundary left its place, by its distance from one of the ends, and came back. Two reads of that place are equal then.
    fn has_boundary_that_came_back(&self) -> bool {
        let count = |counts: &[u64], status| {
            let at = Status::ALL.iter().position(|other| *other == status);
            counts[at.expect("every status is counted")]
        };
        let ends = [
            self.order.clone(),
            self.order.iter().copied().rev().collect(),
        ];
        ends.iter().any(|order| {
            (1..=order.len()).any(|before| {
                let distance = |counts: &Vec<u64>| -> u64 {
                    order[..before]
                        .iter()
                        .map(|status| count(counts, *status))
                        .sum()
                };
                let mut distances: Vec<_> = self.counts.iter().map(distance).collect();
                distances.dedup();
                let distinct: HashSet<_> = distances.iter().collect();
                distinct.len() < distances.len()
            })
        })
    }

    /// Contract, promise 1, and what follows from reading twice: with k changes no count is off by more than k; what is called consistent held at one
    /// moment, unless a boundary came back.
    fn check(&self, sorted: &SortedRead) {
        let counted = counted(sorted);
        let mut off = self.counts[0]
            .iter()
            .zip(&counted)
            .map(|(a, b)| a.abs_diff(*b));
        let what = || {
            format!(
                "{counted:?} of {:?}, and {} files changed",
                self.counts, self.changed
            )
        };
        assert!(off.all(|off| off <= self.changed), "{}", what());
        let one_moment = self.counts.contains(&counted) || self.has_boundary_that_came_back();
        assert!(!sorted.count.consistent || one_moment, "{}", what());
    }
}

/// Counts a folder that changes before each request but the first; `change` returns how many files changed.
fn count_changing(
    folder: Folder,
    change: impl Fn(&mut Folder) -> u64,
) -> (Held, Result<SortedRead, ReadError>) {
    let held = RefCell::new(Held::new(&folder));
    let folder = RefCell::new(folder);
    let fetch = |page| {
        let mut folder = folder.borrow_mut();
        if folder.requests > 0 {
            let mut held = held.borrow_mut();
            held.changed += change(&mut folder);
            held.counts.push(counts(&folder));
        }
        folder.page(page)
    };
    let read = run_with(3, fetch);
    (held.into_inner(), read)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn whatever_moves_counts_are_consistent_as_the_promise_says(
        content in content(),
        turn in 0_usize..12,
        page_size in 1_usize..12,
        shifting in any::<bool>(),
        long in any::<bool>(),
        changes in prop::collection::vec((1_u64..40, change()), 0..6),
    ) {
        let times = if long { 6 } else { 1 };
        let content: Vec<_> = content.into_iter().map(|(status, files)| (status, files * times)).collect();
        let mut folder = mixed(&content, page_size);
        folder.order = orders().swap_remove(turn);
        if shifting {
            folder.quirk = Quirk::Shifting;
        }
        let (held, result) = count_changing(folder, |folder| {
            let request = folder.requests;
            let now = changes.iter().filter(|(when, _)| *when == request);
            now.map(|(_, change)| change.make(folder)).count() as u64
        });
        if let Ok(sorted) = &result && sorted.count.consistent {
            held.check(sorted);
        } else {
            prop_assert!(!changes.is_empty());
            let unsorted = matches!(result, Err(ReadError::Unsorted { .. }));
            prop_assert!(!unsorted);
        }
    }
}

/// Many changes of one kind, all between two requests.
#[derive(Debug, Clone, Copy)]
enum MassChange {
    Remove(Status),
    Add(Status),
    Move(Status, Status),
}

impl MassChange {
    /// Changes at most this many files; returns how many.
    fn make(self, folder: &mut Folder, most: usize) -> u64 {
        let mut changed = 0;
        let mut takes = |is_one: bool| {
            let takes = is_one && changed < most;
            changed += usize::from(takes);
            takes
        };
        match self {
            Self::Remove(of) => folder.files.retain(|(_, status)| !takes(*status == of)),
            Self::Add(status) => {
                let first = 1_000_000 * (1 + folder.requests);
                let files = (first..).zip(std::iter::repeat_n(status, most));
                folder.files.extend(files);
                changed = most;
            }
            Self::Move(of, to) => {
                let moved = folder.files.iter_mut().filter(|file| takes(file.1 == of));
                moved.for_each(|file| file.1 = to);
            }
        }
        changed as u64
    }
}

fn mass_change() -> impl Strategy<Value = MassChange> {
    let status = || (0_usize..5).prop_map(|status| Status::ALL[status]);
    prop_oneof![
        status().prop_map(MassChange::Remove),
        status().prop_map(MassChange::Add),
        (status(), status()).prop_map(|(of, to)| MassChange::Move(of, to)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn counts_are_off_by_what_changed_at_most_however_much_that_is(
        content in content(),
        turn in 0_usize..12,
        page_size in 1_usize..4,
        shifting in any::<bool>(),
        (first, lasting, files) in (1_u64..60, mass_change(), 1_usize..20),
        masses in prop::collection::vec((1_u64..60, mass_change(), 1_usize..300), 0..3),
    ) {
        let content: Vec<_> = content.into_iter().map(|(status, files)| (status, files * 4)).collect();
        let mut folder = mixed(&content, page_size);
        folder.order = orders().swap_remove(turn);
        if shifting {
            folder.quirk = Quirk::Shifting;
        }
        let (held, result) = count_changing(folder, |folder| {
            let request = folder.requests;
            let now = masses.iter().filter(|(when, ..)| *when == request);
            let now = now.map(|(_, change, files)| (*change, *files));
            let lasts = (first..first + 100).contains(&request);
            let now = now.chain(lasts.then_some((lasting, files)));
            now.map(|(change, files)| change.make(folder, files)).sum()
        });
        if let Ok(sorted) = &result {
            held.check(sorted);
        }
    }
}
