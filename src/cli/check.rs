//! `kb-exporter check`: tries the key and every folder, without counting anything.

mod report;
#[cfg(test)]
mod tests;

use std::process::ExitCode;
use std::sync::Arc;

use futures_util::future::join_all;
use futures_util::stream::{self, StreamExt};

use crate::cli::failure::Failure;
use crate::cli::{ConfigArgs, once, output, settings, table};
use crate::config::{Config, Portal};
use crate::portal::{
    Lane, ListedFolder, Listing, PageRequest, PortalError, Session, Throttles, Unobserved, Whole,
};
use crate::snapshot::{ListFacts, ListState, PortalView};

use report::{FolderReport, ListReport, PortalFailure, PortalReport, Report, Trial};

/// Tries everything that the configuration names and prints what came of it.
pub(super) fn run(config: &ConfigArgs) -> Result<ExitCode, Failure> {
    let config = settings::config(config)?;
    let report = once::runtime()?.block_on(check(&config));
    output::print(&report.text(table::terminal_width()))?;
    Ok(once::exit_code(report.is_well()))
}

/// Tries all portals, side by side.
async fn check(config: &Config) -> Report {
    let throttles = Throttles::default();
    let portals = config.portals.iter().map(async |portal| PortalReport {
        name: portal.name.clone(),
        list: try_portal(config, portal, &throttles).await,
    });
    Report {
        portals: join_all(portals).await,
    }
}

async fn try_portal(
    config: &Config,
    portal: &Portal,
    throttles: &Throttles,
) -> Result<ListReport, PortalFailure> {
    let client = once::client(config, portal, Arc::new(Unobserved), throttles)?;
    let session = Session::open(&client).await?;
    let listing = session.folders().await?;
    let (folders, facts) = admitted(portal, &listing, config.collect.max_folders);
    let view = PortalView {
        list: ListState::Read(facts),
        ..PortalView::unasked(portal)
    };
    let mut folders: Vec<_> = stream::iter(folders)
        .map(|folder| try_folder(&session, folder))
        .buffer_unordered(client.concurrency())
        .collect()
        .await;
    folders.sort_unstable_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
    Ok(ListReport {
        notes: once::notes(&view),
        folders,
    })
}

/// The folders that would be collected, and what the list tells beside them.
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

async fn try_folder(session: &Session, folder: &ListedFolder) -> FolderReport {
    FolderReport {
        id: folder.id,
        name: folder.name.clone(),
        trial: Trial::of(total(session, folder).await),
    }
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
