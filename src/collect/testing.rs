//! A folder without a portal, for tests: it answers pages, and can change between any two requests.

use proptest::prelude::*;
use serde::Serialize;
use uuid::Uuid;

use crate::model::Status;
use crate::portal::{PageBody, PageRequest, Sort};

/// A folder whose files are numbered; it can change at each request.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    pub files: Vec<(u64, Status)>,
    pub page_size: usize,
    pub requests: u64,
    /// The statuses in ascending order.
    pub order: Vec<Status>,
    /// How the portal's order differs from sorting by status.
    pub quirk: Quirk,
    /// A file that shows another status than the one by which it was sorted.
    pub shows_instead: Option<(u64, Status)>,
}

/// How a portal may sort otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quirk {
    None,
    /// Equal ones come in another order at each request.
    Shifting,
    IgnoresSortBy,
    /// Every page has a total that is too large by this number.
    TotalTooLarge(usize),
    /// The total is too small by this number.
    TotalTooSmall(usize),
}

impl Folder {
    pub fn of(files: usize, page_size: usize) -> Self {
        Self::with((0..files).map(|number| Status::ALL[number % 5]), page_size)
    }

    /// A folder of these files, in the order of their names.
    pub fn with(statuses: impl IntoIterator<Item = Status>, page_size: usize) -> Self {
        Self {
            files: (0..).zip(statuses).collect(),
            page_size,
            requests: 0,
            order: Status::ALL.to_vec(),
            quirk: Quirk::None,
            shows_instead: None,
        }
    }

    pub fn page(&mut self, request: PageRequest) -> PageBody {
        self.requests += 1;
        let first = (usize::try_from(request.page).unwrap() - 1) * self.page_size;
        let last = self.files.len().saturating_sub(first);
        let place = if request.is_descending() {
            last.saturating_sub(self.page_size)..last
        } else {
            first..first + self.page_size
        };
        let rows = self.listed(request.sort).skip(place.start);
        let mut listed: Vec<_> = rows.take(place.len()).collect();
        if request.is_descending() {
            listed.reverse();
        }
        let rows = listed.into_iter().map(|(id, status)| {
            let instead = self.shows_instead.filter(|(instead, _)| *instead == id);
            let status = instead.map_or(status, |(_, status)| status).as_str();
            Row {
                id: Uuid::from_u128(id.into()),
                filename: format!("{id:09}"),
                index_status: status,
                index_error: format!("reason {status}"),
                file_size: 2,
            }
        });
        let rows: Vec<_> = rows.collect();
        let total = match self.quirk {
            Quirk::TotalTooLarge(more) => self.files.len().saturating_add(more),
            Quirk::TotalTooSmall(less) => self.files.len().saturating_sub(less),
            _ => self.files.len(),
        };
        body(&rows, request.page, total)
    }

    /// The files as the portal lists them.
    pub fn listed(&self, sort: Sort) -> impl Iterator<Item = (u64, Status)> {
        let by_name = sort == Sort::Filename || self.quirk == Quirk::IgnoresSortBy;
        let step = match self.quirk {
            Quirk::Shifting if !by_name => usize::try_from(self.requests * 7).unwrap(),
            _ => 0,
        };
        let (end, start) = self.files.split_at(step % self.files.len().max(1));
        let files = start.iter().chain(end).copied();
        // Faster than sorting at each request.
        let of = move |wanted: Option<Status>| {
            let is_wanted =
                move |(_, status): &(u64, Status)| wanted.is_none_or(|it| it == *status);
            files.clone().filter(is_wanted)
        };
        let statuses = self.order.iter().copied().map(Some);
        let statuses = statuses.filter(move |_| !by_name);
        statuses.chain(by_name.then_some(None)).flat_map(of)
    }

    pub fn count(&self, status: Status) -> u64 {
        self.files.iter().filter(|file| file.1 == status).count() as u64
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    id: Uuid,
    filename: String,
    index_status: &'static str,
    index_error: String,
    file_size: u64,
}

pub(super) fn body(rows: &[impl Serialize], page: u64, total: usize) -> PageBody {
    let rows = serde_json::to_string(rows).unwrap();
    let body = format!(r#"{{"data":{rows},"pagination":{{"page":{page},"total":{total}}}}}"#);
    PageBody::new(body.into_bytes())
}

/// One change of a folder between two requests.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    Add(usize, Status),
    Remove(usize),
    Move(usize, Status),
    /// Another file in the place of one: as many files as before.
    Replace(usize, Status),
}

impl Change {
    pub fn make(self, folder: &mut Folder) {
        let files = &mut folder.files;
        match self {
            Self::Add(at, status) => {
                let at = at % (files.len() + 1);
                files.insert(at, (9_000_000 + folder.requests, status));
            }
            Self::Remove(at) if !files.is_empty() => {
                let at = at % files.len();
                files.remove(at);
            }
            Self::Move(at, status) if !files.is_empty() => {
                let at = at % files.len();
                files[at].1 = status;
            }
            Self::Replace(at, status) if !files.is_empty() => {
                let at = at % files.len();
                files[at] = (9_000_000 + folder.requests, status);
            }
            Self::Remove(_) | Self::Move(..) | Self::Replace(..) => {}
        }
    }
}

pub(super) fn change() -> impl Strategy<Value = Change> {
    let status = || (0_usize..5).prop_map(|status| Status::ALL[status]);
    prop_oneof![
        (any::<usize>(), status()).prop_map(|(at, status)| Change::Add(at, status)),
        any::<usize>().prop_map(Change::Remove),
        (any::<usize>(), status()).prop_map(|(at, status)| Change::Move(at, status)),
        (any::<usize>(), status()).prop_map(|(at, status)| Change::Replace(at, status)),
    ]
}

/// Every change that can be made to a folder of this number of files.
pub(super) fn all_changes(files: usize) -> Vec<Change> {
    let anywhere = |change: fn(usize, Status) -> Change, places: usize| {
        (0..places).flat_map(move |at| Status::ALL.map(|status| change(at, status)))
    };
    anywhere(Change::Add, files + 1)
        .chain(anywhere(Change::Move, files))
        .chain(anywhere(Change::Replace, files))
        .chain((0..files).map(Change::Remove))
        .collect()
}

pub(super) fn counts(folder: &Folder) -> Vec<u64> {
    Status::ALL.map(|status| folder.count(status)).into()
}
