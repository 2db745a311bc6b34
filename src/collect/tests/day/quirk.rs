//! How a folder differs from what the interface promises.

use std::ops::Range;

use super::{MINUTE, Millis};

#[derive(Debug, Clone)]
pub enum Quirk {
    /// The list by status is sorted by the time of the upload.
    SortsByCreation,
    /// The list by status is sorted by name.
    IgnoresSorting,
    /// Each page but the first begins with the last row of the page before.
    PagesOverlap,
    /// Totals and pages end after so many files.
    EndsAt(usize),
    /// The list has no rows for a time, again and again.
    Empty { every: Millis, lasts: Millis },
    /// A page by name lacks three rows, the first time.
    ShortOnce { page: usize },
    /// A page is answered with 429 for a time.
    Refuses { page: usize, during: Range<Millis> },
    /// The folder is not in the list of folders, and may not be read.
    Unlisted(Range<Millis>),
}

impl Quirk {
    pub fn is_unlisted(&self, now: Millis) -> bool {
        matches!(self, Self::Unlisted(during) if during.contains(&now))
    }

    pub fn refuses(&self, number: usize, now: Millis) -> bool {
        matches!(self, Self::Refuses { page, during } if *page == number && during.contains(&now))
    }

    /// Whether the portal does not tell the truth, or did not until shortly ago.
    pub fn troubles(&self, now: Millis) -> bool {
        const GRACE: Millis = 2 * MINUTE;
        match self {
            Self::Refuses { during, .. } | Self::Unlisted(during) => {
                (during.start..during.end + GRACE).contains(&now)
            }
            Self::Empty { every, lasts } => is_in_turn(now, *every, lasts + GRACE),
            _ => false,
        }
    }

    /// Changes a page of the list and the total.
    pub fn apply(
        &mut self,
        files: &mut Vec<u32>,
        total: &mut usize,
        first: usize,
        by_status: bool,
        now: Millis,
    ) {
        match self {
            Self::EndsAt(end) if *total > *end => {
                *total = *end;
                files.truncate(end.saturating_sub(first));
            }
            Self::ShortOnce { page } if first / 100 + 1 == *page && !by_status => {
                files.truncate(files.len() - 3);
                *page = 0;
            }
            Self::Empty { every, lasts } if is_in_turn(now, *every, *lasts) => {
                files.clear();
                *total = 0;
            }
            _ => {}
        }
    }
}

/// Whether a time is in the first part of an interval.
fn is_in_turn(now: Millis, every: Millis, lasts: Millis) -> bool {
    now % every < lasts
}
