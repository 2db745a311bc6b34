//! Audits of folders that are counted by their boundaries: beside the collections every page is read in the order by status, one folder
//! at a time, at a quarter of the rate and without a deadline. They look for rows that refute the portal's sorting, and sum up sizes.
//!
//! The pages of a folder are read spread over it: first both ends, then the middle, the quarters, and so on, so that a mistake of the
//! portal's sorting is found early.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tracing::{debug, warn};

use crate::collect::count::difference;
use crate::collect::error::ReadError;
use crate::collect::folder::Folder;
use crate::collect::sorted::{Layout, PageNumber, PageStatuses};
use crate::collect::sorting::contradiction::{Hulls, is_contradiction, witnesses};
use crate::collect::sorting::{Refutation, Sorting, evidence};
use crate::collect::strategy::choose;
use crate::collect::{Collector, Done, Work};
use crate::config::Strategy;
use crate::memory::FullRead;
use crate::model::{ByStatus, FolderId, FolderSizes, Moment, Timestamp};
use crate::portal::{Client, Files, Lane, PageBody, PageRequest, PortalError, Whole};
use crate::snapshot::{FolderState, SortingState, Way};

/// How often it is checked whether an audit is due.
const CHECK_EVERY: Duration = Duration::from_secs(1);

/// An audit that failed is tried again after this part of `full_every`; while sorting is only assumed, folders that changed are audited
/// again as often.
const SOON_SHARE: u32 = 24;

/// Pages of one audit that are held against others, at most: where files move fast, many look wrong.
const MAX_SUSPECTS: u32 = 10;

/// What is known of the audits of one folder.
#[derive(Debug, Default)]
pub(super) struct Audits {
    /// The last one failed, and is not tried again before this.
    not_before: Option<Instant>,
    /// The counts at the last one of this process.
    last: Option<ByStatus<u64>>,
}

/// What an audit depends on beside its folder.
#[derive(Debug, Clone, Copy)]
struct Due {
    every: Duration,
    sorting: SortingState,
    now: Moment,
}

impl Audits {
    /// Whether a folder is to be audited. Due times of folders that were audited at the same time are spread by their ids.
    fn is_due(
        &self,
        folder: FolderId,
        full_read: Option<FullRead>,
        counts: ByStatus<u64>,
        due: Due,
    ) -> bool {
        let Due {
            every,
            sorting,
            now,
        } = due;
        let waits = self.not_before.is_some_and(|time| now.steady < time);
        let older = |age| full_read.is_none_or(|full| now.wall.since(full.at) >= age);
        let unproven = sorting == SortingState::Assumed
            && match self.last {
                None => true,
                Some(last) => last != counts && older(every / SOON_SHARE),
            };
        !waits && (unproven || older(every.mul_f64(share(folder))))
    }
}

/// The part of `full_every` after which a folder is audited: from three quarters to all of it.
fn share(folder: FolderId) -> f64 {
    0.75 + 0.25 * folder.fraction()
}

/// An audit that ended.
#[derive(Debug)]
pub(super) struct Audited {
    /// The counts that the boundaries gave just before; none where there were none.
    before: Option<ByStatus<u64>>,
    result: Result<Totals, ReadError>,
    ended: Timestamp,
}

/// What the pages of an audit add up to.
#[derive(Debug, Default)]
struct Totals {
    counts: ByStatus<u64>,
    sizes: FolderSizes,
    /// Rows that pages lack before the last one.
    missing_rows: u64,
}

impl Collector {
    /// Begins an audit, or checks an old refutation, where that is due and none is under way.
    pub(super) fn audit(&mut self) {
        if self.is_auditing()
            || self.audit_at > Instant::now()
            || self.settings.strategy == Strategy::Full
        {
            return;
        }
        self.audit_at = Instant::now() + CHECK_EVERY;
        if let Some(refutation) = self.sorting.refutation_to_check() {
            self.check_refutation(refutation);
            return;
        }
        let now = Moment::now();
        let due = self.folders.values();
        let due = due.filter(|folder| self.needs_audit(folder, now));
        // Of those that never were audited, small ones come first: most folders are proven soon.
        let next = due.min_by_key(|folder| {
            let last = folder.view.full_read.map(|full| full.at);
            (last, folder.expected().pages(), folder.view.id)
        });
        if let Some(id) = next.map(|folder| folder.view.id) {
            self.begin_audit(id);
        }
    }

    /// Whether an audit takes its share of the rate.
    pub(super) fn is_auditing(&self) -> bool {
        let mut work = self.work.values();
        work.any(|work| matches!(work, Work::Audit { .. } | Work::CheckRefutation))
    }

    fn needs_audit(&self, folder: &Folder, now: Moment) -> bool {
        let view = &folder.view;
        let Some(counts) = view.counts.as_ref() else {
            return false;
        };
        let due = Due {
            every: self.settings.full_every,
            sorting: self.sorting.state(),
            now,
        };
        let expected = folder.expected();
        choose(self.settings.strategy, due.sorting, &expected) == Way::Sorted
            && view.state == FolderState::Counted
            && expected.pages() <= self.settings.walk.max_pages
            && folder
                .audits
                .is_due(view.id, view.full_read, counts.files, due)
    }

    fn begin_audit(&mut self, id: FolderId) {
        let Some(folder) = self.folders.get_mut(&id) else {
            return;
        };
        let Some(counts) = folder.view.counts.clone() else {
            return;
        };
        folder.audits.last = Some(counts.files);
        let audit = Audit {
            client: Arc::clone(&self.tools.client),
            folder: id,
            sorting: Arc::clone(&self.sorting),
        };
        debug!(portal = %self.settings.portal, %id, "audit begins: every page is read beside the collections");
        self.spawn(Work::Audit { folder: id }, async move {
            Done::Audited(Box::new(Audited {
                before: (counts.way == Way::Sorted).then_some(counts.files),
                result: audit.run().await,
                ended: Moment::now().wall,
            }))
        });
    }

    /// Takes in an audit.
    pub(super) async fn audited(&mut self, id: FolderId, audited: Option<Audited>) {
        let try_again = Instant::now() + self.settings.full_every / SOON_SHARE;
        let portal = &self.settings.portal;
        let Some(folder) = self.folders.get_mut(&id).filter(|folder| folder.is_there()) else {
            return;
        };
        folder.audits.not_before = None;
        match audited.map(|audited| (audited.before, audited.ended, audited.result)) {
            Some((before, ended, Ok(totals))) => {
                folder.audited(before, ended, &totals);
                self.save(id).await;
            }
            Some((_, _, Err(error))) => {
                warn!(%portal, folder = %folder.view.name, %id, %error, "audit failed: not every page of the folder could be read beside the collections");
                folder.audits.not_before = Some(try_again);
            }
            None => folder.audits.not_before = Some(try_again),
        }
    }

    /// Reads the pages again that refuted the portal's sorting long ago.
    fn check_refutation(&mut self, refutation: Refutation) {
        let audit = Audit {
            client: Arc::clone(&self.tools.client),
            folder: refutation.folder,
            sorting: Arc::clone(&self.sorting),
        };
        self.spawn(Work::CheckRefutation, async move {
            audit.check(&refutation).await;
            Done::RefutationChecked
        });
    }
}

impl Folder {
    /// Takes in what only an audit tells. Its counts are older than those of the reads that were made meanwhile.
    fn audited(&mut self, before: Option<ByStatus<u64>>, ended: Timestamp, totals: &Totals) {
        self.kept.read_in_full(FullRead {
            at: ended,
            sizes: totals.sizes,
        });
        self.lacks_rows = totals.missing_rows > 0;
        if let Some(before) = before {
            self.show_difference(difference(&totals.counts, &before));
        }
    }
}

/// An audit under way.
struct Audit {
    client: Arc<Client>,
    folder: FolderId,
    sorting: Arc<Sorting>,
}

impl Audit {
    /// Reads every page. Ends early where the portal turns out not to sort: then every page is read anyway.
    async fn run(self) -> Result<Totals, ReadError> {
        let lane = Lane::background();
        let session = self.client.open().await.map_err(no_session)?;
        let files = session.files(self.folder, &lane);
        let first = fetch(&files, PageNumber::FIRST).await?;
        let mut layout = layout_of(&first).map_err(no_session)?;
        let (mut totals, mut hulls, mut suspects) = (Totals::default(), Hulls::default(), 0);
        for page in spread(layout.last_page().0).map(PageNumber) {
            let body = fetch(&files, page).await?;
            let statuses = totals.add(&body).map_err(|error| failed(page, error))?;
            layout.total = statuses.total;
            totals.note_missing(page, &statuses, layout);
            if self.sorting.state() == SortingState::Assumed
                && evidence::shows_sorting(&statuses, &body)
            {
                self.sorting.show();
            }
            let run = layout
                .place(page, &statuses)
                .find_map(|(rows, word)| hulls.add(rows, word, layout.page_size));
            if suspects < MAX_SUSPECTS && (run.is_some() || statuses.is_unsorted()) {
                suspects += 1;
                let pages = witnesses(page, layout, run);
                if is_contradiction(|page| files.page(page), &pages, layout).await? {
                    let folder = self.folder;
                    self.sorting.refute(Refutation { folder, pages });
                    break;
                }
                // What was seen before may be where it is no more.
                hulls = Hulls::default();
            }
        }
        Ok(totals)
    }

    /// Retracts a refutation where its pages are sorted now, or their folder cannot be read any more.
    async fn check(&self, refutation: &Refutation) {
        let lane = Lane::background();
        let Ok(session) = self.client.open().await else {
            return;
        };
        let files = session.files(self.folder, &lane);
        let checked = match fetch(&files, PageNumber::FIRST).await {
            Ok(first) => match layout_of(&first) {
                Ok(layout) => {
                    is_contradiction(|page| files.page(page), &refutation.pages, layout).await
                }
                Err(error) => Err(failed(PageNumber::FIRST, error)),
            },
            Err(error) => Err(error),
        };
        match checked {
            Ok(true) => {}
            Err(error) if !error.is_final() => {}
            Ok(false) | Err(_) => self.sorting.retract(refutation),
        }
    }
}

impl Totals {
    /// Adds the rows of a page, and returns their statuses.
    fn add(&mut self, body: &PageBody) -> Result<PageStatuses, PortalError> {
        let mut statuses = PageStatuses::default();
        let read = body.read(|row| {
            statuses.add(row.word());
            self.counts[row.status()] += 1;
            let size = &mut self.sizes[row.status()];
            *size = size.saturating_add(row.size());
        })?;
        let Whole(total) = read.pagination.total;
        statuses.total = total;
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
fn layout_of(first: &PageBody) -> Result<Layout, PortalError> {
    let mut totals = Totals::default();
    let statuses = totals.add(first)?;
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

async fn fetch(files: &Files<'_>, page: PageNumber) -> Result<PageBody, ReadError> {
    let body = files.page(page.request()).await;
    body.map_err(|error| failed(page, error))
}

fn no_session(error: PortalError) -> ReadError {
    failed(PageNumber::FIRST, error)
}

fn failed(page: PageNumber, error: PortalError) -> ReadError {
    let page: PageRequest = page.request();
    ReadError::Portal { page, error }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Status;

    const DAY: Duration = Duration::from_hours(24);

    fn id(number: u128) -> FolderId {
        uuid::Uuid::from_u128(number).into()
    }

    fn counts(done: u64) -> ByStatus<u64> {
        ByStatus::from_fn(|status| if status == Status::Done { done } else { 0 })
    }

    fn due(sorting: SortingState) -> Due {
        Due {
            every: DAY,
            sorting,
            now: Moment::now(),
        }
    }

    fn read(before: Duration, due: Due) -> FullRead {
        FullRead {
            at: due.now.wall.before(before),
            sizes: ByStatus::default(),
        }
    }

    #[test]
    fn a_folder_is_audited_when_it_never_was_and_every_day_before_the_day_is_over() {
        let (due, audits) = (due(SortingState::Shown), Audits::default());
        for number in [0, u128::MAX / 3, u128::MAX] {
            let is_due = |before: Option<Duration>| {
                let last = before.map(|before| read(before, due));
                audits.is_due(id(number), last, counts(1), due)
            };
            assert!(is_due(None) && is_due(Some(DAY)));
            assert!(!is_due(Some(DAY / 2)));
        }
        let spread = |number| {
            let last = Some(read(DAY * 7 / 8, due));
            audits.is_due(id(number), last, counts(1), due)
        };
        assert!(spread(0) && !spread(u128::MAX));
    }

    #[test]
    fn while_sorting_is_assumed_each_process_audits_and_audits_again_what_changed() {
        let due = due(SortingState::Assumed);
        let is_due = |last: Option<u64>, ago: Duration| {
            let audits = Audits {
                last: last.map(counts),
                ..Audits::default()
            };
            audits.is_due(id(1), Some(read(ago, due)), counts(5), due)
        };
        assert!(is_due(None, Duration::ZERO));
        assert!(is_due(Some(4), DAY / 24));
        assert!(!is_due(Some(4), DAY / 25));
        assert!(!is_due(Some(5), DAY / 2));
    }

    #[test]
    fn an_audit_that_failed_is_not_tried_again_at_once() {
        let audits = Audits {
            not_before: Some(Instant::now() + DAY),
            ..Audits::default()
        };
        assert!(!audits.is_due(id(1), None, counts(1), due(SortingState::Assumed)));
    }

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
