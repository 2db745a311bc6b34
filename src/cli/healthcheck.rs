//! `kb-exporter healthcheck`: asks the running process whether it is live, for the health checks of containers.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use reqwest::{Client, Identity, Response, StatusCode, redirect};

use crate::cli::web::ServerArgs;
use crate::cli::{exit, output, settings};
use crate::config::HiddenPath;
use crate::http::route::Route;

/// How long the answer may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// How to reach the running process.
#[derive(Debug, Args)]
pub(super) struct HealthcheckArgs {
    #[command(flatten)]
    server: ServerArgs,
    /// Present this client certificate, if the web configuration requires one.
    #[arg(
        long = "healthcheck.cert-file",
        value_name = "FILE",
        requires = "key_file"
    )]
    cert_file: Option<PathBuf>,
    /// Use this private key of the client certificate.
    #[arg(
        long = "healthcheck.key-file",
        value_name = "FILE",
        requires = "cert_file"
    )]
    key_file: Option<PathBuf>,
}

/// Prints one line, and exits with 0 when the process is live.
pub(super) fn run(args: &HealthcheckArgs) -> Result<ExitCode> {
    let answer = settings::runtime()?.block_on(ask(args));
    match &answer {
        Ok(()) => output::print("live\n")?,
        Err(error) => output::print(&format!("not live: {error:#}\n"))?,
    }
    Ok(exit::code(answer.is_ok()))
}

async fn ask(args: &HealthcheckArgs) -> Result<()> {
    let address = args.server.addresses(Ipv4Addr::LOCALHOST);
    let address = reachable(*address.first().context("no address is configured")?)?;
    crate::tls::install_provider();
    // It sends nothing secret, and asks this machine: any certificate will do.
    let mut client = Client::builder()
        .timeout(TIMEOUT)
        .no_proxy()
        .redirect(redirect::Policy::none())
        .tls_danger_accept_invalid_certs(true);
    if let Some((certificate, key)) = args.cert_file.as_ref().zip(args.key_file.as_ref()) {
        let certificate = HiddenPath::file("--healthcheck.cert-file", certificate);
        let key = HiddenPath::file("--healthcheck.key-file", key);
        let pem = [certificate.read()?, key.read()?].join(&b'\n');
        client = client.identity(Identity::from_pem(&pem)?);
    }
    let client = client.build()?;
    // With a configuration file it may serve either way, whatever the file says by now.
    let schemes = ["https", "http"]
        .into_iter()
        .skip(args.server.config.is_none().into());
    let mut asked = Err(anyhow!("there is nothing to ask"));
    for scheme in schemes {
        let url = format!("{scheme}://{address}{}", Route::Live.as_str());
        let response = client.get(&url).send().await;
        let response = response.map_err(reqwest::Error::without_url);
        match response.with_context(|| format!("{url} does not answer")) {
            Ok(response) => return is_live(&url, response).await,
            Err(error) => asked = Err(error),
        }
    }
    asked
}

async fn is_live(url: &str, response: Response) -> Result<()> {
    match response.status() {
        StatusCode::OK => Ok(()),
        StatusCode::UNAUTHORIZED => {
            bail!("{url} asks for a password: start kb-exporter with --web.open-probes")
        }
        code => {
            let reason = response.text().await.unwrap_or_default();
            bail!("{url} answers {code}: {}", reason.trim())
        }
    }
}

/// The address at which a process on this machine is reached that listens on `address`.
fn reachable(mut address: SocketAddr) -> Result<SocketAddr> {
    if address.port() == 0 {
        bail!("--web.listen-address has port 0, so the port is not known");
    }
    if address.ip().is_unspecified() {
        address.set_ip(Ipv4Addr::LOCALHOST.into());
    }
    Ok(address)
}
