//! The files of one folder that are not done.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::classify::{Class, ClassCounts, count_classes};
use crate::count::{MAX_REMEMBERED, Unfinished};
use crate::model::{ByStatus, FileKey, FileMap, Status, Timestamp};

/// The files of a folder that are not done. Some that the last read did not list are among them.
pub type FileHistory = FileMap<KnownFile>;

/// A file that is not done, as it was seen last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownFile {
    pub status: Status,
    /// Its last status with a reason (failed or flagged), if it was not done since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<Status>,
    /// Since when it is in this state: first seen there, or its createdAt if it was there at the folder's first count.
    pub since: Timestamp,
    /// The createdAt of a file whose indexing time will count: it was first seen not done, never failed or flagged,
    /// and arrived after the read before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timed_from: Option<Timestamp>,
    /// Since when reads of all rows have missed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missed_since: Option<Timestamp>,
    /// Whether it was taken for done when it was first missed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_done: bool,
    /// Whether most files of its folder were missed with it, so that it may come back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_away: bool,
    /// The class of its reason, if it failed or is flagged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<Class>,
}

impl KnownFile {
    /// Whether a status with a reason has this file, and no read took it for done or missed it since.
    pub(super) fn is_settled(&self) -> bool {
        self.settled == Some(self.status) && !self.is_done && self.missed_since.is_none()
    }
}

/// The failed and flagged files that are not missed, in no order.
pub fn settled(history: &FileHistory) -> impl Iterator<Item = (&FileKey, &KnownFile)> {
    history.iter().filter(|(_, file)| file.is_settled())
}

/// Whether failed or flagged files are forgotten if whole rows miss them once more.
pub fn misses_files(history: &FileHistory) -> bool {
    let mut files = history.values();
    files.any(|file| file.settled.is_some() && file.missed_since.is_some() && !file.is_away)
}

/// The failed and flagged files by class: as many as were counted, and first those that the count listed.
pub fn classes(
    history: &FileHistory,
    counted: &ByStatus<u64>,
    is_listed: impl Fn(&FileKey) -> bool + Copy,
) -> ClassCounts {
    let files = [true, false]
        .into_iter()
        .flat_map(|listed| settled(history).filter(move |(key, _)| is_listed(key) == listed));
    let classes = files.filter_map(|(_, file)| Some((file.status, file.class.as_ref()?)));
    count_classes(classes, counted)
}

/// Since when the longest-waiting file is in each status: of those that the count listed, and of the failed and flagged files.
pub fn oldest(
    history: &FileHistory,
    is_listed: impl Fn(&FileKey) -> bool,
) -> ByStatus<Option<Timestamp>> {
    let mut oldest = ByStatus::<Option<Timestamp>>::default();
    let is_there =
        |key, file: &KnownFile| file.is_settled() || file.missed_since.is_none() && is_listed(key);
    for (_, file) in history.iter().filter(|(key, file)| is_there(key, file)) {
        let oldest = &mut oldest[file.status];
        *oldest = Some(oldest.map_or(file.since, |oldest| oldest.min(file.since)));
    }
    oldest
}

/// The files that exceed the limit, if all that are known or listed were remembered. First come those that failed or are flagged, then those that
/// wait, and last those that were missed; in each, the listed ones come first, of these the known ones and the oldest, and of the others the newest.
pub(super) fn excess(history: &FileHistory, listed: &FileMap<Unfinished>) -> HashSet<FileKey> {
    if history.len() + listed.len() <= MAX_REMEMBERED {
        return HashSet::new();
    }
    let of_listed = listed.iter().map(|(key, file)| {
        let created = file.created_at.map_or(i64::MIN, Timestamp::as_millis);
        let is_new = !history.contains_key(key);
        (
            false,
            !file.status.has_reason(),
            false,
            is_new,
            created,
            key,
        )
    });
    let unlisted = history.iter();
    let unlisted = unlisted.filter(|(key, _)| !listed.contains_key(key));
    let unlisted = unlisted.map(|(key, file)| {
        let (is_missed, waits) = (file.missed_since.is_some(), file.settled.is_none());
        (is_missed, waits, true, false, -file.since.as_millis(), key)
    });
    let mut ranked: Vec<_> = of_listed.chain(unlisted).collect();
    ranked.sort_unstable();
    let excess = ranked.into_iter().skip(MAX_REMEMBERED);
    excess.map(|(.., key)| *key).collect()
}
