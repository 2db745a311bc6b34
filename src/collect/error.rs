//! Why a folder could not be read.

use thiserror::Error;

use crate::portal::{PageRequest, PortalError};

/// Why a folder was not read to the end.
#[derive(Debug, Clone, Error)]
pub enum ReadError {
    /// A page could not be had.
    #[error("{page}: {error}")]
    Portal {
        /// The page.
        page: PageRequest,
        /// Why.
        #[source]
        error: PortalError,
    },
    /// The portal says that there are more files, but gives none.
    #[error("{page} is empty, though the portal says that the folder has {total} files")]
    Empty {
        /// The page.
        page: PageRequest,
        /// The total of that page.
        total: u64,
    },
    /// The portal answered with another page.
    #[error("{asked} was asked for and the portal answered with page {came}")]
    OtherPage {
        /// The page that was asked for.
        asked: PageRequest,
        /// The page that came.
        came: u64,
    },
    /// The folder is larger than the configuration allows.
    #[error("the folder has {pages} pages, more than max_pages_per_folder ({limit})")]
    TooManyPages {
        /// Pages that the portal's total makes.
        pages: u64,
        /// The limit.
        limit: u64,
    },
    /// A list that was asked for by status is not sorted by it.
    #[error("{page} is not sorted by status: one comes again after another")]
    Unsorted {
        /// The page.
        page: PageRequest,
    },
    /// Both ends of the list show the same files.
    #[error("{page} shows the same files as the other end of the list")]
    Repeated {
        /// The page.
        page: PageRequest,
    },
    /// Pages that showed the same twice cannot belong to one list that is sorted by status.
    #[error("pages by status contradict each other while nothing moves")]
    Contradiction,
    /// The borders between statuses moved faster than they could be found.
    #[error("the files changed so fast that the borders between statuses were not found")]
    Moving,
}

impl ReadError {
    /// Whether the portal refused.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Portal { error, .. } if error.is_refusal())
    }
}
