//! `kb-exporter check`: tries the key and every folder, and counts nothing.

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
use crate::config::{Config, Portal};
use crate::model::Shard;
use crate::portal::{
    Client, Lane, ListedFolder, Listing, PageRequest, PortalError, Session, Throttles, Unobserved,
    Whole,
};
use crate::snapshot::{ListFacts, ListState, PortalView};

use report::{FolderReport, ListReport, PortalReport, Report};

/// How a check is printed.
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// Form of what is printed.
    #[arg(long, value_name = "FORM", default_value = "table")]
    output: Form,
}

/// Tries everything that the configuration names, of the folders those of this shard, and prints what came of it.
pub(super) fn run(config: &ConfigArgs, shard: Shard, args: &CheckArgs) -> Result<ExitCode> {
    let config = settings::config(config)?;
    let report = once::runtime()?.block_on(check(&config, shard));
    let text = match args.output {
        Form::Table => report.text(table::terminal_width()),
        Form::Json => json::text(&report)?,
    };
    output::print(&text)?;
    Ok(exit::code(report.is_well()))
}

/// Tries all portals, side by side.
async fn check(config: &Config, shard: Shard) -> Report {
    let throttles = Throttles::new(shard);
    let portals = config.portals.iter().map(async |portal| PortalReport {
        name: portal.name.clone(),
        list: try_portal(config, portal, shard, &throttles).await,
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
) -> Result<ListReport> {
    let (collect, request) = (&config.collect, &config.request);
    let client = Client::build(portal, collect, request, Arc::new(Unobserved), throttles)?;
    let session = Session::open(&client).await?;
    let listing = session.folders().await?;
    let (mut folders, facts) = admitted(portal, &listing, config.collect.max_folders);
    folders.retain(|listed| shard.owns(&portal.name, listed.id));
    let view = PortalView {
        list: ListState::Read(facts),
        ..PortalView::unasked(portal)
    };
    let mut folders: Vec<_> = stream::iter(folders)
        .map(async |folder| {
            let files = total(&session, folder).await;
            FolderReport::new(folder.id, folder.name.clone(), files)
        })
        .buffer_unordered(client.concurrency())
        .collect()
        .await;
    folders.sort_unstable_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
    Ok(ListReport {
        notes: once::notes(&view),
        folders,
    })
}

/// The folders that would be collected, and what else is known from the list.
fn admitted<'a>(
    portal: &Portal,
    listing: &'a Listing,
    max_folders: usize,
) -> (Vec<&'a ListedFolder>, ListFacts) {
    let mut folders = listing.admitted(&portal.folders);
    let facts = ListFacts::of(listing, folders.len(), max_folders);
    folders.truncate(max_folders);
    (folders, facts)
}

/// How many files the first page says that a folder has.
async fn total(session: &Session, folder: &ListedFolder) -> Result<u64, PortalError> {
    let lane = Lane::default();
    let answer = session
        .files(folder.id, &lane)
        .page(PageRequest::by_name(1))
        .await;
    // A key that is refused for one folder is tried on the others all the same.
    session.go_on();
    let body = answer?;
    let Whole(total) = body.read(drop)?.pagination.total;
    Ok(total)
}
