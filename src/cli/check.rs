//! `kb-exporter check`: tests the key and every folder, and counts nothing.

#[cfg(test)]
mod tests;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use futures_util::future::join_all;
use futures_util::stream::{self, StreamExt};

use crate::cli::output::OutputArgs;
use crate::cli::scan::tables;
use crate::cli::settings::ConfigArgs;
use crate::cli::view::{self, Form};
use crate::cli::{exit, output, settings};
use crate::clock::Moment;
use crate::collect::Settings;
use crate::collect::admission::{Admission, admit};
use crate::config::{Config, Portal};
use crate::health::{self, Conditions, Health};
use crate::history::{Departure, DepartureReason};
use crate::portal::{Lane, ListedFolder, PageRequest, PortalError, Session, Throttles};
use crate::snapshot::{
    FolderState, FolderView, ListFailure, PortalView, Snapshot, Unavailable, Unreadable,
};

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

/// Tests all portals in parallel.
async fn check(mut config: Config) -> Health {
    config.request.retries = config.request.retries.min(RETRIES);
    let throttles = Throttles::default();
    let portals = config.portals.iter();
    let tested = portals.map(|portal| test(&config, portal, &throttles));
    let snapshot = Snapshot {
        portals: join_all(tested).await,
        ..Snapshot::default()
    };
    health::judge(&snapshot, Conditions::default(), Moment::now())
}

/// What a test of a portal shows.
async fn test(config: &Config, portal: &Portal, throttles: &Throttles) -> Arc<PortalView> {
    let mut view = PortalView::unasked(portal);
    if let Err(error) = test_folders(&mut view, config, portal, throttles).await {
        view.list.failure = Some(ListFailure {
            trouble: error.trouble(),
            message: error.to_string(),
            since: Moment::now().wall,
        });
    }
    Arc::new(view)
}

async fn test_folders(
    view: &mut PortalView,
    config: &Config,
    portal: &Portal,
    throttles: &Throttles,
) -> Result<(), PortalError> {
    let session = Session::open(&settings::client(config, portal, throttles)).await?;
    let listing = session.folders(config.collect.timeout).await?;
    let settings = Settings::new(portal, config);
    let Admission { folders, facts } = admit(&listing, &settings);
    let tested = stream::iter(folders)
        .map(async |folder| Arc::new(test_folder(&session, folder).await))
        .buffer_unordered(config.collect.concurrency.get());
    view.folders = tested.map(|folder| (folder.id, folder)).collect().await;
    view.reindex = settings.reindex;
    view.list.facts = Some(facts);
    Ok(())
}

/// A folder by the answer to the request for its first page.
async fn test_folder(session: &Session, listed: &ListedFolder) -> FolderView {
    let answer = total(session, listed).await;
    let reported_files = answer.as_ref().ok().copied();
    let state = match answer {
        Ok(_) => FolderState::Counted,
        // The portal's list may still have deleted folders (docs/portal.md, Errors), so this is not a failure.
        Err(error) if error.status() == Some(404) => FolderState::Departed(Departure {
            reason: DepartureReason::Gone,
            since: Moment::now().wall,
        }),
        Err(error) => FolderState::Unavailable(Unreadable {
            reason: Unavailable::Error,
            message: error.to_string(),
        }),
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
    let body = session.page(folder.id, PageRequest::FIRST, &lane, Duration::MAX);
    let body = body.await?;
    let total = body.read(drop)?.pagination.total;
    Ok(total)
}
