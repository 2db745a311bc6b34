//! Scans of all pages of a folder: few at once, or many in a time that follows from them.

use std::time::Duration;

use tokio::time::timeout;

use super::{FolderReadError, ReadTask};
use crate::collect::count::Count;
use crate::collect::error::ReadError;
use crate::collect::full_scan::{FullScan, scan_pages};
use crate::config::Rate;
use crate::portal::{PAGE_SIZE, PageBody, PageRequest, Whole};

/// A large scan may take so many times what its pages take at the configured rate.
const SCAN_SLACK: u32 = 2;

/// The rate that is assumed where none is configured.
const UNLIMITED_RATE: f64 = 10.0;

/// A scan of few pages is repeated when it was not consistent: so often, at most.
const MAX_SCANS_AGAIN: u32 = 2;

impl ReadTask {
    /// Scans a folder of many pages, in a time that follows from them.
    pub(super) async fn scan_many(&self, requests: u64) -> Result<Count, FolderReadError> {
        let first = timeout(self.timeout, self.first_page()).await;
        let first = first.unwrap_or(Err(FolderReadError::Deadline(self.timeout)))?;
        let pages = total(&first)?.div_ceil(PAGE_SIZE);
        self.large_scan.begin(pages);
        let limit = self.time_for(pages);
        let mut scanned = timeout(limit, self.scan(&first))
            .await
            .unwrap_or(Err(FolderReadError::ScanDeadline { pages, limit }))?;
        scanned.requests += requests;
        Ok(scanned.into())
    }

    /// The time that a scan of so many pages may take.
    fn time_for(&self, pages: u64) -> Duration {
        let rate = match self.rate {
            Rate::PerSecond(rate) => rate,
            Rate::Unlimited => UNLIMITED_RATE,
        };
        let pages = u32::try_from(pages).unwrap_or(u32::MAX);
        let at_rate = Duration::try_from_secs_f64(f64::from(pages) / rate);
        let at_rate = at_rate.unwrap_or(Duration::MAX);
        self.timeout
            .saturating_add(at_rate.saturating_mul(SCAN_SLACK))
    }

    /// Scans a folder of few pages, and again where it changed meanwhile. The last scan that reached the end is what was read;
    /// `requests` were made before.
    pub(super) async fn scan_few(
        &self,
        first: PageBody,
        requests: u64,
    ) -> Result<Count, FolderReadError> {
        let mut scanned = self.scan(&first).await?;
        scanned.requests += requests;
        for _ in 0..MAX_SCANS_AGAIN {
            if scanned.consistent {
                break;
            }
            let before = scanned.requests;
            match self.scan_again().await {
                // What is missing again is missing for good.
                Ok(again) if again.reading.counts == scanned.reading.counts => {
                    scanned = again;
                    scanned.requests += before;
                    break;
                }
                Ok(again) => scanned = again,
                Err(error) if error.is_refusal() => return Err(error),
                Err(_) => break,
            }
            scanned.requests += before;
        }
        Ok(scanned.into())
    }

    async fn scan_again(&self) -> Result<FullScan, FolderReadError> {
        let first = self.first_page().await?;
        self.scan(&first).await
    }

    /// Scans a folder whose first page was read.
    async fn scan(&self, first: &PageBody) -> Result<FullScan, FolderReadError> {
        let files = self.session.files(self.folder, &self.lane);
        let fetch = |page| files.page(PageRequest::by_name(page));
        let scanned = scan_pages(
            first,
            fetch,
            self.limits,
            self.known.clone(),
            &self.progress,
        );
        Ok(scanned.await?)
    }

    pub(super) async fn first_page(&self) -> Result<PageBody, FolderReadError> {
        let files = self.session.files(self.folder, &self.lane);
        let page = PageRequest::by_name(1);
        let first = files.page(page).await;
        Ok(first.map_err(|error| ReadError::Portal { page, error })?)
    }
}

/// The total that a page gives.
pub(super) fn total(page: &PageBody) -> Result<u64, ReadError> {
    let read = page.read(|_| {}).map_err(|error| ReadError::Portal {
        page: PageRequest::by_name(1),
        error,
    })?;
    let Whole(total) = read.pagination.total;
    Ok(total)
}
