//! Scans of all pages of a folder: of few pages, or of many with a time limit that depends on their number.

use std::time::Duration;

use tokio::time::timeout;

use super::ReadTask;
use crate::collect::error::ReadError;
use crate::collect::full_scan::scan_pages;
use crate::config::Rate;
use crate::count::FolderCount;
use crate::portal::{PAGE_SIZE, PageBody, PageRequest};

/// The time limit of a large scan, as a multiple of the time that its pages need at the rate of this process.
const SCAN_SLACK: u32 = 2;

/// The rate that is assumed if none is configured.
const UNLIMITED_RATE: f64 = 10.0;

/// Maximum number of repetitions of a scan of few pages that is not consistent.
const MAX_REPETITIONS: u32 = 2;

impl ReadTask {
    /// Scans a folder of many pages; `requests` were made before.
    pub(super) async fn scan_many(&self, requests: u64) -> Result<FolderCount, ReadError> {
        let limit = self.settings.collect.timeout;
        let first = timeout(limit, self.first_page()).await;
        let first = first.unwrap_or(Err(ReadError::Deadline(limit)))?;
        let pages = total(&first)?.div_ceil(PAGE_SIZE);
        let pages = pages.max(self.expected.pages());
        self.status.begin_large_scan(pages);
        let limit = self.time_for(pages);
        let mut count = timeout(limit, self.scan(&first))
            .await
            .unwrap_or(Err(ReadError::ScanDeadline { pages, limit }))?;
        count.requests += requests;
        Ok(count)
    }

    /// The time limit of a scan of this many pages.
    fn time_for(&self, pages: u64) -> Duration {
        let rate = match self.session.rate() {
            Rate::PerSecond(rate) => rate,
            Rate::Unlimited => UNLIMITED_RATE,
        };
        let pages = u32::try_from(pages).unwrap_or(u32::MAX);
        let at_rate = Duration::try_from_secs_f64(f64::from(pages) / rate);
        let at_rate = at_rate.unwrap_or(Duration::MAX);
        self.settings
            .collect
            .timeout
            .saturating_add(at_rate.saturating_mul(SCAN_SLACK))
    }

    /// Scans a folder of few pages, and again if it changed meanwhile. The last scan that reached the end is the result;
    /// `requests` were made before.
    pub(super) async fn scan_few(
        &self,
        first: PageBody,
        requests: u64,
    ) -> Result<FolderCount, ReadError> {
        let mut count = self.scan(&first).await?;
        count.requests += requests;
        for _ in 0..MAX_REPETITIONS {
            if count.consistent {
                break;
            }
            let mut again = match self.scan_again().await {
                Ok(again) => again,
                Err(error) if error.is_refusal() => return Err(error),
                Err(_) => break,
            };
            // Rows that are missing twice do not exist.
            let is_same = again.files == count.files;
            again.requests += count.requests;
            count = again;
            if is_same {
                break;
            }
        }
        Ok(count)
    }

    async fn scan_again(&self) -> Result<FolderCount, ReadError> {
        let first = self.first_page().await?;
        self.scan(&first).await
    }

    /// Scans a folder whose first page was read.
    async fn scan(&self, first: &PageBody) -> Result<FolderCount, ReadError> {
        let files = self.session.files(self.folder, &self.lane);
        let fetch = |page| files.page(page);
        let context = self.context.clone();
        scan_pages(
            first,
            fetch,
            &self.settings.collect,
            context,
            self.expected.rows_beyond.then(|| self.expected.pages()),
            &self.progress,
        )
        .await
    }

    pub(super) async fn first_page(&self) -> Result<PageBody, ReadError> {
        let files = self.session.files(self.folder, &self.lane);
        let first = files.page(FIRST).await;
        first.map_err(ReadError::at(FIRST))
    }
}

/// The total that a first page gives.
pub(super) fn total(page: &PageBody) -> Result<u64, ReadError> {
    let read = page.read(|_| {}).map_err(ReadError::at(FIRST))?;
    Ok(read.pagination.total.0)
}

const FIRST: PageRequest = PageRequest::by_name(1);
