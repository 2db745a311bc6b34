//! Counting by boundaries while the folder changes.

use proptest::prelude::*;

use super::*;
use crate::collect::testing::{Change, all_changes, change};

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
    let counted = run(fetch, 1, &Boundaries::default());
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
    for (content, order) in contents.iter().flat_map(|content| {
        orders()
            .into_iter()
            .step_by(5)
            .map(move |order| (content, order))
    }) {
        for page_size in [1, 3] {
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Contract, promise 1, and what follows from reading twice: what is called consistent held at one moment.
    #[test]
    fn whatever_moves_what_is_called_consistent_held_at_one_moment(
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
        let held = RefCell::new(vec![counts(&folder)]);
        let folder = RefCell::new(folder);
        let fetch = |page| {
            let mut folder = folder.borrow_mut();
            let request = folder.requests;
            for (when, change) in &changes {
                if *when == request {
                    change.make(&mut folder);
                    held.borrow_mut().push(counts(&folder));
                }
            }
            folder.page(page)
        };
        let result = run(fetch, 3, &Boundaries::default());
        if let Ok(sorted) = &result && sorted.count.consistent {
            prop_assert!(held.borrow().contains(&counted(sorted)), "{:?} of {:?}", counted(sorted), held);
        } else {
            prop_assert!(!changes.is_empty());
            let unsorted = matches!(result, Err(ReadError::Unsorted { .. }));
            prop_assert!(!unsorted);
        }
    }
}
