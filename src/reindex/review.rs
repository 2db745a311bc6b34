//! Judges earlier attempts by what a collection found.

use std::collections::HashMap;
use std::time::Duration;

use tracing::{debug, info};

use crate::ledger::{ActiveMode, Attempt, Course, LedgerView};
use crate::model::{FileKey, Status};
use crate::policy::judge::{self, LaterRead, Seen};
use crate::portal::{Lane, PageBody, PortalError};
use crate::reindex::attempt::NAMES;
use crate::reindex::{CountFindings, DecisionContext, FolderFindings, Reindexer};

impl Reindexer {
    /// Tells the ledger what became of the files that it watches.
    pub(super) async fn review(&mut self, context: &DecisionContext) {
        let Ok(ledger) = self.dependencies.ledger.view() else {
            return;
        };
        let attempts = ledger.track(ActiveMode::Enforce).unjudged();
        let attempts = attempts.cloned().collect::<Vec<_>>();
        self.asked_for
            .retain(|id, _| attempts.iter().any(|attempt| attempt.id == *id));
        for attempt in attempts {
            self.judge(context, &attempt).await;
        }
        for folder in &context.latest.folders {
            self.renew(context, folder, &ledger).await;
        }
    }

    async fn judge(&mut self, context: &DecisionContext, attempt: &Attempt) {
        let folder = context.latest.folder(attempt.folder);
        let findings = folder.and_then(|folder| context.latest.found(folder, context.now));
        if let Some(findings) = findings {
            self.ask_for_missing(context, attempt, findings).await;
        }
        let asked = self.asked_for.get(&attempt.id);
        let seen = |key| {
            let seen = findings.map_or(Seen::Unread, |findings| findings.seen(key));
            asked.map_or(seen, |asked| asked.tells(key, seen))
        };
        let read = match findings {
            Some(findings) => LaterRead::Counted {
                began: findings.began,
                idle: folder.is_some_and(FolderFindings::is_idle),
                seen: &seen,
            },
            None => LaterRead::Failed,
        };
        let now = context.now.wall;
        let review = judge::review(attempt, self.verify_after(context, attempt), read, now);
        if review.is_empty() {
            return;
        }
        if let Some(verdict) = review.verdict {
            info!(portal = %self.portal, id = %attempt.folder, attempt = attempt.id.get(), outcome = verdict.as_str(), "attempt judged");
        }
        if let Err(failed) = self
            .dependencies
            .ledger
            .review(attempt.id, now, review)
            .await
        {
            self.refused(&failed);
        }
    }

    /// Asks what became of files that are not among those that are not done, where done files are only counted: by the names of a handful of
    /// them.
    async fn ask_for_missing(
        &mut self,
        context: &DecisionContext,
        attempt: &Attempt,
        findings: &CountFindings,
    ) {
        let (Course::Watched { answered, files }, Some(session)) =
            (&attempt.course, &context.latest.session)
        else {
            return;
        };
        if findings.began < answered.at {
            return;
        }
        let missing = files.iter().filter(|(key, file)| {
            !file.state.is_settled() && findings.seen(**key) == Seen::Missing
        });
        let named = missing.filter_map(|(key, file)| Some((*key, file.name.clone()?)));
        let asked = self.asked_for.entry(attempt.id).or_default();
        asked.forget_passing();
        let lane = Lane::default();
        let rows = session.files(attempt.folder, &lane);
        for (key, name) in named.take(NAMES.saturating_sub(asked.times)) {
            asked.times += 1;
            match rows
                .named_once(&name)
                .await
                .and_then(|body| sought(&body, key))
            {
                Ok(seen) => {
                    asked.told.insert(key, seen);
                }
                Err(error) => {
                    debug!(portal = %self.portal, id = %attempt.folder, %error, "a file that was sent cannot be looked for");
                    break;
                }
            }
        }
    }

    /// How long an attempt is watched before it has to be judged. What another entry of the configuration with the same address attempted
    /// in a folder that is not listed here is left to that one for longer: it may list the folder.
    fn verify_after(&self, context: &DecisionContext, attempt: &Attempt) -> Duration {
        match context.latest.folder(attempt.folder) {
            Some(folder) => context.rules_of(folder).verify_after,
            None if attempt.portal == self.portal => context.rules.reindex.rules.verify_after,
            None => context.rules.reindex.rules.verify_after.saturating_mul(2),
        }
    }

    /// Files that were seen done, or are not there any more, start anew.
    async fn renew(&self, context: &DecisionContext, folder: &FolderFindings, ledger: &LedgerView) {
        let Some(book) = ledger.folder(folder.id) else {
            return;
        };
        let Some(findings) = context.latest.found(folder, context.now) else {
            return;
        };
        let renewed = judge::renewed(book.file_attempts.keys().copied(), |key| findings.seen(key));
        if renewed.is_empty() {
            return;
        }
        if let Err(failed) = self.dependencies.ledger.renew(folder.id, renewed).await {
            self.refused(&failed);
        }
    }
}

/// What the portal told of files of one attempt by their names.
#[derive(Default)]
pub(super) struct Asked {
    /// How often it was asked.
    times: usize,
    told: HashMap<FileKey, Seen>,
}

impl Asked {
    /// Forgets what may be different by now.
    fn forget_passing(&mut self) {
        self.told
            .retain(|_, seen| matches!(seen, Seen::As(Status::Done) | Seen::Absent));
    }

    /// How a file is seen. Where all that were asked for are done, so are the others that are missing, also those that are missing
    /// later: files come back one after the other.
    fn tells(&self, key: FileKey, seen: Seen) -> Seen {
        match (seen, self.told.get(&key)) {
            (Seen::Missing, Some(told)) => *told,
            (Seen::Missing, None) if self.all_are_done() => Seen::As(Status::Done),
            _ => seen,
        }
    }

    fn all_are_done(&self) -> bool {
        let done = |seen: &Seen| *seen == Seen::As(Status::Done);
        !self.told.is_empty() && self.told.values().all(done)
    }
}

/// How a file is seen among those with its name.
fn sought(body: &PageBody, file: FileKey) -> Result<Seen, PortalError> {
    let mut seen = None;
    let page = body.read(|row| {
        if row.key() == file {
            seen = Some(Seen::As(row.status()));
        }
    })?;
    let all = page.pagination.total.0 <= page.rows;
    Ok(seen.unwrap_or(if all { Seen::Absent } else { Seen::Missing }))
}
