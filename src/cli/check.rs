//! `kb-exporter check`: tests the key and every folder, and counts nothing.

mod json;
mod report;
#[cfg(test)]
mod tests;

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use futures_util::future::join_all;
use futures_util::stream::{self, StreamExt};

use crate::cli::output::Form;
use crate::cli::{ConfigArgs, exit, once, output, settings, table};
use crate::clock::Moment;
use crate::collect::Settings;
use crate::collect::admission::{Admission, admit};
use crate::config::{Config, Portal};
use crate::history::{Departure, DepartureReason};
use crate::model::Shard;
use crate::portal::{Lane, ListedFolder, PageRequest, PortalError, Session, Throttles, Whole};
use crate::snapshot::{FolderState, FolderView, ListState, PortalView, Unavailable};

use report::{PortalReport, Report};

/// How a check is printed.
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// Output format.
    #[arg(long, value_name = "FORM", default_value = "table")]
    output: Form,
}

/// Tests every portal, and the folders of this shard, and prints the results.
pub(super) fn run(config: &ConfigArgs, shard: Shard, args: &CheckArgs) -> Result<ExitCode> {
    let config = settings::config(config)?;
    let report = once::runtime()?.block_on(check(&config, shard));
    let text = match args.output {
        Form::Table => report.text(table::terminal_width()),
        Form::Json => json::text(&report)?,
    };
    output::print(&text)?;
    Ok(exit::code(report.is_complete()))
}

/// Tests all portals in parallel.
async fn check(config: &Config, shard: Shard) -> Report {
    let throttles = Throttles::new(shard);
    let portals = config.portals.iter().map(async |portal| PortalReport {
        name: portal.name.clone(),
        view: try_portal(config, portal, shard, &throttles).await,
    });
    Report {
        portals: join_all(portals).await,
    }
}

async fn try_portal(
    config: &Config,
    portal: &Portal,
    shard: Shard,
    throttles: &Throttles,
) -> Result<PortalView> {
    let session = once::session(config, portal, throttles).await?;
    let listing = session.folders(config.collect.timeout).await?;
    let settings = Settings::new(portal, config, shard);
    let Admission { folders, facts } = admit(&listing, &settings);
    let folders = stream::iter(folders)
        .map(async |listed| (listed.id, Arc::new(try_folder(&session, listed).await)))
        .buffer_unordered(config.collect.concurrency.get())
        .collect::<Vec<_>>()
        .await;
    Ok(PortalView {
        list: ListState::Read(facts),
        folders: folders.into_iter().collect(),
        ..PortalView::unasked(portal)
    })
}

/// A folder by the answer to the request for its first page.
async fn try_folder(session: &Session, listed: &ListedFolder) -> FolderView {
    let answer = total(session, listed).await;
    let reported_files = answer.as_ref().ok().copied();
    let state = match answer {
        Ok(_) => FolderState::Counted,
        // The portal's list may still have deleted folders (docs/portal.md, Errors), so this is not a failure.
        Err(error) if error.status() == Some(404) => FolderState::Departed(Departure {
            reason: DepartureReason::Gone,
            since: Moment::now().wall,
        }),
        Err(error) => FolderState::Unavailable {
            reason: Unavailable::Error,
            message: error.to_string(),
        },
    };
    FolderView {
        reported_files,
        state,
        ..FolderView::unseen(listed.id, listed.name.clone())
    }
}

/// The number of files in a folder, by its first page.
async fn total(session: &Session, folder: &ListedFolder) -> Result<u64, PortalError> {
    let lane = Lane::default();
    let answer = session
        .files(folder.id, &lane)
        .page(PageRequest::FIRST)
        .await;
    // If the key is refused for one folder, the others are tested nevertheless.
    session.go_on();
    let body = answer?;
    let Whole(total) = body.read(drop)?.pagination.total;
    Ok(total)
}
