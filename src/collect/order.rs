//! Whether the rows of a scan came in the order of their status: pure.
//!
//! In a list that is sorted by status, equal statuses are adjacent, whatever their order is.

use std::collections::{BTreeMap, BTreeSet};

use crate::collect::layout::PageNumber;
use crate::model::StatusWord;

/// Places at which a status comes again that are looked at: more than files change while a scan is made, of most folders.
const MOST_PLACES: usize = 10;

/// The statuses of the pages of a scan.
#[derive(Debug, Default)]
pub struct RowOrder {
    /// The statuses of each page in their order, adjacent equal ones once; up to the first that comes again.
    pages: BTreeMap<PageNumber, Vec<StatusWord>>,
}

/// Places at which a status comes again after another one.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Breaks {
    /// The pages that show it together: the one where the status ended, and those where it comes again.
    pub pages: BTreeSet<PageNumber>,
    /// Whether there are more places than these pages show.
    pub has_more: bool,
}

impl RowOrder {
    /// Adds a page. One that was added before is replaced.
    pub fn add(&mut self, page: PageNumber, words: impl IntoIterator<Item = StatusWord>) {
        let mut runs: Vec<StatusWord> = Vec::new();
        for word in words {
            if runs.last() == Some(&word) {
                continue;
            }
            let comes_again = runs.contains(&word);
            runs.push(word);
            if comes_again {
                break;
            }
        }
        self.pages.insert(page, runs);
    }

    /// The places at which a status comes again; no pages if all rows are in order.
    pub fn breaks(&self) -> Breaks {
        let mut breaks = Breaks::default();
        let mut places = 0;
        // The last page of each status so far.
        let mut last: Vec<(StatusWord, PageNumber)> = Vec::new();
        let mut before: Option<(StatusWord, PageNumber)> = None;
        let runs = self.pages.iter();
        let runs = runs.flat_map(|(page, runs)| runs.iter().map(move |word| (*word, *page)));
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
            let words = statuses.iter().map(|status| (*status).into());
            order.add(PageNumber::FromStart(before as u64 + 1), words);
        }
        let Breaks { pages, has_more } = order.breaks();
        (pages.iter().map(|page| page.number()).collect(), has_more)
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
}
