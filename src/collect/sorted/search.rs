//! Reads pages until every border is known, and reads again what the borders hang on until it is the same twice.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;

use futures_util::{StreamExt, TryStreamExt, stream};

use crate::aggregate::Known;
use crate::collect::error::ReadError;
use crate::collect::sorted::borders::Borders;
use crate::collect::sorted::found::Found;
use crate::collect::sorted::map::{Map, Stretch};
use crate::collect::sorted::names::{self, Names};
use crate::collect::sorted::page::{Layout, PageId, Shown};
use crate::collect::sorted::pins::pins;
use crate::collect::sorted::plan;
use crate::collect::sorted::rows::{self, Rows};
use crate::portal::{Order, PageBody, PageRequest, Pagination, PortalError, Whole};

/// What differs between two looks is searched again so often.
const ROUNDS: u32 = 3;

/// Requests of one look, at most: far more than any folder needs that can be counted at all.
const MAX_REQUESTS: u64 = 1_000;

/// Two pages with so many rows, and all of them alike, are no accident.
const MANY_ROWS: u64 = 20;

/// A search under way.
pub(super) struct Search<'a, F> {
    fetch: F,
    in_flight: usize,
    hints: &'a Borders,
    pub rows: Rows,
    pages: BTreeMap<PageId, Seen>,
    layout: Layout,
    round: u32,
    /// The page that was read last of all, with no other in flight.
    last_alone: Option<PageId>,
    pub requests: u64,
}

/// The latest look at a page.
struct Seen {
    shown: Shown,
    /// What it tells holds from this round on.
    round: u32,
    /// Counts the looks: a later one knows better.
    nth: u64,
    names: Names,
    digest: u64,
    /// Whether it has as many rows as it should, and no file twice.
    whole: bool,
}

impl<'a, F, Fut> Search<'a, F>
where
    F: Fn(PageRequest) -> Fut,
    Fut: Future<Output = Result<PageBody, PortalError>>,
{
    /// Prepares a search; `hints` are the borders of the last look.
    pub fn new(fetch: F, in_flight: usize, known: Known, hints: &'a Borders) -> Self {
        Self {
            fetch,
            in_flight,
            hints,
            rows: Rows::new(known),
            pages: BTreeMap::new(),
            layout: Layout {
                total: 0,
                page_size: 1,
            },
            round: 0,
            last_alone: None,
            requests: 0,
        }
    }

    /// Finds every border.
    pub async fn run(&mut self) -> Result<Found, ReadError> {
        self.look(BTreeSet::from([PageId::FRONT])).await?;
        let front = self.pages.get(&PageId::FRONT);
        let rows = front.map_or(0, |seen| seen.shown.rows());
        self.layout.page_size = rows.max(1);
        if rows >= self.layout.total {
            return Ok(Found {
                consistent: rows == self.layout.total && self.fresh().all(|(_, seen)| seen.whole),
                ..self.found()
            });
        }
        self.look(BTreeSet::from([PageId::BACK])).await?;
        loop {
            self.explore().await?;
            let found = self.found();
            if self.same_again(&found.stretches).await? {
                // What was read again is all that this round has by now.
                if self.contradicts() {
                    return Err(ReadError::Contradiction);
                }
                return Ok(Found {
                    consistent: true,
                    ..found
                });
            }
            if self.round >= ROUNDS {
                return Ok(found);
            }
        }
    }

    /// Reads what the plan wants until it wants nothing more.
    async fn explore(&mut self) -> Result<(), ReadError> {
        loop {
            let map = self.map();
            let seen: BTreeSet<_> = self.fresh().map(|(page, _)| *page).collect();
            let read: BTreeSet<_> = self.rows.pages().collect();
            let wanted = plan::next(&plan::Known {
                layout: self.layout,
                map: &map,
                seen: &seen,
                read: &read,
                hints: &self.hints.in_list_of(self.layout.total),
            });
            if wanted.is_empty() {
                let stretches = map.stretches();
                let gaps = stretches
                    .windows(2)
                    .any(|pair| pair[0].range.end != pair[1].range.start);
                return if gaps { Err(ReadError::Moving) } else { Ok(()) };
            }
            self.look(wanted).await?;
        }
    }

    /// Looks again at what the borders hang on; whether all of it is as it was.
    async fn same_again(&mut self, stretches: &[Stretch]) -> Result<bool, ReadError> {
        let pages = self.latest_first().into_iter();
        let pages: Vec<_> = pages
            .map(|(page, seen)| (*page, self.layout.span(*page, seen.shown.rows())))
            .collect();
        let mut again = pins(stretches, &pages);
        self.round += 1;
        if let Some(page) = self.last_alone.filter(|page| again.remove(page))
            && let Some(seen) = self.pages.get_mut(&page)
        {
            // All other looks were over when this one began: it stands on both sides of the moment between.
            seen.round = self.round;
        }
        let shown = |search: &Self| -> Vec<_> {
            let pages = again.iter().map(|page| search.pages.get(page));
            pages
                .map(|seen| seen.map(|seen| seen.shown.clone()))
                .collect()
        };
        let before = shown(self);
        self.look(again.clone()).await?;
        let total = self.layout.total;
        let whole = |seen: &Seen| seen.whole && seen.shown.total == total;
        Ok(self.fresh().all(|(_, seen)| whole(seen)) && before == shown(self))
    }

    /// Reads two pages on which nothing hangs: the last one from the front, and one amid what was not seen. Whether they show what
    /// was found. Where the list has another length by now, they show nothing.
    pub async fn agrees_with_samples(&mut self, found: &Found) -> Result<bool, ReadError> {
        let layout = found.layout;
        let last = layout.page_in(Order::Ascending, layout.total.saturating_sub(1));
        let amid = found.largest_unseen().map(|range| {
            let middle = range.start.midpoint(range.end);
            layout.page_at(middle)
        });
        let mut map = Map::default();
        for stretch in &found.stretches {
            map.lay(stretch.range.clone(), stretch.word);
        }
        for id in [Some(last), amid].into_iter().flatten() {
            self.requests += 1;
            let body = (self.fetch)(id.request()).await;
            let body = body.map_err(|error| failed(id, error))?;
            let shown = rows::shown(&body).map_err(|error| failed(id, error))?;
            if shown.rows() == 0 && shown.total > 0 {
                let (page, total) = (id.request(), shown.total);
                return Err(ReadError::Empty { page, total });
            }
            let mut placed = layout.place(id, &shown);
            let same_total = shown.total == layout.total;
            if same_total && placed.any(|(range, word)| !map.agrees(&range, word)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads pages, several at once.
    async fn look(&mut self, pages: BTreeSet<PageId>) -> Result<(), ReadError> {
        self.requests += pages.len() as u64;
        if self.requests > MAX_REQUESTS {
            return Err(ReadError::Moving);
        }
        self.last_alone = pages.first().copied().filter(|_| pages.len() == 1);
        let fetched = stream::iter(pages).map(|id| {
            let answer = (self.fetch)(id.request());
            async move {
                answer
                    .await
                    .map(|body| (id, body))
                    .map_err(|error| failed(id, error))
            }
        });
        let bodies: Vec<_> = fetched
            .buffer_unordered(self.in_flight)
            .try_collect()
            .await?;
        for (id, body) in bodies {
            self.take(id, &body)?;
        }
        Ok(())
    }

    fn take(&mut self, id: PageId, body: &PageBody) -> Result<(), ReadError> {
        let page = self
            .rows
            .read(id, body)
            .map_err(|error| failed(id, error))?;
        let (asked, total, rows) = (id.request(), page.shown.total, page.shown.rows());
        if page.shown.is_unsorted() {
            return Err(ReadError::Unsorted { page: asked });
        }
        if let Some(Whole(came)) = page.pagination.page.filter(|came| came.0 != id.number) {
            return Err(ReadError::OtherPage { asked, came });
        }
        if rows == 0 && total > (id.number - 1).saturating_mul(self.layout.page_size) {
            return Err(ReadError::Empty { page: asked, total });
        }
        if rows >= MANY_ROWS && self.is_repeated(id, page.digest) {
            return Err(ReadError::Repeated { page: asked });
        }
        self.layout.total = total;
        let nth = self.pages.values().map(|seen| seen.nth).max().unwrap_or(0) + 1;
        let seen = Seen {
            shown: page.shown,
            round: self.round,
            nth,
            names: page.names,
            digest: page.digest,
            whole: page.distinct
                && self
                    .rows_expected(id, &page.pagination)
                    .is_none_or(|expected| expected == rows),
        };
        self.pages.insert(id, seen);
        Ok(())
    }

    /// Whether both ends are the same page.
    fn is_repeated(&self, id: PageId, digest: u64) -> bool {
        let other = match id {
            PageId::FRONT => PageId::BACK,
            PageId::BACK => PageId::FRONT,
            _ => return false,
        };
        let other = self.pages.get(&other);
        other.is_some_and(|seen| seen.digest == digest)
    }

    /// Rows that a page should have, as far as that is known.
    fn rows_expected(&self, id: PageId, pagination: &Pagination) -> Option<u64> {
        let page_size = if self.pages.is_empty() {
            let Whole(page_size) = pagination.page_size?;
            page_size
        } else {
            self.layout.page_size
        };
        let before = (id.number - 1).saturating_mul(page_size);
        Some(page_size.min(self.layout.total.saturating_sub(before)))
    }

    /// The pages whose latest look belongs to this round.
    fn fresh(&self) -> impl Iterator<Item = (&PageId, &Seen)> {
        let fresh = move |(_, seen): &(&PageId, &Seen)| seen.round >= self.round;
        self.pages.iter().filter(fresh)
    }

    /// The same, those that were looked at last first: they know better.
    fn latest_first(&self) -> Vec<(&PageId, &Seen)> {
        let mut pages: Vec<_> = self.fresh().collect();
        pages.sort_unstable_by_key(|(_, seen)| std::cmp::Reverse(seen.nth));
        pages
    }

    fn map(&self) -> Map {
        let mut map = Map::default();
        for (page, seen) in self.latest_first() {
            for (range, word) in self.layout.place(*page, &seen.shown) {
                map.lay(range, word);
            }
        }
        map
    }

    fn found(&self) -> Found {
        let stretches = self.map().stretches();
        let pages: Vec<_> = self
            .fresh()
            .map(|(page, seen)| (self.layout.span(*page, seen.shown.rows()), &seen.names))
            .collect();
        Found {
            layout: self.layout,
            consistent: false,
            names_break: names::fall(&stretches, &pages),
            seen: pages.into_iter().map(|(span, _)| span).collect(),
            stretches,
        }
    }

    /// Whether pages of this round cannot all belong to one list that is sorted by status.
    fn contradicts(&self) -> bool {
        let map = self.map();
        let disagree = self.fresh().any(|(page, seen)| {
            let mut placed = self.layout.place(*page, &seen.shown);
            placed.any(|(range, word)| !map.agrees(&range, word))
        });
        let stretches = map.stretches();
        let returns = (0..stretches.len()).any(|at| {
            let earlier = &stretches[..at];
            earlier.iter().any(|other| other.word == stretches[at].word)
        });
        disagree || returns
    }
}

fn failed(id: PageId, error: PortalError) -> ReadError {
    ReadError::Portal {
        page: id.request(),
        error,
    }
}
