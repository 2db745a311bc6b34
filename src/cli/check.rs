//! `kb-exporter check`: tests the key and every folder, and counts nothing.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::Args;

use crate::cli::output::OutputArgs;
use crate::cli::scan::tables;
use crate::cli::settings::ConfigArgs;
use crate::cli::view::{self, Form};
use crate::cli::visit::visit;
use crate::cli::{exit, output, settings};
use crate::collect::error::{ReadError, read_rows};
use crate::config::Config;
use crate::health::Health;
use crate::portal::{Lane, ListedFolder, PageRequest, Session};

/// Retries of a request: a person waits for the answer.
const RETRIES: u32 = 1;

/// What is tested, and how it is printed.
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    pub config: ConfigArgs,
    #[command(flatten)]
    output: OutputArgs<Form>,
}

/// Tests every portal and its folders, and prints the results.
pub(super) fn run(args: &CheckArgs) -> Result<ExitCode> {
    let config = settings::config(&args.config)?;
    let health = settings::runtime()?.block_on(check(config));
    output::print(&view::text_of(&tables::lists(&health), args.output.form())?)?;
    Ok(exit::code(health.is_complete()))
}

async fn check(mut config: Config) -> Health {
    config.request.retries = config.request.retries.min(RETRIES);
    visit(&config, async |session, _, folder| {
        total(session, folder).await.map(Some)
    })
    .await
}

/// The number of files in a folder, by its first page.
async fn total(session: &Session, folder: &ListedFolder) -> Result<u64, ReadError> {
    let (lane, page) = (Lane::default(), PageRequest::FIRST);
    let body = session.page(folder.id, page, &lane, Duration::MAX).await;
    let body = body.map_err(ReadError::at(page))?;
    Ok(read_rows(page, &body, drop)?.total)
}
