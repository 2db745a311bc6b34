//! A client that reads the pages of a folder and does nothing with them: the least that any client with this HTTP library costs.

use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use futures_util::future::try_join_all;
use uuid::Uuid;

use crate::portal::KEY;

/// Rows of a page, at most.
const PAGE_ROWS: u64 = 100;

/// Reads the first page, then the others with so many requests in flight.
pub async fn read_pages(url: &str, folder: Uuid, pages: u64, in_flight: u32) -> Result<()> {
    kb_exporter::tls::install_provider();
    let http = reqwest::Client::builder().no_proxy().build()?;
    let read = async |page: u64| {
        let url = format!(
            "{url}/api/admin/library-folders/{folder}/files?page={page}&pageSize={PAGE_ROWS}"
        );
        let response = http.get(url).bearer_auth(KEY).send().await?;
        response.error_for_status()?.bytes().await
    };
    read(1).await?;
    let next = AtomicU64::new(2);
    let reader = async || {
        loop {
            let page = next.fetch_add(1, Ordering::Relaxed);
            if page > pages {
                return anyhow::Ok(());
            }
            read(page).await?;
        }
    };
    try_join_all((0..in_flight).map(|_| reader())).await?;
    Ok(())
}
