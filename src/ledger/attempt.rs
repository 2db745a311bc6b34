//! One attempt at reindexing a folder, from its intent to its verdict.

use std::sync::Arc;
use std::time::Duration;

use crate::classify::Class;
use crate::ledger::mode::{ActiveMode, AttemptId};
use crate::ledger::outcome::{FileState, Lost, Outcome, StateCounts, Verdict};
use crate::model::{FileKey, FileMap, FolderId, FolderName, PortalName, Timestamp};

/// What is about to be attempted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    /// The configured name under which the portal is asked.
    pub portal: PortalName,
    /// The folder.
    pub folder: FolderId,
    /// Its name, for people who read the history.
    pub name: FolderName,
    /// Whether a request will be sent.
    pub mode: ActiveMode,
    /// Now.
    pub at: Timestamp,
    /// Every failed file of the folder: the endpoint takes the folder whole.
    pub files: Vec<IntendedFile>,
    /// Classes of the portal that are counted by themselves, at most: `errors.max_classes`.
    pub max_classes: usize,
}

impl Intent {
    /// An attempt in a folder whose name is not known, with counters for as many classes as the ledger allows.
    #[must_use]
    pub fn new(
        portal: PortalName,
        folder: FolderId,
        mode: ActiveMode,
        at: Timestamp,
        files: Vec<IntendedFile>,
    ) -> Self {
        Self {
            portal,
            folder,
            name: FolderName::new(""),
            mode,
            at,
            files,
            max_classes: usize::MAX,
        }
    }
}

/// A file that is about to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntendedFile {
    /// Which file.
    pub key: FileKey,
    /// The class of its error.
    pub class: Class,
    /// Its name, where it was read directly before the request.
    pub name: Option<Arc<str>>,
}

impl IntendedFile {
    /// A file of which the name is not known.
    #[must_use]
    pub const fn new(key: FileKey, class: Class) -> Self {
        Self {
            key,
            class,
            name: None,
        }
    }
}

/// A file that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentFile {
    /// Its state so far.
    pub state: FileState,
    /// The class of its error when it was sent; `None` in an attempt of a version that did not store it.
    pub class: Option<Class>,
    /// Its name, where that was stored: the portal can be asked for it.
    pub name: Option<Arc<str>>,
}

/// The results of the files of one class in an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassResult {
    /// The class.
    pub class: Class,
    /// Files of it that were sent.
    pub sent: u64,
    /// Those of them that were seen done.
    pub recovered: u64,
    /// Those of them that failed again.
    pub refailed: u64,
}

impl ClassResult {
    /// Whether a file of the class came back; `None` while no result is known.
    #[must_use]
    pub const fn had_effect(&self) -> Option<bool> {
        match (self.recovered, self.refailed) {
            (0, 0) => None,
            (recovered, _) => Some(recovered > 0),
        }
    }
}

/// One attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Its number.
    pub id: AttemptId,
    /// The configured name under which the portal was asked.
    pub portal: PortalName,
    /// The folder.
    pub folder: FolderId,
    /// When the intent was written: budget, cooldown and `verify_after` count from here.
    pub intended: Timestamp,
    /// Failed files of the folder as last seen before it.
    pub files: u64,
    /// The results by class; none where they were not stored.
    pub classes: Arc<[ClassResult]>,
    /// How far it got.
    pub course: Course,
}

/// How far an attempt got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Course {
    /// Dry run: nothing was sent, and there is nothing to judge.
    Rehearsed,
    /// The intent is on disk. The request is about to be sent, or under way.
    Intended {
        /// The files that it is about.
        files: Arc<FileMap<SentFile>>,
    },
    /// The portal answered 4xx: nothing was queued.
    Refused {
        /// When it answered.
        at: Timestamp,
        /// The status of the answer.
        status: u16,
        /// What `Retry-After` asked for.
        retry_after: Option<Duration>,
    },
    /// Files were queued, or may have been; their states are watched.
    Watched {
        /// The answer.
        answered: Answered,
        /// The state of each file so far.
        files: Arc<FileMap<SentFile>>,
    },
    /// It is over.
    Judged {
        /// The answer.
        answered: Answered,
        /// When it was judged.
        at: Timestamp,
        /// The verdict.
        verdict: Verdict,
        /// The files in each state.
        files: StateCounts,
    },
}

/// The answer to a request that was not refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answered {
    /// When it came, or the exporter gave up waiting.
    pub at: Timestamp,
    /// How many files the portal says it queued, or why that is not known.
    pub updated: Result<u64, Lost>,
}

impl Answered {
    /// Whether the portal says that it queued files.
    #[must_use]
    pub const fn is_carried_out(&self) -> bool {
        matches!(self.updated, Ok(1..))
    }
}

impl Attempt {
    /// Whether a request was to be sent.
    #[must_use]
    pub const fn mode(&self) -> ActiveMode {
        match self.course {
            Course::Rehearsed => ActiveMode::DryRun,
            _ => ActiveMode::Enforce,
        }
    }

    /// Files that the budget is charged for: as last seen, until the portal says how many it took.
    #[must_use]
    pub const fn charge(&self) -> u64 {
        match self.course {
            Course::Refused { .. } => 0,
            Course::Watched { answered, .. } | Course::Judged { answered, .. } => {
                match answered.updated {
                    Ok(updated) => updated,
                    Err(_) => self.files,
                }
            }
            Course::Rehearsed | Course::Intended { .. } => self.files,
        }
    }

    /// The outcome of the request, and when it was known; `None` before that, and in a dry run.
    #[must_use]
    pub const fn outcome(&self) -> Option<(Timestamp, Outcome)> {
        match self.course {
            Course::Rehearsed | Course::Intended { .. } => None,
            Course::Refused {
                at,
                status,
                retry_after,
            } => Some((
                at,
                Outcome::Refused {
                    status,
                    retry_after,
                },
            )),
            Course::Watched { answered, .. } | Course::Judged { answered, .. } => {
                let outcome = match answered.updated {
                    Ok(updated) => Outcome::Accepted { updated },
                    Err(why) => Outcome::Unknown { why },
                };
                Some((answered.at, outcome))
            }
        }
    }

    /// The verdict, and when it was found.
    #[must_use]
    pub const fn verdict(&self) -> Option<(Timestamp, Verdict)> {
        match self.course {
            Course::Judged { at, verdict, .. } => Some((at, verdict)),
            _ => None,
        }
    }

    /// Whether its verdict is still to come.
    #[must_use]
    pub const fn is_unjudged(&self) -> bool {
        matches!(
            self.course,
            Course::Intended { .. } | Course::Watched { .. }
        )
    }

    /// The files whose states are still watched.
    #[must_use]
    pub const fn watched(&self) -> Option<&Arc<FileMap<SentFile>>> {
        match &self.course {
            Course::Intended { files } | Course::Watched { files, .. } => Some(files),
            _ => None,
        }
    }

    /// How many files are in each state; none in a dry run or after a refusal.
    #[must_use]
    pub fn file_states(&self) -> StateCounts {
        match &self.course {
            Course::Rehearsed | Course::Refused { .. } => StateCounts::default(),
            Course::Intended { files } | Course::Watched { files, .. } => {
                files.values().map(|file| file.state).collect()
            }
            Course::Judged { files, .. } => *files,
        }
    }

    /// Whether the program ended, or gave up, before the answer.
    #[must_use]
    pub fn was_interrupted(&self) -> bool {
        let why = Lost::Interrupted;
        matches!(self.outcome(), Some((_, outcome)) if outcome == Outcome::Unknown { why })
    }

    /// Whether the portal showed that it did not do what it was asked for: it answered with an error, or not at all, or that it took no
    /// file, and no file moved.
    #[must_use]
    pub fn was_not_carried_out(&self) -> bool {
        let Course::Judged {
            answered,
            verdict: Verdict::Inconclusive,
            files,
            ..
        } = &self.course
        else {
            return false;
        };
        !answered.is_carried_out() && files.of(FileState::Sent) > 0
    }

    /// The same with every time replaced.
    pub(super) fn with_times(&self, time: impl Fn(Timestamp) -> Timestamp) -> Self {
        let mut attempt = self.clone();
        attempt.intended = time(attempt.intended);
        match &mut attempt.course {
            Course::Rehearsed | Course::Intended { .. } => {}
            Course::Refused { at, .. } => *at = time(*at),
            Course::Watched { answered, .. } => answered.at = time(answered.at),
            Course::Judged { answered, at, .. } => {
                answered.at = time(answered.at);
                *at = time(*at);
            }
        }
        attempt
    }

    /// The last time that anything was written of it.
    #[must_use]
    pub fn last_change(&self) -> Timestamp {
        let answered = self.outcome().map(|(at, _)| at);
        let judged = self.verdict().map(|(at, _)| at);
        self.intended
            .max(answered.max(judged).unwrap_or(self.intended))
    }
}
