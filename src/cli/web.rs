//! What is served, and where.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use crate::app::Web;
use crate::cli::address::{self, ListenAddress};
use crate::config::ConfigError;
use crate::http::route::Route;
use crate::http::web_config::WebConfigFile;

/// The port of this exporter.
const PORT: u16 = 15_732;

/// What is served.
#[derive(Debug, Args)]
pub(super) struct WebArgs {
    #[command(flatten)]
    pub server: ServerArgs,
    #[command(flatten)]
    site: SiteArgs,
    /// Serve the metrics at this path.
    #[arg(long = "web.telemetry-path", value_name = "PATH", default_value = "/metrics", value_parser = telemetry_path)]
    telemetry_path: String,
    /// Answer `/livez`, `/healthz` and `/readyz` without a password or a rate limit.
    #[arg(long = "web.open-probes")]
    open_probes: bool,
    /// Allow `POST /-/reload`.
    #[arg(long = "web.enable-lifecycle")]
    lifecycle: bool,
}

/// Where the process listens, and how clients are admitted.
#[derive(Debug, Args)]
pub(super) struct ServerArgs {
    /// Listen on this address. Repeatable. [default: 0.0.0.0:15732; demo: 127.0.0.1:15732]
    #[arg(long = "web.listen-address", value_name = "ADDR")]
    addresses: Vec<ListenAddress>,
    /// Read TLS and authentication settings from this file, in the format of the Prometheus exporter-toolkit.
    #[arg(long = "web.config.file", value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// Where people reach the process.
#[derive(Debug, Args)]
pub(super) struct SiteArgs {
    /// Link to this URL, at which people reach this exporter, also through a proxy. Alerts lead to its runbook.
    #[arg(long = "web.external-url", value_name = "URL", value_parser = address::site)]
    pub external_url: Option<String>,
}

impl ServerArgs {
    /// Where to listen: as the arguments say, or else on all addresses, or on loopback alone.
    pub fn addresses(&self, default_host: Ipv4Addr) -> Vec<SocketAddr> {
        if self.addresses.is_empty() {
            return vec![SocketAddr::from((default_host, PORT))];
        }
        self.addresses.iter().map(|address| address.0).collect()
    }

    /// Reads the file of TLS and authentication, if there is one.
    pub fn config(&self) -> Result<Option<WebConfigFile>, ConfigError> {
        self.config.as_deref().map(WebConfigFile::open).transpose()
    }
}

impl WebArgs {
    pub fn settings(&self, default_host: Ipv4Addr) -> Result<Web, ConfigError> {
        Ok(Web {
            addresses: self.server.addresses(default_host),
            telemetry_path: self.telemetry_path.clone(),
            external_url: self.site.external_url.clone(),
            lifecycle: self.lifecycle,
            config: self.server.config()?.map(Arc::new),
            open_probes: self.open_probes,
        })
    }
}

/// Checks the path of the metrics.
fn telemetry_path(text: &str) -> Result<String, String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    if !text.starts_with('/') || !text.bytes().all(plain) {
        return Err("expected a path such as /metrics".to_owned());
    }
    if Route::of(text).is_some() {
        return Err("the exporter uses this path for something else".to_owned());
    }
    Ok(text.to_owned())
}
