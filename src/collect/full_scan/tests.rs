//! The scan against folders that stand still and folders that move, without HTTP.

use std::cell::RefCell;
use std::sync::LazyLock;

use futures_util::FutureExt;
use proptest::prelude::*;

use super::*;
use crate::collect::testing::{Folder, body, change};
use crate::count::MAX_REMEMBERED;

/// One for all tests, whose classifier remembers the classes of the few reasons that there are.
static CONTEXT: LazyLock<TallyContext> = LazyLock::new(TallyContext::default);

/// Scans a folder whose pages are there at once.
fn run(fetch: impl Fn(u64) -> PageBody) -> Result<FolderCount, ReadError> {
    let limits = Limits {
        in_flight: 3,
        max_pages: 1_000,
    };
    let progress = Progress::default();
    let fetch = |page: PageRequest| std::future::ready(Ok((page, fetch(page.page))));
    let scan = scan_pages(fetch, Sort::Filename, limits, CONTEXT.clone(), &progress);
    let scan = scan.now_or_never().expect("the pages are there at once");
    scan.map(|(count, _)| count)
}

/// Pages of this number of rows each, of a folder with this total.
fn run_pages(rows: &[usize], total: usize) -> Result<FolderCount, ReadError> {
    let fetch = |number: u64| {
        let page = usize::try_from(number).unwrap() - 1;
        let row = |row| serde_json::json!({"id": format!("{page} {row}"), "indexStatus": "done"});
        let rows = rows.get(page).copied().unwrap_or(0);
        let rows: Vec<_> = (0..rows).map(row).collect();
        body(&rows, number, total)
    };
    run(fetch)
}

#[test]
fn a_page_that_is_empty_though_much_is_missing_ends_the_scan() {
    for (rows, total, page) in [
        (&[100][..], 150, 2),
        (&[100, 0, 0, 50], 350, 2),
        (&[100, 0, 100], 300, 2),
        (&[], 30, 1),
    ] {
        let error = run_pages(rows, total).unwrap_err();
        assert!(
            matches!(error, ReadError::Empty { page: empty, .. } if empty == Sort::Filename.page(page)),
            "{rows:?}: {error}"
        );
    }
}

#[test]
fn the_rows_of_a_status_are_whole_if_all_of_its_files_can_be_remembered() {
    let failed = std::iter::repeat_n(Status::Failed, MAX_REMEMBERED + 1);
    let folder = RefCell::new(Folder::with(failed.chain([Status::Pending]), 500));
    let fetch = |number| folder.borrow_mut().page(Sort::Filename.page(number));
    let whole = run(fetch).unwrap().whole;
    assert!(!whole[Status::Failed] && whole[Status::Pending]);
}

#[test]
fn pages_that_never_end_are_given_up() {
    let fetch = |number: u64| {
        let row = serde_json::json!({"id": number.to_string()});
        body(&[row], number, usize::try_from(number).unwrap() + 1)
    };
    assert!(matches!(
        run(fetch),
        Err(ReadError::TooManyPages { pages: 1_001, .. })
    ));
}

proptest! {
    /// Contract, promise 1: with k changes no count is off by more than k from what was true at some moment, or the read is not
    /// called consistent.
    #[test]
    fn a_read_with_k_changes_is_off_by_k_at_most_or_not_consistent(
        files in 0_usize..40,
        page_size in 1_usize..8,
        changes in prop::collection::vec((0_u64..12, change()), 0..4),
    ) {
        let folder = RefCell::new(Folder::of(files, page_size));
        let before: Vec<_> = Status::ALL.map(|status| folder.borrow().count(status)).into();
        let made = RefCell::new(0_u64);
        let scan = run(|number| {
            let mut folder = folder.borrow_mut();
            let request = folder.requests;
            for (when, change) in &changes {
                if *when == request && request > 0 {
                    change.make(&mut folder);
                    *made.borrow_mut() += 1;
                }
            }
            folder.page(Sort::Filename.page(number))
        });
        let Ok(scan) = scan else { return Ok(()) };
        if scan.consistent {
            for (status, before) in Status::ALL.into_iter().zip(before) {
                prop_assert!(scan.files[status].abs_diff(before) <= *made.borrow());
            }
        }
    }
}
