//! Reads every page of a folder in the order by status, and searches for rows that show or refute that order.
//!
//! The pages are read spread over the folder: first both ends, then the middle, the quarters, and so on, so that an error of the
//! portal's sorting is found early.

use std::sync::Arc;

use crate::collect::error::ReadError;
use crate::collect::sorted::{Layout, PageNumber, PageStatuses};
use crate::collect::sorting::contradiction::{Extents, is_contradiction, witnesses};
use crate::collect::sorting::{Refutation, Sorting, evidence};
use crate::model::{ByStatus, FolderId, FolderSizes};
use crate::portal::{Client, Files, Lane, PageBody, PortalError, Session};
use crate::snapshot::SortingState;

/// Pages of one audit that are compared with others, at most: if files change fast, many differ.
const MAX_SUSPECTS: u32 = 10;

/// Pages that stay short when they are read again: of a portal with more of them, no page is read again.
const MAX_SHORT_PAGES: u32 = 10;

/// The sums over the pages of an audit.
#[derive(Debug, Clone, Default)]
pub(in crate::collect) struct Totals {
    pub counts: ByStatus<u64>,
    pub sizes: FolderSizes,
    /// Rows that pages lack before the last one.
    pub missing_rows: u64,
}

pub(in crate::collect) struct AuditTask {
    pub client: Arc<Client>,
    pub folder: FolderId,
    pub sorting: Arc<Sorting>,
    /// Pages, at most: a page can name any total.
    pub max_pages: u64,
}

impl AuditTask {
    /// Reads every page. Ends early, with nothing, if the portal turns out not to sort: then every page is read anyway.
    pub async fn run(self) -> Result<Option<Totals>, ReadError> {
        let lane = Lane::background();
        let session = Session::open(&self.client).await;
        let session = session.map_err(ReadError::at(PageNumber::FIRST.request()))?;
        let files = session.files(self.folder, &lane);
        let mut layout = layout(&files).await?;
        let (pages, limit) = (layout.last_page().0, self.max_pages);
        if pages > limit {
            return Err(ReadError::TooManyPages { pages, limit });
        }
        let (mut totals, mut extents, mut suspects) = (Totals::default(), Extents::default(), 0);
        let mut tries = MAX_SHORT_PAGES;
        for page in spread(pages).map(PageNumber) {
            let (mut body, mut sum, mut statuses) = totals.with_page(&files, page).await?;
            if tries > 0 && is_short(&statuses, page, layout) {
                (body, sum, statuses) = totals.with_page(&files, page).await?;
                tries -= u32::from(is_short(&statuses, page, layout));
            }
            totals = sum;
            layout.total = statuses.total;
            totals.note_missing(page, &statuses, layout);
            if self.sorting.state() == SortingState::Assumed
                && evidence::shows_sorting(&statuses, &body)
            {
                self.sorting.show();
            }
            let run = layout
                .positions(page, &statuses)
                .find_map(|(rows, word)| extents.add(rows, word, layout.page_size));
            if suspects < MAX_SUSPECTS && (run.is_some() || statuses.is_unsorted()) {
                suspects += 1;
                let pages = witnesses(page, layout, run);
                if is_contradiction(|page| files.page(page), &pages, layout).await? {
                    let folder = self.folder;
                    self.sorting.refute(Refutation { folder, pages });
                    return Ok(None);
                }
                // Rows that were seen before may be elsewhere now.
                extents = Extents::default();
            }
        }
        Ok(Some(totals))
    }

    /// Retracts a refutation if its pages are sorted now, or their folder cannot be read any more.
    pub async fn check(&self, refutation: &Refutation) {
        let lane = Lane::background();
        let Ok(session) = Session::open(&self.client).await else {
            return;
        };
        let files = session.files(self.folder, &lane);
        let checked = async {
            let layout = layout(&files).await?;
            is_contradiction(|page| files.page(page), &refutation.pages, layout).await
        };
        match checked.await {
            Ok(true) => {}
            Err(error) if !error.is_final() => {}
            Ok(false) | Err(_) => self.sorting.retract(refutation),
        }
    }
}

impl Totals {
    /// Reads a page; returns it, the sums with its rows, and their statuses.
    async fn with_page(
        &self,
        files: &Files<'_>,
        page: PageNumber,
    ) -> Result<(PageBody, Self, PageStatuses), ReadError> {
        let body = fetch(files, page).await?;
        let mut sum = self.clone();
        let statuses = sum.add(&body).map_err(ReadError::at(page.request()))?;
        Ok((body, sum, statuses))
    }

    /// Adds the rows of a page, and returns their statuses.
    fn add(&mut self, body: &PageBody) -> Result<PageStatuses, PortalError> {
        let mut statuses = PageStatuses::default();
        let read = body.read(|row| {
            statuses.add(row.word());
            self.counts[row.status()] += 1;
            let size = &mut self.sizes[row.status()];
            *size = size.saturating_add(row.size());
        })?;
        statuses.total = read.pagination.total.0;
        Ok(statuses)
    }

    /// Notes rows that a page lacks before the last one: the portal counts files that it does not list.
    fn note_missing(&mut self, page: PageNumber, statuses: &PageStatuses, layout: Layout) {
        let rows = statuses.rows();
        if rows > 0 && page < layout.last_page() {
            self.missing_rows += layout.page_size.saturating_sub(rows);
        }
    }
}

/// The layout of a list by its first page.
async fn layout(files: &Files<'_>) -> Result<Layout, ReadError> {
    let first = fetch(files, PageNumber::FIRST).await?;
    let statuses = Totals::default().add(&first);
    let statuses = statuses.map_err(ReadError::at(PageNumber::FIRST.request()))?;
    Ok(Layout {
        total: statuses.total,
        page_size: statuses.rows().max(1),
    })
}

/// The numbers from 1 on, up to a last one, spread: both ends first, then the middle, the quarters, and so on.
fn spread(last: u64) -> impl Iterator<Item = u64> {
    let bits = u64::BITS - last.saturating_sub(1).leading_zeros();
    let reversed = move |number: u64| {
        if bits == 0 {
            0
        } else {
            number.reverse_bits() >> (u64::BITS - bits)
        }
    };
    let between = (0..1_u64 << bits).map(reversed).map(|number| number + 1);
    let between = between.filter(move |number| *number < last);
    [last].into_iter().chain(between)
}

/// Whether a page before the last one lacks rows: they may have moved meanwhile.
fn is_short(statuses: &PageStatuses, page: PageNumber, layout: Layout) -> bool {
    statuses.rows() < layout.page_size && page < layout.last_page()
}

async fn fetch(files: &Files<'_>, page: PageNumber) -> Result<PageBody, ReadError> {
    let body = files.page(page.request()).await;
    body.map_err(ReadError::at(page.request()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_read_spread_over_the_folder_each_once() {
        assert_eq!(spread(8).collect::<Vec<_>>(), [8, 1, 5, 3, 7, 2, 6, 4]);
        for last in [1, 2, 3, 7, 100, 1_000] {
            let mut pages: Vec<_> = spread(last).collect();
            pages.sort_unstable();
            assert_eq!(pages, (1..=last).collect::<Vec<_>>());
        }
    }
}
