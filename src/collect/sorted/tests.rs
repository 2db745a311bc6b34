//! Counting by boundaries without HTTP: folders that do not change, and portals that sort or count wrong.

mod changes;

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::sync::LazyLock;

use futures_util::FutureExt;

use super::*;
use crate::collect::error::ReadError;
use crate::collect::testing::{Folder, Quirk, counts};
use crate::count::DoneFiles;
use crate::model::{ByStatus, Status};
use crate::portal::{PageBody, PageRequest, PortalError, Sort};

/// One for all tests, whose classifier remembers the classes of the few reasons that there are.
static CONTEXT: LazyLock<TallyContext> = LazyLock::new(TallyContext::default);

/// Every order of the statuses that matters: what comes before done, and what after it.
fn orders() -> Vec<Vec<Status>> {
    let mut orders = Vec::new();
    let mut order = Status::ALL.to_vec();
    for _ in 0..Status::ALL.len() {
        order.rotate_left(1);
        orders.push(order.clone());
        orders.push(order.iter().rev().copied().collect());
    }
    orders
}

fn method(hints: &Boundaries) -> Method<'_> {
    Method {
        in_flight: 2,
        hints,
        is_walk: false,
        context: &CONTEXT,
    }
}

/// Counts a folder whose pages are there at once.
fn run<F>(method: Method<'_>, fetch: F) -> Result<SortedRead, ReadError>
where
    F: Fn(PageRequest) -> PageBody,
{
    answered(method, |page| Ok(fetch(page)))
}

/// Counts a folder whose pages are there, or refused, at once.
fn answered<F>(method: Method<'_>, fetch: F) -> Result<SortedRead, ReadError>
where
    F: Fn(PageRequest) -> Result<PageBody, PortalError>,
{
    let requests = Cell::new(0);
    let fetch = |page| {
        requests.set(requests.get() + 1);
        let answer = fetch(page).map(|body| (page, body));
        std::future::ready(answer.map_err(ReadError::at(page)))
    };
    let sorted = count(fetch, method).now_or_never();
    let mut sorted = sorted.expect("the pages are there at once")?;
    sorted.count.requests = requests.get();
    Ok(sorted)
}

fn try_count(folder: &RefCell<Folder>, hints: &Boundaries) -> Result<SortedRead, ReadError> {
    run(method(hints), |page| folder.borrow_mut().page(page))
}

fn count_folder(folder: Folder) -> SortedRead {
    try_count(&RefCell::new(folder), &Boundaries::default()).unwrap()
}

/// This number of files of each status, mixed by name.
fn mixed(files: &[(Status, u64)], page_size: usize) -> Folder {
    let mut statuses: Vec<_> = files
        .iter()
        .flat_map(|(status, files)| std::iter::repeat_n(*status, usize::try_from(*files).unwrap()))
        .collect();
    fastrand::Rng::with_seed(7).shuffle(&mut statuses);
    Folder::with(statuses, page_size)
}

fn counted(sorted: &SortedRead) -> Vec<u64> {
    let counts: &ByStatus<u64> = &sorted.count.files;
    Status::ALL.map(|status| counts[status]).into()
}

#[test]
fn a_folder_that_stands_still_is_counted_exactly_whatever_the_order_of_the_statuses() {
    let contents: [&[(Status, u64)]; 7] = [
        &[],
        &[(Status::Done, 1)],
        &[(Status::Done, 950)],
        &[(Status::Failed, 730)],
        &[
            (Status::Failed, 37),
            (Status::Flagged, 1),
            (Status::Done, 900),
            (Status::Pending, 60),
        ],
        &[
            (Status::Failed, 300),
            (Status::Pending, 310),
            (Status::Processing, 290),
        ],
        &[
            (Status::Unknown, 500),
            (Status::Done, 3),
            (Status::Failed, 444),
            (Status::Flagged, 10),
        ],
    ];
    for (content, order) in contents
        .iter()
        .flat_map(|content| orders().into_iter().map(move |order| (content, order)))
    {
        for page_size in [1, 7, 10, 100] {
            for quirk in [Quirk::None, Quirk::Shifting] {
                let mut folder = mixed(content, page_size);
                (folder.order, folder.quirk) = (order.clone(), quirk);
                let expected = counts(&folder);
                let sorted = count_folder(folder);
                let what = format!("{content:?} {order:?} {page_size} {quirk:?}");
                assert_eq!(counted(&sorted), expected, "{what}");
                assert!(sorted.count.consistent, "{what}");
            }
        }
    }
}

#[test]
fn a_total_that_the_rows_do_not_fit_is_not_consistent_and_the_rows_are_counted() {
    for (files, quirk) in [
        (963, Quirk::TotalTooLarge(37)),
        (1_000, Quirk::TotalTooLarge(1)),
        (1_000, Quirk::TotalTooLarge(10)),
        (995, Quirk::TotalTooLarge(3_000)),
        (995, Quirk::TotalTooSmall(3)),
        (5, Quirk::TotalTooLarge(1)),
        (5, Quirk::TotalTooSmall(1)),
        (0, Quirk::TotalTooLarge(1)),
    ] {
        let failed = files.min(48);
        let content = [(Status::Done, files - failed), (Status::Failed, failed)];
        for order in orders() {
            let mut folder = mixed(&content, 10);
            (folder.quirk, folder.order) = (quirk, order.clone());
            let expected = counts(&folder);
            let sorted = count_folder(folder);
            let what = format!("{files} {quirk:?} {order:?}");
            assert_eq!(counted(&sorted), expected, "{what}");
            assert!(!sorted.count.consistent, "{what}");
            let left_out = match quirk {
                Quirk::TotalTooLarge(files) => files as u64,
                _ => 0,
            };
            assert_eq!(sorted.count.left_out, Some(left_out), "{what}");
            assert!(
                sorted.count.requests < 60,
                "{what}: {}",
                sorted.count.requests
            );
        }
    }
}

#[test]
fn what_cannot_be_the_whole_folder_in_its_order_is_refused() {
    let done = [(Status::Done, 300), (Status::Failed, 0)];
    let both = [(Status::Done, 300), (Status::Failed, 100)];
    let is_empty = |error: &ReadError| matches!(error, ReadError::Empty { total: 350, .. });
    let is_huge = |error: &ReadError| matches!(error, ReadError::ImplausibleTotal { .. });
    let is_unsorted = |error: &ReadError| matches!(error, ReadError::Unsorted { .. });
    let empty: &dyn Fn(&ReadError) -> bool = &is_empty;
    for (content, quirk, is_expected) in [
        (done, Quirk::TotalTooLarge(50), empty),
        (done, Quirk::TotalTooLarge(usize::MAX), &is_huge),
        (both, Quirk::IgnoresSortBy, &is_unsorted),
    ] {
        let mut folder = mixed(&content, 10);
        folder.quirk = quirk;
        let error = try_count(&RefCell::new(folder), &Boundaries::default()).unwrap_err();
        assert!(is_expected(&error), "{quirk:?}: {error}");
    }
}

/// Counts a folder of a portal that refuses pages behind row 10,000, as search engines do, and asks it for the pages that `asked` makes of those
/// that are requested; returns the count and the requests.
fn try_refused(
    folder: &Folder,
    hints: &Boundaries,
    asked: impl Fn(PageRequest) -> PageRequest,
) -> (Result<SortedRead, ReadError>, u64) {
    let folder = RefCell::new(folder.clone());
    let fetch = |page: PageRequest| {
        let answer = folder.borrow_mut().page(asked(page));
        match page.page {
            0..=100 => Ok(answer),
            _ => Err(PortalError::from_status(400, None, b"")),
        }
    };
    let sorted = answered(method(hints), fetch);
    (sorted, folder.into_inner().requests)
}

fn count_refused(folder: &Folder, hints: &Boundaries) -> (SortedRead, u64) {
    let (sorted, requests) = try_refused(folder, hints, |page| page);
    (sorted.unwrap(), requests)
}

#[test]
fn a_portal_that_refuses_pages_far_from_the_start_is_read_from_both_ends() {
    let contents: [&[(Status, u64)]; 4] = [
        &[(Status::Failed, 160), (Status::Done, 30_000)],
        &[
            (Status::Pending, 9_000),
            (Status::Failed, 37),
            (Status::Done, 12_003),
            (Status::Flagged, 1),
        ],
        &[(Status::Done, 20_500)],
        &[(Status::Failed, 8_000), (Status::Done, 11_950)],
    ];
    for content in contents {
        for order in orders().into_iter().step_by(3) {
            let mut folder = mixed(content, 100);
            folder.order = order;
            let (sorted, _) = count_refused(&folder, &Boundaries::default());
            assert_eq!(counted(&sorted), counts(&folder), "{:?}", folder.order);
            assert!(sorted.count.consistent, "{:?}", folder.order);
            let DoneFiles::Counted(hints) = &sorted.count.done else {
                panic!("done files were read");
            };
            let (again, requests) = count_refused(&folder, hints);
            assert_eq!(again.count.files, sorted.count.files);
            assert!(requests < 70, "{requests}");
        }
    }
}

#[test]
fn a_portal_that_ignores_the_order_that_is_asked_for_is_not_read_from_both_ends() {
    let folder = mixed(&[(Status::Failed, 160), (Status::Done, 30_000)], 100);
    let ascending = |page: PageRequest| Sort::Status.page(page.page);
    let (sorted, _) = try_refused(&folder, &Boundaries::default(), ascending);
    let error = sorted.unwrap_err();
    assert!(error.is_of_deep_page(), "{error}");
}

#[test]
fn statuses_that_meet_where_no_page_can_be_read_are_counted_with_a_mark() {
    for (failed, done) in [(15_000, 15_000), (10_000, 10_001)] {
        let mut folder = mixed(&[(Status::Failed, failed), (Status::Done, done)], 100);
        for reversed in [false, true] {
            if reversed {
                folder.order.reverse();
            }
            let (sorted, _) = count_refused(&folder, &Boundaries::default());
            let files = &sorted.count.files;
            assert_eq!(files.total(), failed + done);
            assert_eq!(files[Status::Failed], 10_000);
            let is_exact = failed == 10_000;
            assert!(!sorted.count.consistent || is_exact, "{failed}");
            assert_eq!(sorted.count.left_out, None, "{failed}");
        }
    }
}
