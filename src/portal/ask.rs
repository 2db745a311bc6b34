//! All requests that can be sent to a portal (docs/portal.md, What it never sends).

use std::cmp::Ordering;
use std::fmt;

use url::Url;

use crate::model::FolderId;
use crate::portal::observe::Endpoint;

/// Rows asked for on a page: the most that the portal allows (docs/portal.md, File list). A portal may give fewer.
pub const PAGE_SIZE: u64 = 100;

/// What the files of a folder are sorted by (docs/portal.md, File list).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// By file name, ascending.
    Filename,
    /// By `indexStatus`, ascending: the order of the statuses is not documented.
    Status,
    /// The same list, from its end.
    StatusDescending,
}

/// One page of a folder's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    pub sort: Sort,
    pub page: u64,
}

impl PageRequest {
    /// The first page of the list sorted by file name.
    pub const FIRST: Self = Sort::Filename.page(1);

    pub fn is_descending(self) -> bool {
        self.sort == Sort::StatusDescending
    }

    fn query(self) -> String {
        let page = self.page;
        let (sort, order) = match self.sort {
            Sort::Filename => ("filename", "asc"),
            Sort::Status => ("indexStatus", "asc"),
            Sort::StatusDescending => ("indexStatus", "desc"),
        };
        format!("page={page}&pageSize={PAGE_SIZE}&sortBy={sort}&sortOrder={order}")
    }
}

impl Sort {
    pub const fn page(self, page: u64) -> PageRequest {
        PageRequest { sort: self, page }
    }
}

/// Pages of one list are in the order of their rows.
impl Ord for PageRequest {
    fn cmp(&self, other: &Self) -> Ordering {
        let pages = match self.sort {
            Sort::Filename | Sort::Status => self.page.cmp(&other.page),
            Sort::StatusDescending => other.page.cmp(&self.page),
        };
        self.sort.cmp(&other.sort).then(pages)
    }
}

impl PartialOrd for PageRequest {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for PageRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = match self.sort {
            Sort::Filename => "",
            Sort::Status => " by status",
            Sort::StatusDescending => " by status, from the end,",
        };
        write!(f, "page {}{list}", self.page)
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Ask<'a> {
    /// The list of the key's folders.
    Mine,
    Folder(FolderId),
    /// A page of a folder's files.
    Files(FolderId, PageRequest),
    /// The first page of a folder's files whose name or description holds a text.
    Search(FolderId, &'a str),
    ReindexFailed(FolderId),
}

impl Ask<'_> {
    pub fn endpoint(self) -> Endpoint {
        match self {
            Self::Mine => Endpoint::Mine,
            Self::Folder(_) => Endpoint::Folder,
            Self::Files(..) | Self::Search(..) => Endpoint::Files,
            Self::ReindexFailed(_) => Endpoint::ReindexFailed,
        }
    }

    /// The address below that of a portal; a path of the portal's address stays in front.
    pub fn address(self, base: &Url) -> Url {
        let mut address = base.clone();
        let (folder, last) = match self {
            Self::Mine => (None, Some("mine")),
            Self::Folder(id) => (Some(id), None),
            Self::Files(id, _) | Self::Search(id, _) => (Some(id), Some("files")),
            Self::ReindexFailed(id) => (Some(id), Some("reindex-failed")),
        };
        if let Ok(mut path) = address.path_segments_mut() {
            path.pop_if_empty()
                .extend(["api", "admin", "library-folders"])
                .extend(folder.map(|id| id.to_string()))
                .extend(last);
        }
        match self {
            Self::Files(_, page) => address.set_query(Some(&page.query())),
            Self::Search(_, text) => {
                address.set_query(Some(&PageRequest::FIRST.query()));
                address.query_pairs_mut().append_pair("search", text);
            }
            Self::Mine | Self::Folder(_) | Self::ReindexFailed(_) => {}
        }
        address
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_request_has_its_address_below_the_base() {
        let id = FolderId::parse("018f2c5e-7b1a-7c3d-9e4f-a1b2c3d4e5f6").unwrap();
        let folder = format!("/{id}");
        let page = "?page=2&pageSize=100&sortBy=indexStatus&sortOrder=asc";
        let found = "?page=1&pageSize=100&sortBy=filename&sortOrder=asc&search=a+%26";
        for (ask, expected) in [
            (Ask::Mine, "/mine".to_owned()),
            (Ask::Folder(id), folder.clone()),
            (
                Ask::Files(id, Sort::Status.page(2)),
                format!("{folder}/files{page}"),
            ),
            (Ask::Search(id, "a &"), format!("{folder}/files{found}")),
            (Ask::ReindexFailed(id), format!("{folder}/reindex-failed")),
        ] {
            for base in ["https://portal.example/x", "https://portal.example/x/"] {
                let address = ask.address(&base.parse().unwrap());
                let below = "https://portal.example/x/api/admin/library-folders";
                assert_eq!(address.as_str(), format!("{below}{expected}"));
            }
        }
    }
}
