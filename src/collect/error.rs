//! Why a folder could not be read.

use thiserror::Error;

use crate::collect::layout::is_deep;
use crate::model::FolderId;
use crate::portal::{FileRow, PAGE_SIZE, Page, PageBody, PageRequest, PortalError};

/// Fetches a page of a folder.
pub trait FetchPage: Fn(PageRequest) -> Self::Answer {
    /// The page with its body, when it is there.
    type Answer: Future<Output = Result<(PageRequest, PageBody), ReadError>>;
}

impl<F, A> FetchPage for F
where
    F: Fn(PageRequest) -> A,
    A: Future<Output = Result<(PageRequest, PageBody), ReadError>>,
{
    type Answer = A;
}

/// Why a folder was not read to the end.
#[derive(Debug, Clone, Error)]
pub enum ReadError {
    /// A page could not be read.
    #[error("{page}: {error}")]
    Portal {
        page: PageRequest,
        #[source]
        error: PortalError,
    },
    /// The page has no rows, though the total says that there are more.
    #[error(
        "{page} is empty, although the portal reports {total} files in the folder: a list that ends early is not counted"
    )]
    Empty { page: PageRequest, total: u64 },
    #[error("the exporter requested {asked}, and the portal answered with page {came}")]
    OtherPage { asked: PageRequest, came: u64 },
    /// The folder is larger than the configuration allows.
    #[error("the folder has {pages} pages, more than max_pages_per_folder ({limit})")]
    TooManyPages { pages: u64, limit: u64 },
    #[error("the portal reports {total} files in the folder, which is not plausible")]
    ImplausibleTotal { total: u64 },
    /// Pages on which a status occurs again after another one.
    #[error("the pages that were asked for by status are not sorted by it")]
    Unsorted { pages: Vec<PageRequest> },
    /// The boundaries between statuses moved faster than they could be found.
    #[error("the files changed too fast to find the boundaries between statuses")]
    Moving,
    #[error("an internal error ended the read; the log has the details")]
    Panicked,
}

impl ReadError {
    /// The error of a page that could not be read.
    pub fn at(page: PageRequest) -> impl Fn(PortalError) -> Self {
        move |error| Self::Portal { page, error }
    }

    /// The same for people, where the portal refused the folder and not the list of folders.
    pub fn of_folder(&self, folder: FolderId) -> String {
        match self {
            Self::Portal { page, error } if error.status() == Some(401) => format!(
                "status 401 for {page} of {{base_url}}/api/admin/library-folders/{folder}/files, although the portal accepts the key for the list of folders"
            ),
            _ => self.to_string(),
        }
    }

    /// What the portal answered in place of a page.
    fn answer(&self) -> Option<(u64, &PortalError)> {
        match self {
            Self::Portal { page, error } => Some((page.page, error)),
            _ => None,
        }
    }

    pub fn is_refusal(&self) -> bool {
        self.answer().is_some_and(|(_, error)| error.is_refusal())
    }

    /// Whether the folder is gone. A portal may answer 404 for a page behind the last one as well.
    pub fn is_gone(&self) -> bool {
        let answer = self.answer();
        answer.is_some_and(|(page, error)| page == 1 && error.status() == Some(404))
    }

    /// Whether a page was refused that a search engine may refuse because of its number.
    pub fn is_of_deep_page(&self) -> bool {
        self.answer().is_some_and(|(page, error)| {
            let status = error.status();
            status.is_some_and(|status| !matches!(status, 401 | 403 | 429))
                && is_deep(page, PAGE_SIZE)
        })
    }
}

/// Passes each row of an answer to `each`; the answer must be the page that was asked for.
pub fn read_rows<'a>(
    asked: PageRequest,
    body: &'a PageBody,
    each: impl FnMut(FileRow<'a>),
) -> Result<Page, ReadError> {
    let page = body.read(each).map_err(ReadError::at(asked))?;
    match page.page {
        Some(came) if came != asked.page => Err(ReadError::OtherPage { asked, came }),
        _ => Ok(page),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::portal::Sort;

    #[test]
    fn a_folder_is_gone_when_its_first_page_is() {
        for (number, status, is_gone) in [(1, 404, true), (2, 404, false), (1, 500, false)] {
            let page = Sort::Status.page(number);
            let error = ReadError::at(page)(PortalError::from_status(status, None, b""));
            assert_eq!(error.is_gone(), is_gone, "{error}");
        }
    }
}
