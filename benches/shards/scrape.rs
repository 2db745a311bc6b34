//! Reads the metrics of a process.

use std::io::{BufRead, BufReader};

use anyhow::{Context, Result};
use flate2::bufread::GzDecoder;
use reqwest::header::ACCEPT_ENCODING;

/// Asks for the metrics in a form, and returns the body as it comes.
pub async fn scrape(address: &str, form: &str) -> Result<Vec<u8>> {
    kb_exporter::tls::install_provider();
    let client = reqwest::Client::builder().no_proxy().no_gzip().build()?;
    let request = client.get(address).header(ACCEPT_ENCODING, form);
    let response = request.send().await.context("no answer to a scrape")?;
    Ok(response.error_for_status()?.bytes().await?.into())
}

/// The folders that have one failed file, by the gzip form of the metrics.
pub fn folders_with_a_failure(body: &[u8]) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for line in BufReader::new(GzDecoder::new(body)).lines() {
        let line = line?;
        let labels = line.strip_prefix("kb_folder_files{");
        let failed = labels.filter(|labels| labels.ends_with("status=\"failed\"} 1"));
        let id = failed.and_then(|labels| labels.split_once("folder_id=\""));
        found.extend(id.and_then(|(_, id)| Some(id.split_once('"')?.0.to_owned())));
    }
    Ok(found)
}
