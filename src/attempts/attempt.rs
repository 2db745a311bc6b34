//! One attempt at reindexing a folder, from its intent to its verdict.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::attempts::outcome::{FileState, StateCounts, Verdict};
use crate::classify::Class;
use crate::model::{FileKey, FileMap, FolderId, FolderName, Lost, Outcome, PortalName, Timestamp};

/// How many classes an attempt has at most, and how many of a portal have counters of their own; the files of further ones are counted as
/// [`Class::Other`].
pub(super) const MAX_CLASSES: usize = 50;

/// Identifies an attempt. A later attempt has a greater number, also across restarts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttemptId(i64);

impl AttemptId {
    pub const fn new(number: i64) -> Self {
        Self(number)
    }

    /// The id of an attempt that follows another one: its time in milliseconds since 1970, or the next number. So the attempts in a database and
    /// in a copy of it that lost some have different ones.
    pub(super) fn after(last: Self, at: Timestamp) -> Self {
        Self(at.as_millis().max(last.0.saturating_add(1)))
    }

    /// The number, as people see it.
    pub const fn get(self) -> i64 {
        self.0
    }
}

impl std::fmt::Display for AttemptId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// What is about to be attempted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    /// The configured name under which the portal is asked.
    pub portal: PortalName,
    pub folder: FolderId,
    /// Its name, for people who read the history.
    pub name: FolderName,
    /// Whether it shows whether a retry helps: none has helped its files lately.
    pub is_trial: bool,
    pub at: Timestamp,
    /// Every failed file of the folder: the endpoint takes the folder whole.
    pub files: Vec<(FileKey, SentFile)>,
    /// Classes of the portal that are counted by themselves, at most: `errors.max_classes`.
    pub max_classes: usize,
}

impl Intent {
    /// An attempt in a folder whose name is not known, with counters for as many classes as the ledger allows.
    pub fn new(
        portal: PortalName,
        folder: FolderId,
        at: Timestamp,
        files: Vec<(FileKey, SentFile)>,
    ) -> Self {
        Self {
            portal,
            folder,
            name: FolderName::new(""),
            is_trial: false,
            at,
            files,
            max_classes: usize::MAX,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentFile {
    pub state: FileState,
    /// The class of its error when it was sent.
    pub class: Class,
    /// Its name, where it was read directly before the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Arc<str>>,
}

impl SentFile {
    /// A file that is about to be sent, of which the name is not known.
    pub const fn new(class: Class) -> Self {
        Self {
            state: FileState::Sent,
            class,
            name: None,
        }
    }
}

/// The results of the files of one class in an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassResult {
    pub class: Class,
    /// Files of it that were sent.
    pub sent: u64,
    /// Those of them that were seen done.
    pub recovered: u64,
    /// Those of them that failed again.
    pub refailed: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    pub id: AttemptId,
    /// The configured name under which the portal was asked.
    pub portal: PortalName,
    pub folder: FolderId,
    /// The folder's name then, for people.
    pub name: FolderName,
    /// Whether it shows whether a retry helps: none had helped its files lately.
    pub is_trial: bool,
    /// When the intent was written: budget and cooldown count from here.
    pub intended: Timestamp,
    /// Failed files of the folder as last seen before it.
    pub files: u64,
    pub classes: Arc<[ClassResult]>,
    /// The outcome of the request, and when it was known; `None` before that.
    pub outcome: Option<(Timestamp, Outcome)>,
    /// The files whose states are watched until the verdict; `None` after it, and where nothing was queued.
    pub watched: Option<Arc<FileMap<SentFile>>>,
    /// The verdict, once it was found.
    pub judged: Option<Judged>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judged {
    pub at: Timestamp,
    pub verdict: Verdict,
    pub files: StateCounts,
}

impl Attempt {
    /// Files that the budget is charged for: all that were failed, and those that failed since and that the portal says it queued with them.
    pub(crate) fn charge(&self) -> u64 {
        match self.outcome {
            Some((_, Outcome::Accepted { updated })) => self.files.max(updated),
            Some((_, outcome)) if !outcome.is_charged() => 0,
            Some(_) | None => self.files,
        }
    }

    /// The results of its files of a class.
    pub(crate) fn result(&self, class: &Class) -> Option<&ClassResult> {
        self.classes.iter().find(|result| result.class == *class)
    }

    /// Whether its verdict is still to come.
    pub(crate) const fn is_unjudged(&self) -> bool {
        self.watched.is_some()
    }

    /// How many files are in each state; none where nothing was queued.
    pub(crate) fn file_states(&self) -> StateCounts {
        match (&self.watched, self.judged) {
            (Some(files), _) => files.values().map(|file| file.state).collect(),
            (None, Some(judged)) => judged.files,
            (None, None) => StateCounts::default(),
        }
    }

    /// Whether the program ended, or gave up, before the answer.
    pub(crate) fn was_interrupted(&self) -> bool {
        let why = Lost::Interrupted;
        self.outcome
            .is_some_and(|(_, outcome)| outcome == Outcome::Unknown { why })
    }

    /// Replaces every time.
    pub(super) fn set_times(&mut self, time: impl Fn(Timestamp) -> Timestamp) {
        let outcome = self.outcome.iter_mut().map(|(at, _)| at);
        let judged = self.judged.iter_mut().map(|judged| &mut judged.at);
        for at in outcome.chain(judged).chain([&mut self.intended]) {
            *at = time(*at);
        }
    }

    /// The last time that anything was written of it.
    pub(crate) fn last_change(&self) -> Timestamp {
        let answered = self.outcome.map(|(at, _)| at);
        let judged = self.judged.map(|judged| judged.at);
        let later = answered.max(judged).unwrap_or(self.intended);
        self.intended.max(later)
    }
}

/// The files of an intent; those of classes beyond [`MAX_CLASSES`] with [`Class::Other`].
pub(super) fn with_few_classes(files: Vec<(FileKey, SentFile)>) -> FileMap<SentFile> {
    let mut classes: BTreeSet<Class> = BTreeSet::new();
    let bounded = files.into_iter().map(|(key, mut file)| {
        if classes.len() >= MAX_CLASSES && !classes.contains(&file.class) {
            file.class = Class::Other;
        } else {
            classes.insert(file.class.clone());
        }
        (key, file)
    });
    bounded.collect()
}

/// Counts the results of the files of each class.
pub(super) fn class_results(files: &FileMap<SentFile>) -> Arc<[ClassResult]> {
    let mut results: BTreeMap<_, ClassResult> = BTreeMap::new();
    for file in files.values() {
        // Texts first: a counter is worth more to a class that says something.
        let order = (!file.class.is_text(), &file.class);
        let result = results.entry(order).or_insert_with(|| ClassResult {
            class: file.class.clone(),
            sent: 0,
            recovered: 0,
            refailed: 0,
        });
        result.sent += 1;
        result.recovered += u64::from(file.state == FileState::Done);
        result.refailed += u64::from(file.state == FileState::Refailed);
    }
    results.into_values().collect()
}
