//! `kb-exporter run`: collect on schedule and serve.

use std::net::Ipv4Addr;
use std::process::ExitCode;

use anyhow::Context;

use crate::app::App;
use crate::cli::failure::Failure;
use crate::cli::{ConfigArgs, WebArgs, settings};
use crate::shutdown;

/// Runs until a signal.
pub(super) fn run(config: &ConfigArgs, web: &WebArgs) -> Result<ExitCode, Failure> {
    let source = settings::source(config);
    let web = settings::web(web, Ipv4Addr::UNSPECIFIED)?;
    settings::runtime()?.block_on(async {
        let stop = shutdown::on_signals().context("signals cannot be received")?;
        App::bind(source, &web).await?.run(stop).await?;
        Ok(ExitCode::SUCCESS)
    })
}
