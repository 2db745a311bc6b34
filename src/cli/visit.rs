//! Asks for each folder of each portal once, for commands that collect nothing.

use std::sync::Arc;

use futures_util::future::join_all;
use futures_util::stream::{self, StreamExt};

use crate::cli::settings;
use crate::clock::Moment;
use crate::collect::Settings;
use crate::collect::admission::{Admission, admit};
use crate::collect::error::ReadError;
use crate::config::{Config, Portal};
use crate::health::{self, Conditions, Health};
use crate::history::{Departure, DepartureReason};
use crate::portal::{ListedFolder, PortalError, Session, Throttles};
use crate::snapshot::{
    FolderState, FolderView, ListFailure, PortalView, Snapshot, Unavailable, Unreadable,
};

/// How many files a folder has, if that is asked for.
pub(super) type Answer = Result<Option<u64>, ReadError>;

/// Visits all portals in parallel, and judges what `ask` finds.
pub(super) async fn visit(
    config: &Config,
    ask: impl AsyncFn(&Session, &Settings, &ListedFolder) -> Answer,
) -> Health {
    let throttles = Throttles::default();
    let portals = config.portals.iter().map(async |portal| {
        let mut view = PortalView::unasked(portal);
        let visited = visit_folders(&mut view, config, portal, &throttles, &ask);
        if let Err(error) = visited.await {
            view.list.failure = Some(ListFailure {
                trouble: error.trouble(),
                message: error.to_string(),
                since: Moment::now().wall,
            });
        }
        Arc::new(view)
    });
    let snapshot = Snapshot {
        portals: join_all(portals).await,
        ..Snapshot::default()
    };
    health::judge(&snapshot, Conditions::default(), Moment::now())
}

async fn visit_folders(
    view: &mut PortalView,
    config: &Config,
    portal: &Portal,
    throttles: &Throttles,
    ask: &impl AsyncFn(&Session, &Settings, &ListedFolder) -> Answer,
) -> Result<(), PortalError> {
    let session = Session::open(&settings::client(config, portal, throttles)).await?;
    let listing = session.folders(config.collect.timeout).await?;
    let settings = Settings::new(portal, config);
    let Admission { folders, facts } = admit(&listing, &settings);
    let visited = stream::iter(folders)
        .map(async |folder| folder_view(folder, ask(&session, &settings, folder).await))
        .buffer_unordered(config.collect.concurrency.get());
    view.folders = visited.map(|folder| (folder.id, folder)).collect().await;
    view.reindex = settings.reindex;
    view.list.facts = Some(facts);
    Ok(())
}

fn folder_view(listed: &ListedFolder, answer: Answer) -> Arc<FolderView> {
    let unseen = FolderView::unseen(listed.id, listed.name.clone());
    let state = match &answer {
        Ok(_) => FolderState::Counted,
        // The portal's list may still have deleted folders (docs/portal.md, Errors), so this is not a failure.
        Err(error) if error.is_gone() => FolderState::Departed(Departure {
            reason: DepartureReason::Gone,
            since: Moment::now().wall,
        }),
        Err(error) => FolderState::Unavailable(Unreadable {
            reason: Unavailable::Error,
            message: error.of_folder(listed.id),
        }),
    };
    Arc::new(FolderView {
        reported_files: answer.ok().flatten(),
        state,
        ..unseen
    })
}
