//! The read of a folder directly before an attempt.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tracing::warn;

use crate::model::{FileKey, PortalName, Status};
use crate::policy::Reason;
use crate::portal::{AdmittedRequests, PortalError};
use crate::reindex::FolderFindings;

/// Why a folder is held after its check.
pub(super) struct FailedCheck {
    pub reason: Reason,
    /// Whether an attempt in the next folder would fail, too.
    pub trouble: bool,
}

/// Names of files that a page showed.
pub(super) type FileNames = HashMap<FileKey, Arc<str>>;

/// The ledger stores this number of names of the files of an attempt: enough to ask for their states later.
pub(super) const NAMES: usize = 5;

/// Longer names are not stored.
const NAME_CHARACTERS: usize = 200;

/// Reads once more whether a folder is as it was when it was decided on; returns names of files that failed.
pub(super) async fn check(
    portal: &PortalName,
    requests: &AdmittedRequests<'_>,
    folder: &FolderFindings,
    max_backlog: u64,
) -> Result<FileNames, FailedCheck> {
    match read_again(requests, folder, max_backlog).await {
        Ok(found) => found.map_err(|reason| FailedCheck {
            reason,
            trouble: false,
        }),
        Err(error) => {
            warn!(%portal, folder = %folder.name, id = %folder.id, %error, "the folder cannot be read before its failed files are reindexed: nothing is sent");
            let of_folder = matches!(error.status(), Some(403 | 404));
            Err(FailedCheck {
                reason: Reason::PortalErring,
                trouble: !of_folder,
            })
        }
    }
}

/// Requests the page that had a failed file, or else only the folder. One request, without retries.
async fn read_again(
    requests: &AdmittedRequests<'_>,
    folder: &FolderFindings,
    max_backlog: u64,
) -> Result<Result<FileNames, Reason>, PortalError> {
    let findings = folder.findings.as_ref();
    let Some((findings, page)) = findings.and_then(|found| Some((found, found.failed_page?)))
    else {
        return requests
            .folder(folder.id)
            .await
            .map(|()| Ok(HashMap::new()));
    };
    let body = requests.page(folder.id, page).await?;
    let decided: HashSet<FileKey> = findings.failed.iter().map(|file| file.key).collect();
    let mut names = FileNames::default();
    let (mut agree, mut any_failed) = (true, false);
    let page = body.read(|row| {
        let (key, failed) = (row.key(), row.status() == Status::Failed);
        agree &= decided.contains(&key) == failed;
        any_failed |= failed;
        let name = row.reason().file;
        if failed && names.len() < NAMES && name.chars().count() <= NAME_CHARACTERS {
            names.insert(key, Arc::from(name));
        }
    })?;
    if !agree || !any_failed {
        return Ok(Err(Reason::NotWhole));
    }
    let more = page
        .pagination
        .total
        .0
        .saturating_sub(folder.counts.total());
    if folder.backlog().saturating_add(more) > max_backlog {
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
    use crate::model::{ByStatus, FolderId, FolderName};
    use crate::policy::CountQuality;
    use crate::portal::Session;
    use crate::portal::{Client, Throttles, Unobserved};
    use kb_simulator::{Options, Simulator};

    /// A folder of which no page is known on which a failed file stands.
    fn without_page(id: FolderId) -> FolderFindings {
        FolderFindings {
            id,
            name: FolderName::new("Inbox"),
            quality: CountQuality::Usable,
            counted: None,
            counts: ByStatus::default(),
            findings: None,
        }
    }

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
        let client = Client::build(&portal, &collect, &request, observer, &throttles).unwrap();
        let session = Session::open(&client).await.unwrap();

        let requests = session.admit(2).await.unwrap();
        let checked = check(&name, &requests, &without_page(there), 100).await;
        assert!(checked.is_ok());
        let refused = check(&name, &requests, &without_page(gone), 100).await;
        let FailedCheck { reason, trouble } = refused.err().unwrap();
        assert_eq!((reason, trouble), (Reason::PortalErring, false));
        session.end();
        let ended = check(&name, &requests, &without_page(there), 100).await;
        let FailedCheck { reason, trouble } = ended.err().unwrap();
        assert_eq!((reason, trouble), (Reason::PortalErring, true));
    }
}
