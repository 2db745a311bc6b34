//! When pages refute that their portal sorts by status.
//!
//! One read of pages refutes nothing: a file may change its status while the portal puts a page together, and pages that were read at
//! different moments need not fit together. So the pages are read twice, all first reads before all second ones. Rows that are the same
//! at the same position in both were there at the moment between; if a status occurs among them again after another one, no sorted list
//! held at that moment.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tokio::time::sleep;

use crate::collect::error::{FetchPage, ReadError, read_rows};
use crate::collect::sorting::comes_again;
use crate::model::{FileKey, StatusWord};
use crate::portal::PageRequest;

/// The time between the two reads: a search index that lags behind its database has caught up by then.
const BETWEEN_READS: Duration = Duration::from_secs(10);

/// Rows by their page and their place on it.
type Rows = BTreeMap<(PageRequest, i64), (FileKey, StatusWord)>;

/// Reads pages twice, and returns whether the unchanged rows contradict a list that is sorted by status.
pub async fn is_contradiction(
    fetch: impl FetchPage,
    pages: &[PageRequest],
) -> Result<bool, ReadError> {
    let pages: BTreeSet<_> = pages.iter().copied().collect();
    let mut rows = read(&fetch, &pages).await?;
    if !is_unsorted(&rows) {
        return Ok(false);
    }
    sleep(BETWEEN_READS).await;
    let second = read(&fetch, &pages).await?;
    rows.retain(|place, row| second.get(place) == Some(row));
    Ok(is_unsorted(&rows))
}

async fn read(fetch: &impl FetchPage, pages: &BTreeSet<PageRequest>) -> Result<Rows, ReadError> {
    let mut rows = Rows::new();
    for page in pages {
        let (page, body) = fetch(*page).await?;
        let step = if page.is_descending() { -1 } else { 1 };
        let mut place = 0;
        read_rows(page, &body, |row| {
            rows.insert((page, place), (row.key(), row.word()));
            place += step;
        })?;
    }
    Ok(rows)
}

fn is_unsorted(rows: &Rows) -> bool {
    comes_again(rows.values().map(|(_, word)| *word))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::collect::testing::{Change, Folder, Quirk};
    use crate::model::Status::{self, Done, Failed, Pending};
    use crate::portal::Sort;

    fn folder(statuses: impl Fn(usize) -> Status) -> Folder {
        Folder::with((0..100).map(statuses), 10)
    }

    /// Checks some pages; `change` is made between the two reads.
    async fn refutes(folder: Folder, change: impl Fn(&mut Folder)) -> bool {
        let pages = [1, 4, 6, 10].map(|page| Sort::Status.page(page));
        let folder = RefCell::new(folder);
        let fetch = |page| {
            let mut folder = folder.borrow_mut();
            if folder.requests == pages.len() as u64 {
                change(&mut folder);
            }
            std::future::ready(Ok((page, folder.page(page))))
        };
        is_contradiction(fetch, &pages).await.unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_list_that_is_not_sorted_is_refuted() {
        let mut folder = folder(|number| {
            if (50..56).contains(&number) {
                Failed
            } else {
                Done
            }
        });
        folder.quirk = Quirk::IgnoresSortBy;
        assert!(refutes(folder, |_| {}).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_row_that_is_in_its_place_when_the_page_is_read_again_refutes_nothing() {
        let mut folder = folder(|number| if number == 50 { Failed } else { Done });
        folder.quirk = Quirk::IgnoresSortBy;
        let mend = |folder: &mut Folder| Change::Move(50, Done).make(folder);
        assert!(!refutes(folder, mend).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_sorted_list_is_never_refuted_whatever_moves_between_the_reads() {
        for change in [
            Change::Remove(3),
            Change::Add(0, Failed),
            Change::Move(60, Pending),
            Change::Replace(10, Failed),
        ] {
            let folder = folder(|number| [Failed, Done, Pending][number % 3]);
            let made = |folder: &mut Folder| change.make(folder);
            assert!(!refutes(folder, made).await, "{change:?}");
        }
    }
}
