//! Judges earlier attempts by what a collection found.

use std::collections::HashMap;
use std::sync::Arc;

use tracing::{debug, info};

use crate::attempts::{Attempt, Book};
use crate::model::{FileKey, Status};
use crate::policy::judge::{self, LaterRead, Observation};
use crate::portal::{PageBody, PortalError, Session};
use crate::reindex::Reindexer;
use crate::reindex::check::NAMES;
use crate::reindex::input::{Input, judges};
use crate::snapshot::{FailedFiles, FolderView};

impl Reindexer {
    /// Writes what a collection shows about the files that the ledger watches.
    pub(super) async fn review(&mut self, input: &Input) {
        let Some(book) = &input.book else {
            return;
        };
        let snapshot = self.dependencies.publisher.current();
        let attempts = book.track().unjudged();
        let attempts = attempts.filter(|attempt| judges(&snapshot, &input.portal, &attempt.portal));
        let attempts = attempts.cloned().collect::<Vec<_>>();
        self.named_files
            .retain(|id, _| attempts.iter().any(|attempt| attempt.id == *id));
        for attempt in attempts {
            self.judge(input, &attempt).await;
        }
        for folder in input.folders() {
            self.renew(input, folder, book).await;
        }
    }

    async fn judge(&mut self, input: &Input, attempt: &Attempt) {
        let folder = input.folder(attempt.folder);
        let failed = folder.and_then(|folder| input.failed_files(folder));
        if let Some(failed) = failed {
            self.ask_for_missing(input, attempt, failed).await;
        }
        let named = self.named_files.get(&attempt.id);
        let seen = |key| {
            let seen = failed.map_or(Observation::Unread, |failed| failed.observation(key));
            named.map_or(seen, |named| named.observation(key, seen))
        };
        let read = failed.map(|failed| LaterRead {
            began: failed.began,
            seen: &seen,
        });
        let review = judge::review(attempt, read, input.now);
        if review.is_empty() {
            return;
        }
        let verdict = review.verdict;
        let ledger = &self.dependencies.ledger;
        let written = ledger.review(attempt.id, input.now, review).await;
        if let (Ok(()), Some(verdict)) = (&written, verdict) {
            info!(portal = %self.portal, id = %attempt.folder, attempt = attempt.id.get(), outcome = verdict.as_str(), "attempt judged");
        }
        self.note_if_refused(written);
    }

    /// Asks for a handful of files by their names that are missing among the files that are not done, if done files are only counted.
    async fn ask_for_missing(&mut self, input: &Input, attempt: &Attempt, failed: &FailedFiles) {
        let (Some((answered, _)), Some(files)) = (attempt.outcome, &attempt.watched) else {
            return;
        };
        if failed.began < answered {
            return;
        }
        let asked = self.named_files.entry(attempt.id).or_default();
        asked.forget_passing();
        let missing = files.iter().filter(|(key, file)| {
            !file.state.is_settled() && failed.observation(**key) == Observation::Missing
        });
        let named = missing.filter_map(|(key, file)| Some((*key, file.name.clone()?)));
        let named: Vec<_> = named.take(NAMES.saturating_sub(asked.times)).collect();
        if named.is_empty() {
            return;
        }
        asked.times += named.len();
        if let Err(error) = asked.ask(input, attempt, named).await {
            debug!(portal = %self.portal, id = %attempt.folder, %error, "a reindexed file cannot be searched for in the list");
        }
    }

    /// Resets the attempts of files that are done or gone.
    async fn renew(&mut self, input: &Input, folder: &FolderView, book: &Book) {
        let Some(known) = book.folder(folder.id) else {
            return;
        };
        let Some(failed) = input.failed_files(folder) else {
            return;
        };
        let sent = known.file_attempts.keys().copied();
        let renewed = judge::renewed(sent, |key| failed.observation(key));
        if renewed.is_empty() {
            return;
        }
        let ledger = &self.dependencies.ledger;
        self.note_if_refused(ledger.renew(folder.id, renewed).await);
    }
}

/// How the portal listed files of one attempt when it was asked for their names.
#[derive(Default)]
pub(super) struct NamedFiles {
    times: usize,
    observations: HashMap<FileKey, Observation>,
}

impl NamedFiles {
    /// Asks the portal for files by their names.
    async fn ask(
        &mut self,
        input: &Input,
        attempt: &Attempt,
        named: Vec<(FileKey, Arc<str>)>,
    ) -> Result<(), PortalError> {
        let session = Session::open(&input.rules.client).await?;
        for (key, name) in named {
            let body = session.named_once(attempt.folder, &name).await?;
            self.observations.insert(key, sought(&body, key)?);
        }
        Ok(())
    }

    /// Forgets results that may be outdated.
    fn forget_passing(&mut self) {
        self.observations.retain(|_, seen| {
            matches!(
                seen,
                Observation::Status(Status::Done) | Observation::Absent
            )
        });
    }

    /// How a file is seen. Where all that were asked for are done, so are the others that are missing, also those that are missing
    /// later: files come back one after the other.
    fn observation(&self, key: FileKey, seen: Observation) -> Observation {
        match (seen, self.observations.get(&key)) {
            (Observation::Missing, Some(observed)) => *observed,
            (Observation::Missing, None) if self.all_are_done() => {
                Observation::Status(Status::Done)
            }
            _ => seen,
        }
    }

    fn all_are_done(&self) -> bool {
        let done = |seen: &Observation| *seen == Observation::Status(Status::Done);
        !self.observations.is_empty() && self.observations.values().all(done)
    }
}

/// How a file is seen among those with its name.
fn sought(body: &PageBody, file: FileKey) -> Result<Observation, PortalError> {
    let mut seen = None;
    let page = body.read(|row| {
        if row.key() == file {
            seen = Some(Observation::Status(row.status()));
        }
    })?;
    let all = page.total <= page.rows;
    Ok(seen.unwrap_or(if all {
        Observation::Absent
    } else {
        Observation::Missing
    }))
}
