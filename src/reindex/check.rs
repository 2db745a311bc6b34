//! The read of a folder directly before an attempt.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tracing::warn;

use crate::model::{FileKey, Status};
use crate::policy::{Hold, Reason};
use crate::portal::{AdmittedRequests, PortalError};
use crate::reindex::input::Input;
use crate::snapshot::FolderView;

/// Why an attempt was not made.
pub(super) enum NotMade {
    /// What holds the folder now.
    Held(Hold),
    /// An attempt in the next folder would fail, too.
    AllHeld(Hold),
    /// The decision is out of date: it is taken again.
    OutOfDate,
}

/// Names of files that a page showed.
pub(super) type FileNames = HashMap<FileKey, Arc<str>>;

/// The ledger stores this number of names of the files of an attempt: enough to ask for their states later.
pub(super) const NAMES: usize = 5;

/// Longer names are not stored.
const NAME_CHARACTERS: usize = 200;

/// Reads once more whether a folder is as it was when it was decided on; returns names of files that failed.
pub(super) async fn check(
    requests: &AdmittedRequests<'_>,
    input: &Input,
    folder: &FolderView,
) -> Result<FileNames, NotMade> {
    match read_again(requests, input, folder).await {
        Ok(found) => found.map_err(|reason| NotMade::Held(reason.into())),
        Err(error) => {
            warn!(portal = %input.portal.name, folder = %folder.name, id = %folder.id, %error, "the folder cannot be read before its failed files are reindexed: nothing is sent");
            let hold = Reason::Portal.into();
            Err(match error.status() {
                Some(403 | 404) => NotMade::Held(hold),
                _ => NotMade::AllHeld(hold),
            })
        }
    }
}

/// Requests the page that had a failed file, or else only the folder. One request, without retries.
async fn read_again(
    requests: &AdmittedRequests<'_>,
    input: &Input,
    folder: &FolderView,
) -> Result<Result<FileNames, Reason>, PortalError> {
    let failed = input.failed_files(folder);
    let Some((failed, page)) = failed.and_then(|failed| Some((failed, failed.page?))) else {
        let found = requests.folder(folder.id).await;
        return found.map(|()| Ok(FileNames::new()));
    };
    let body = requests.page(folder.id, page).await?;
    let decided: HashSet<FileKey> = failed.files.iter().map(|file| file.key).collect();
    let mut names = FileNames::new();
    let (mut agree, mut any_failed) = (true, false);
    let page = body.read(|row| {
        let (key, failed) = (row.key(), row.status() == Status::Failed);
        agree &= decided.contains(&key) == failed;
        any_failed |= failed;
        let name = row.filename();
        if failed && names.len() < NAMES && name.chars().count() <= NAME_CHARACTERS {
            names.insert(key, Arc::from(&*name));
        }
    })?;
    if !agree || !any_failed {
        return Ok(Err(Reason::Counts));
    }
    let came = page.pagination.total;
    let facts = input.facts(folder);
    let came = came.saturating_sub(facts.counts.total());
    if facts.backlog().saturating_add(came) > facts.max_backlog() {
        return Ok(Err(Reason::Backlog));
    }
    Ok(Ok(names))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::net::TcpListener;

    use super::*;
    use crate::config::{BaseUrl, Config, HiddenPath, KeySource, Portal};
    use crate::model::{FolderName, PortalName, Timestamp};
    use crate::portal::{Client, Session, Throttles, Unobserved};
    use crate::reindex::Rules;
    use crate::snapshot::PortalView;
    use kb_simulator::{Options, Simulator};

    #[tokio::test]
    async fn where_no_page_can_be_asked_for_the_folder_itself_must_answer() {
        let simulator = Simulator::empty(Options::default());
        let there = simulator.with(|world| world.add_folder("Inbox")).into();
        let gone = simulator.with(|world| {
            let folder = world.add_folder("Outbox");
            world.delete_folder(folder).unwrap();
            folder.into()
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(simulator.serve(listener, std::future::pending()));
        let key = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(key.path(), Options::default().key).unwrap();
        let name = PortalName::new("main").unwrap();
        let portal = Portal::new(
            name.clone(),
            BaseUrl::parse(&address).unwrap(),
            KeySource::File(HiddenPath::file("api_key_file", key.path())),
        );
        let Config {
            collect, request, ..
        } = Config::for_portal(portal.clone());
        let throttles = Throttles::default();
        let observer = Arc::new(Unobserved);
        let client = Client::new(&portal, &collect, &request, observer, &throttles);
        let session = Session::open(&client).await.unwrap();
        let input = Input {
            portal: Arc::new(PortalView::unasked(&portal)),
            rules: Rules {
                reindex: Arc::default(),
                zone: chrono_tz::Tz::UTC,
                max_classes: 50,
                client,
            },
            kill_switch: false,
            is_double: false,
            book: None,
            now: Timestamp::from_millis(0),
            wall: Timestamp::from_millis(0),
        };
        let unread = |id| FolderView::unseen(id, FolderName::new("Inbox"));

        let requests = session.admit(2).await;
        let checked = check(&requests, &input, &unread(there)).await;
        assert!(checked.is_ok());
        let refused = check(&requests, &input, &unread(gone)).await;
        assert!(matches!(refused, Err(NotMade::Held(hold)) if hold.reason == Reason::Portal));
    }
}
