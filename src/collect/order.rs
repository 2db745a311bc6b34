//! Whether the rows of a scan came in the order of their status: pure.
//!
//! In a list that is sorted by status, equal statuses are adjacent, whatever their order is.

use std::collections::{BTreeMap, BTreeSet};

use crate::collect::layout::PageNumber;
use crate::model::{StatusWord, Timestamp};

/// Places at which a status comes again that are looked at: more than files change while a scan is made, of most folders.
const MOST_PLACES: usize = 10;

/// What the pages of a scan show about the order of their rows.
#[derive(Debug, Default)]
pub struct RowOrder {
    pages: BTreeMap<PageNumber, PageOrder>,
}

#[derive(Debug, Default)]
struct PageOrder {
    /// The statuses in their order, adjacent equal ones once; up to the first that comes again.
    runs: Vec<StatusWord>,
    creation: Creation,
}

/// When the files of some rows were created.
#[derive(Debug, Clone, Copy, Default)]
struct Creation {
    ends: Option<(Timestamp, Timestamp)>,
    /// Whether a file was created before the one above it, and after it.
    falls: bool,
    rises: bool,
}

/// Places at which a status comes again after another one.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Breaks {
    /// The pages that show it together: the one where the status ended, and those where it comes again.
    pub pages: BTreeSet<PageNumber>,
    /// Whether there are more places than these pages show.
    pub has_more: bool,
    /// Whether the rows may be in the order in which the files were created instead. New files wait, so such a list often looks sorted by status.
    pub may_be_by_creation: bool,
}

impl Creation {
    /// Goes on with later rows.
    fn add(&mut self, later: Self) {
        let Some((first, last)) = later.ends else {
            return;
        };
        self.falls |= later.falls;
        self.rises |= later.rises;
        self.ends = Some(match self.ends {
            None => (first, last),
            Some((start, before)) => {
                self.falls |= first < before;
                self.rises |= first > before;
                (start, last)
            }
        });
    }
}

impl RowOrder {
    /// Adds a page, by the status and the creation of its rows. One that was added before is replaced.
    pub fn add(
        &mut self,
        page: PageNumber,
        rows: impl IntoIterator<Item = (StatusWord, Option<Timestamp>)>,
    ) {
        let mut order = PageOrder::default();
        let mut is_sorted = true;
        for (word, created) in rows {
            order.creation.add(Creation {
                ends: created.map(|at| (at, at)),
                ..Creation::default()
            });
            if is_sorted && order.runs.last() != Some(&word) {
                is_sorted = !order.runs.contains(&word);
                order.runs.push(word);
            }
        }
        self.pages.insert(page, order);
    }

    /// The places at which a status comes again; no pages if all rows are in order.
    pub fn breaks(&self) -> Breaks {
        let mut creation = Creation::default();
        for order in self.pages.values() {
            creation.add(order.creation);
        }
        let mut breaks = Breaks {
            may_be_by_creation: creation.ends.is_some() && !(creation.falls && creation.rises),
            ..Breaks::default()
        };
        let mut places = 0;
        // The last page of each status so far.
        let mut last: Vec<(StatusWord, PageNumber)> = Vec::new();
        let mut before: Option<(StatusWord, PageNumber)> = None;
        let pages = self.pages.iter();
        let runs =
            pages.flat_map(|(page, order)| order.runs.iter().map(move |word| (*word, *page)));
        for (word, page) in runs {
            let known = last.iter_mut().find(|(known, _)| *known == word);
            match (known, before) {
                (Some((_, ended)), Some((previous, on))) => {
                    if previous != word {
                        places += 1;
                        if places > MOST_PLACES {
                            breaks.has_more = true;
                            return breaks;
                        }
                        breaks.pages.extend([*ended, on, page]);
                    }
                    *ended = page;
                }
                _ => last.push((word, page)),
            }
            before = Some((word, page));
        }
        breaks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Status::{self, Done, Failed, Pending};

    fn breaks(pages: &[&[Status]]) -> (Vec<u64>, bool) {
        let mut order = RowOrder::default();
        // Pages come in any order.
        for (before, statuses) in pages.iter().enumerate().rev() {
            let rows = statuses.iter().map(|status| ((*status).into(), None));
            order.add(PageNumber(before as u64 + 1), rows);
        }
        let Breaks {
            pages, has_more, ..
        } = order.breaks();
        (pages.iter().map(|page| page.0).collect(), has_more)
    }

    #[test]
    fn equal_statuses_that_are_adjacent_are_in_order_whatever_their_order_is() {
        let pages: [&[Status]; 3] = [&[Pending, Failed], &[Failed, Failed], &[Failed, Done]];
        assert_eq!(breaks(&pages), (vec![], false));
        assert_eq!(breaks(&[&[Done], &[], &[Done]]), (vec![], false));
        assert_eq!(breaks(&[]), (vec![], false));
    }

    #[test]
    fn a_status_that_comes_again_is_shown_by_the_pages_around_it() {
        assert_eq!(breaks(&[&[Done, Failed, Done]]), (vec![1], false));
        let apart: [&[Status]; 5] = [&[Done], &[Done], &[Failed], &[Failed], &[Done]];
        assert_eq!(breaks(&apart), (vec![2, 4, 5], false));
    }

    #[test]
    fn of_many_places_the_first_are_shown() {
        let mixed: Vec<&[Status]> = vec![&[Done, Failed, Done]; 30];
        let (pages, has_more) = breaks(&mixed);
        assert!(has_more && pages.len() <= MOST_PLACES, "{pages:?}");
    }

    #[test]
    fn rows_in_the_order_of_their_creation_show_no_other_order() {
        for (pages, may_be) in [
            (&[&[1, 2][..], &[2, 3]][..], true),
            (&[&[9, 5], &[5, 1]], true),
            (&[&[1, 2], &[1, 3]], false),
            (&[&[1, 3, 2], &[4]], false),
            (&[&[]], false),
        ] {
            let mut order = RowOrder::default();
            for (before, times) in pages.iter().enumerate() {
                let rows = times.iter().map(|millis| {
                    let created = Timestamp::from_millis(*millis);
                    (Done.into(), Some(created))
                });
                order.add(PageNumber(before as u64 + 1), rows);
            }
            assert_eq!(order.breaks().may_be_by_creation, may_be, "{pages:?}");
        }
    }
}
