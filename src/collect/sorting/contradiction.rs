//! When pages refute that their portal sorts by status.
//!
//! One page with a row out of order refutes nothing: a file may have changed its status while the portal put the page together, and pages that
//! were read at different moments need not fit together. So the pages are read twice, some time apart, all first reads before all second
//! ones. Rows that are the same at the same position in both were there at the moment between; where a row of one status is among them
//! with rows of another status far before and far behind it, no sorted list held at that moment.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use tokio::time::sleep;

use crate::collect::error::{FetchPage, ReadError};
use crate::collect::sorted::{Layout, PageNumber};
use crate::model::{FileKey, StatusWord};

/// The time between the two reads: a search index that lags behind its database has caught up by then.
const BETWEEN_READS: Duration = Duration::from_secs(1);

type RowAt = (FileKey, StatusWord);

/// The pages that together can refute the sorting of a list in which a page is out of order: the ends of the list and of the
/// run of equal rows around it, and pages near it.
pub fn witnesses(suspect: PageNumber, layout: Layout, run: Option<Range<u64>>) -> Vec<PageNumber> {
    let last = layout.last_page();
    let near = [
        PageNumber(suspect.0.saturating_sub(2)),
        suspect,
        PageNumber(suspect.0 + 2),
    ];
    let run = run.into_iter().flat_map(|run| [run.start, run.end - 1]);
    let mut pages: Vec<_> = run
        .map(|position| layout.page_of(position))
        .chain(near)
        .chain([PageNumber::FIRST, last])
        .filter(|page| (PageNumber::FIRST..=last).contains(page))
        .collect();
    pages.sort_unstable();
    pages.dedup();
    pages
}

/// Reads pages twice, and returns whether the unchanged rows contradict a list that is sorted by status.
pub async fn is_contradiction(
    fetch: impl FetchPage,
    pages: &[PageNumber],
    layout: Layout,
) -> Result<bool, ReadError> {
    let first = read(&fetch, pages, layout).await?;
    if !contradicts(&first, layout.page_size) {
        return Ok(false);
    }
    sleep(BETWEEN_READS).await;
    let second = read(&fetch, pages, layout).await?;
    Ok(contradicts(&in_both(first, &second), layout.page_size))
}

/// The rows of some pages, by position.
async fn read(
    fetch: &impl FetchPage,
    pages: &[PageNumber],
    layout: Layout,
) -> Result<BTreeMap<u64, RowAt>, ReadError> {
    let mut rows = BTreeMap::new();
    for page in pages {
        let request = page.request();
        let body = fetch(request).await.map_err(ReadError::at(request))?;
        let mut position = layout.start_of(*page);
        body.read(|row| {
            rows.insert(position, (row.key(), row.word()));
            position += 1;
        })
        .map_err(ReadError::at(request))?;
    }
    Ok(rows)
}

/// The rows that are the same at the same position.
fn in_both(first: BTreeMap<u64, RowAt>, second: &BTreeMap<u64, RowAt>) -> BTreeMap<u64, RowAt> {
    let same = |(position, row): &(u64, RowAt)| second.get(position) == Some(row);
    first.into_iter().filter(same).collect()
}

/// Whether a row of one status has rows of another one more than a page before and more than a page behind it.
fn contradicts(rows: &BTreeMap<u64, RowAt>, page_size: u64) -> bool {
    let mut extents = Extents::default();
    for (position, (_, word)) in rows {
        extents.extend(*position..position + 1, *word);
    }
    let mut rows = rows.iter();
    rows.any(|(position, (_, word))| extents.around(*position, *word, page_size).is_some())
}

/// From where to where rows of each status were seen.
#[derive(Debug, Default)]
pub struct Extents(BTreeMap<StatusWord, Range<u64>>);

impl Extents {
    /// Adds rows of one status. Returns from where to where rows of another status were seen, more than a page deep in which these are.
    pub fn add(
        &mut self,
        rows: Range<u64>,
        word: StatusWord,
        page_size: u64,
    ) -> Option<Range<u64>> {
        self.extend(rows.clone(), word);
        let ends = [rows.start, rows.end - 1];
        ends.into_iter()
            .find_map(|position| self.around(position, word, page_size))
    }

    fn extend(&mut self, rows: Range<u64>, word: StatusWord) {
        let extent = self.0.entry(word).or_insert_with(|| rows.clone());
        *extent = extent.start.min(rows.start)..extent.end.max(rows.end);
    }

    /// The extent of another status, more than a page deep in which a row is.
    fn around(&self, position: u64, word: StatusWord, page_size: u64) -> Option<Range<u64>> {
        let deep = |extent: &Range<u64>| {
            extent.start.saturating_add(page_size) < position
                && position.saturating_add(page_size) < extent.end - 1
        };
        let others = self.0.iter().filter(|(other, _)| **other != word);
        others
            .map(|(_, extent)| extent)
            .find(|extent| deep(extent))
            .cloned()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::collect::testing::{Change, Folder, Quirk};
    use crate::model::Status::{self, Done, Failed, Pending};

    const LAYOUT: Layout = Layout {
        total: 100,
        page_size: 10,
    };

    fn folder(statuses: impl Fn(usize) -> Status) -> Folder {
        Folder::with((0..100).map(statuses), 10)
    }

    /// Checks a page against all others; `change` is made between the two reads.
    async fn refutes(folder: Folder, suspect: u64, change: impl Fn(&mut Folder)) -> bool {
        let pages = witnesses(PageNumber(suspect), LAYOUT, None);
        let folder = RefCell::new(folder);
        let reads = pages.len() as u64;
        let fetch = |page| {
            let mut folder = folder.borrow_mut();
            if folder.requests == reads {
                change(&mut folder);
            }
            std::future::ready(Ok(folder.page(page)))
        };
        is_contradiction(fetch, &pages, LAYOUT).await.unwrap()
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
        assert!(refutes(folder, 6, |_| {}).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_row_that_is_in_its_place_when_the_page_is_read_again_refutes_nothing() {
        let mut folder = folder(|number| if number == 50 { Failed } else { Done });
        folder.quirk = Quirk::IgnoresSortBy;
        let mend = |folder: &mut Folder| Change::Move(50, Done).make(folder);
        assert!(!refutes(folder, 6, mend).await);
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
            for suspect in [1, 5, 10] {
                let made = |folder: &mut Folder| change.make(folder);
                assert!(!refutes(folder.clone(), suspect, made).await, "{change:?}");
            }
        }
    }

    #[test]
    fn a_row_close_to_the_others_of_its_status_contradicts_nothing() {
        let row = |number: u64, status: Status| {
            let key = FileKey {
                link: number.into(),
                id: 0,
            };
            (number, (key, status.into()))
        };
        let rows = |failed: u64| -> BTreeMap<_, _> {
            let status = |number| if number == failed { Failed } else { Done };
            (0..100).map(|number| row(number, status(number))).collect()
        };
        for (failed, expected) in [(5, false), (10, false), (11, true), (88, true), (90, false)] {
            assert_eq!(contradicts(&rows(failed), 10), expected, "{failed}");
        }
    }
}
