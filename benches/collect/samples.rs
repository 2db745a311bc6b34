//! Samples of an exposition.

use anyhow::Result;

use crate::exporter::Exporter;

/// An exposition.
pub struct Samples(pub String);

impl Samples {
    /// What `/metrics` of an exporter says now.
    pub async fn of_exporter(exporter: &Exporter) -> Result<Self> {
        kb_exporter::tls::install_provider();
        let http = reqwest::Client::builder().no_proxy().build()?;
        let response = http.get(&exporter.metrics).send().await?;
        Ok(Self(response.error_for_status()?.text().await?))
    }

    /// The labels and values of the samples of a name whose labels hold a text; values that are no whole numbers are left out.
    pub fn of<'a>(
        &'a self,
        name: &'a str,
        holding: &'a str,
    ) -> impl Iterator<Item = (&'a str, u64)> {
        self.0.lines().filter_map(move |line| {
            let rest = line.strip_prefix(name)?.strip_prefix('{')?;
            let (labels, value) = rest.rsplit_once("} ")?;
            let value = value.parse().ok()?;
            labels.contains(holding).then_some((labels, value))
        })
    }
}
