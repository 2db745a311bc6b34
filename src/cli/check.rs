//! `kb-exporter check`: tests the key and every folder, and counts nothing.

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
use crate::cli::settings::ConfigArgs;
use crate::cli::{exit, output, settings, table};
use crate::clock::Moment;
use crate::collect::Settings;
use crate::collect::admission::{Admission, admit};
use crate::config::{Config, Portal};
use crate::history::{Departure, DepartureReason};
use crate::portal::{Lane, ListedFolder, Listing, PageRequest, PortalError, Session, Throttles};
use crate::snapshot::{FolderState, FolderView, ListState, PortalView, Unavailable, Unreadable};

use report::{Report, Tested};

/// Retries of a request: a person waits for the answer.
const RETRIES: u32 = 1;

/// What is tested, and how it is printed.
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    pub config: ConfigArgs,
    /// Print in this format: table or json.
    #[arg(
        long,
        value_name = "FORM",
        default_value = "table",
        hide_possible_values = true
    )]
    output: Form,
}

/// Tests every portal and its folders, and prints the results.
pub(super) fn run(args: &CheckArgs) -> Result<ExitCode> {
    let config = settings::config(&args.config)?;
    let report = settings::runtime()?.block_on(check(&config));
    match args.output {
        Form::Table => output::print(&report.text(table::terminal_width()))?,
        Form::Json => output::print(&report.json()?)?,
    }
    Ok(exit::code(report.is_complete()))
}

/// Tests all portals in parallel.
async fn check(config: &Config) -> Report {
    let mut config = config.clone();
    config.request.retries = config.request.retries.min(RETRIES);
    let throttles = Throttles::default();
    let portals = config.portals.iter().enumerate();
    let portals = portals.map(async |(index, portal)| {
        let (config, throttles) = (&config, &throttles);
        try_portal(config, index, portal, throttles).await
    });
    Report::new(&config, join_all(portals).await)
}

async fn try_portal(
    config: &Config,
    index: usize,
    portal: &Portal,
    throttles: &Throttles,
) -> Tested {
    let mut view = PortalView::unasked(portal);
    let (session, listing) = match list(config, portal, throttles).await {
        Ok(listed) => listed,
        Err(error) => {
            view.list = ListState::Failed {
                trouble: error.trouble(),
                message: error.to_string(),
                since: Moment::now().wall,
                last: None,
            };
            return Tested {
                view,
                listing: None,
                mistakes: Vec::new(),
            };
        }
    };
    let settings = Settings::new(portal, config);
    let Admission { folders, facts } = admit(&listing, &settings);
    view.reindex = Arc::clone(&settings.reindex);
    let mut tried = stream::iter(folders)
        .map(async |listed| try_folder(&session, listed).await)
        .buffer_unordered(config.collect.concurrency.get());
    while let Some(folder) = tried.next().await {
        view.folders.insert(folder.id, Arc::new(folder));
    }
    drop(tried);
    view.list = ListState::Read(facts);
    Tested {
        mistakes: report::unmatched(portal, index, &listing),
        view,
        listing: Some(listing),
    }
}

async fn list(
    config: &Config,
    portal: &Portal,
    throttles: &Throttles,
) -> Result<(Session, Listing), PortalError> {
    let session = settings::session(config, portal, throttles).await?;
    let listing = session.folders(config.collect.timeout).await?;
    Ok((session, listing))
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
    let files = session.files(folder.id, &lane);
    let body = files.page(PageRequest::FIRST).await?;
    let total = body.read(drop)?.pagination.total;
    Ok(total)
}
