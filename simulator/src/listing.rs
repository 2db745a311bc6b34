//! Lists: the folders of a key, and the files of a folder page by page.

use std::borrow::Cow;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Serialize, Serializer};
use uuid::Uuid;

use super::folder::Folder;
use super::options::{DeletedFolders, Equals, SortOrder, SortParameters, Switches};
use super::refusal::Refusal;
use super::status::Status;
use super::world::World;
use computed::Computed;
use held::Held;
use order::Pages;

mod computed;
mod held;
mod order;

/// What the file list is sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SortBy {
    Filename,
    IndexStatus,
    Creation,
    FilenameWithoutCase,
}

/// A page asked for; both numbers are at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageNumber {
    pub page: usize,
    pub size: usize,
}

/// A request for a page of the file list.
#[derive(Debug)]
pub(super) struct FileQuery<'a> {
    pub page: PageNumber,
    /// Part of the name of the files that are listed.
    pub search: Cow<'a, str>,
    pub sort_by: SortBy,
    pub sort_order: Option<SortOrder>,
}

/// One row of the file list, as it is sent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Row<'a> {
    pub link_id: Uuid,
    pub id: Uuid,
    pub filename: Cow<'a, str>,
    pub file_size: u64,
    pub mime_type: &'static str,
    pub index_status: &'a Status,
    pub index_error: Option<Cow<'a, str>>,
    #[serde(serialize_with = "timestamp")]
    pub created_at: DateTime<Utc>,
}

/// One page of files, as it is sent.
#[derive(Serialize)]
pub(super) struct FilePage<'a> {
    pub data: Vec<Row<'a>>,
    pub pagination: Pagination,
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Pagination {
    pub page: usize,
    pub page_size: usize,
    pub total: usize,
    pub total_pages: usize,
}

impl World {
    /// The folders of a key, in the order in which they were granted.
    pub(super) fn own_folders(&self, key: &str) -> impl Iterator<Item = &Folder> {
        let unlisted = self.options.switches.deleted_folders == DeletedFolders::Unlisted;
        let granted = self.access.keys.get(key).map(|key| key.folders.iter());
        granted
            .into_iter()
            .flatten()
            .filter_map(|id| self.folder_ids.get(id))
            .map(|&index| &self.folders[index])
            .filter(move |folder| !(unlisted && folder.deleted_with.is_some()))
    }

    pub(super) fn folder(&self, folder: Uuid) -> Result<&Folder, Refusal> {
        Ok(&self.folders[self.folder_index(folder)?])
    }

    /// A page of a folder's files.
    pub(super) fn list(
        &mut self,
        folder: Uuid,
        query: &FileQuery,
    ) -> Result<FilePage<'_>, Refusal> {
        let index = self.folder_index(folder)?;
        self.listings += 1;
        let switches = &self.options.switches;
        let (by, order) = sort(switches, query);
        let page = PageNumber {
            page: query.page.page,
            size: query.page.size.min(switches.max_page_size).max(1),
        };
        Ok(self.page(
            &self.folders[index],
            by,
            &query.search,
            &self.pages(page, order),
        ))
    }

    fn pages(&self, page: PageNumber, order: SortOrder) -> Pages<'_> {
        let switches = &self.options.switches;
        let shifting = switches.equals == Equals::Shifting;
        Pages {
            switches,
            page,
            order,
            rotation: shifting.then_some(self.options.seed ^ self.listings),
        }
    }

    fn page<'a>(
        &'a self,
        folder: &'a Folder,
        by: SortBy,
        search: &str,
        pages: &Pages,
    ) -> FilePage<'a> {
        match folder.synthetic() {
            Some(files) if search.is_empty() => {
                pages.page(&Computed::new(files, by, &self.options.switches))
            }
            // A folder whose files are computed holds none, and a search in it finds none.
            _ => pages.page(&Held::new(self, folder, by).with(search)),
        }
    }
}

/// What a portal sorts by when this is asked for.
fn sort(switches: &Switches, query: &FileQuery) -> (SortBy, SortOrder) {
    let (by, order) = match switches.sort_parameters {
        SortParameters::Obeyed => (query.sort_by, query.sort_order),
        SortParameters::OrderIgnored => (query.sort_by, None),
        SortParameters::ByIgnored => (SortBy::Filename, query.sort_order),
        SortParameters::Ignored => (SortBy::Filename, None),
        SortParameters::ByCreation => (SortBy::Creation, None),
        SortParameters::CaseIgnored => (SortBy::FilenameWithoutCase, None),
    };
    (by, order.unwrap_or(switches.default_order))
}

/// Writes a time as the portal does: ISO 8601, UTC, with milliseconds.
pub(super) fn timestamp<S: Serializer>(
    time: &DateTime<Utc>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&time.to_rfc3339_opts(SecondsFormat::Millis, true))
}
