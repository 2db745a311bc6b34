//! Judges earlier attempts by what a collection found.

use std::collections::HashMap;
use std::time::Duration;

use tracing::{debug, info};

use crate::ledger::{ActiveMode, Attempt, LedgerView};
use crate::model::{FileKey, Status};
use crate::policy::judge::{self, LaterRead, Observation};
use crate::portal::{Lane, PageBody, PortalError};
use crate::reindex::check::NAMES;
use crate::reindex::{CountFindings, DecisionContext, FolderFindings, Reindexer};

impl Reindexer {
    /// Writes the states of the files that the ledger watches.
    pub(super) async fn review(&mut self, context: &DecisionContext) {
        let Ok(ledger) = self.dependencies.ledger.view() else {
            return;
        };
        let shard = self.dependencies.shard;
        let attempts = ledger.track(ActiveMode::Enforce).unjudged();
        let attempts = attempts.filter(|attempt| shard.owns(&self.portal, attempt.folder));
        let attempts = attempts.cloned().collect::<Vec<_>>();
        self.named_files
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
        let named = self.named_files.get(&attempt.id);
        let seen = |key| {
            let seen = findings.map_or(Observation::Unread, |findings| findings.observation(key));
            named.map_or(seen, |named| named.observation(key, seen))
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
        let ledger = &self.dependencies.ledger;
        self.note_if_refused(ledger.review(attempt.id, now, review).await);
    }

    /// Asks for a handful of files by their names that are missing among the files that are not done, if done files are only counted.
    async fn ask_for_missing(
        &mut self,
        context: &DecisionContext,
        attempt: &Attempt,
        findings: &CountFindings,
    ) {
        let (Some((answered, _)), Some(files), Some(session)) =
            (attempt.outcome, &attempt.watched, &context.latest.session)
        else {
            return;
        };
        if findings.began < answered {
            return;
        }
        let missing = files.iter().filter(|(key, file)| {
            !file.state.is_settled() && findings.observation(**key) == Observation::Missing
        });
        let named = missing.filter_map(|(key, file)| Some((*key, file.name.clone()?)));
        let asked = self.named_files.entry(attempt.id).or_default();
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
                    asked.observations.insert(key, seen);
                }
                Err(error) => {
                    debug!(portal = %self.portal, id = %attempt.folder, %error, "a reindexed file cannot be searched for in the list");
                    break;
                }
            }
        }
    }

    /// How long an attempt is watched before it has to be judged. An attempt of another entry of the configuration with the same address, in a
    /// folder that is not listed here, is watched twice as long: that entry may list the folder.
    fn verify_after(&self, context: &DecisionContext, attempt: &Attempt) -> Duration {
        match context.latest.folder(attempt.folder) {
            Some(folder) => context.rules_of(folder).verify_after,
            None if attempt.portal == self.portal => context.rules.reindex.rules.verify_after,
            None => context.rules.reindex.rules.verify_after.saturating_mul(2),
        }
    }

    /// Resets the attempts of files that are done or gone.
    async fn renew(
        &mut self,
        context: &DecisionContext,
        folder: &FolderFindings,
        ledger: &LedgerView,
    ) {
        let Some(known) = ledger.folder(folder.id) else {
            return;
        };
        let Some(findings) = context.latest.found(folder, context.now) else {
            return;
        };
        let renewed = judge::renewed(known.file_attempts.keys().copied(), |key| {
            findings.observation(key)
        });
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
    let all = page.pagination.total.0 <= page.rows;
    Ok(seen.unwrap_or(if all {
        Observation::Absent
    } else {
        Observation::Missing
    }))
}
