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
    let came = page.total;
    let facts = input.facts(folder);
    let came = came.saturating_sub(facts.counts.total());
    if facts.backlog().saturating_add(came) > facts.max_backlog() {
        return Ok(Err(Reason::Backlog));
    }
    Ok(Ok(names))
}
