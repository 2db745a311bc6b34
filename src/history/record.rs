//! The facts that are stored about a folder.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::classify::{Class, ClassCounts, ClassExamples, NamedFile, NewestFiles};
use crate::count::{DoneFiles, FolderCount, Way};
use crate::history::day::Day;
use crate::history::entries::Unidentified;
use crate::history::indexing::IndexingTimes;
use crate::model::{ByStatus, FileKey, FileMap, FolderSizes, Status, Timestamp};

/// A file that is not done, as it was seen last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownFile {
    pub status: Status,
    /// Its last status with a reason (failed or flagged), if it was not done since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled: Option<Status>,
    /// Since when it is in this state: first seen there, or its createdAt if it was there at the folder's first count.
    pub since: Timestamp,
    /// The createdAt of a file whose indexing time will count: it was first seen not done, never failed or flagged,
    /// and arrived after the read before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timed_from: Option<Timestamp>,
    /// Since when reads of all rows have missed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missed_since: Option<Timestamp>,
    /// Whether it was taken for done when it was first missed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_done: bool,
    /// Whether most files of its folder were missed with it, so that it may come back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_away: bool,
    /// The class of its reason, if it failed or is flagged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Class>,
}

impl KnownFile {
    /// Whether a status with a reason has this file, and no read took it for done since.
    pub(super) fn is_settled(&self) -> bool {
        self.settled == Some(self.status) && !self.is_done
    }

    /// Its status and the class of its reason, if it failed or is flagged.
    fn class(&self) -> Option<(Status, &Class)> {
        Some((self.status, self.class.as_ref()?))
    }
}

/// The files of one folder that are not done. Files that the last read did not list are among them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileHistory {
    files: FileMap<KnownFile>,
}

impl FileHistory {
    /// Whether this file was not done when it was seen last.
    pub fn remembers(&self, key: FileKey) -> bool {
        self.files.contains_key(&key)
    }

    /// The remembered data of a file.
    pub fn get(&self, key: FileKey) -> Option<&KnownFile> {
        self.files.get(&key)
    }

    /// Every remembered file, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (FileKey, &KnownFile)> {
        self.files.iter().map(|(key, file)| (*key, file))
    }

    pub fn len(&self) -> usize {
        self.files.len()
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The failed and flagged files that are not missed, in no order.
    pub fn settled(&self) -> impl Iterator<Item = (FileKey, &KnownFile)> {
        let files = self.iter();
        files.filter(|(_, file)| file.is_settled() && file.missed_since.is_none())
    }

    /// Applies the changes by a read.
    pub fn update(&mut self, changed: Vec<(FileKey, KnownFile)>, forgotten: &[FileKey]) {
        for key in forgotten {
            self.files.remove(key);
        }
        // `extend` would make room for all of them, although most are known.
        for (key, file) in changed {
            self.files.insert(key, file);
        }
    }

    /// The failed and flagged files by class, as they are stored: as many as were counted.
    pub fn stored_classes(&self, counted: &ByStatus<u64>) -> ClassCounts {
        let files = self.settled().map(|(_, file)| file);
        ClassCounts::of(
            files.filter_map(KnownFile::class),
            counted,
            &ClassExamples::default(),
        )
    }

    /// The failed and flagged files by class, after a read: as many as were counted, those first that it listed.
    pub fn classes(&self, count: &FolderCount) -> ClassCounts {
        let files = [true, false].into_iter().flat_map(|listed| {
            let files = self.settled();
            files.filter(move |(key, _)| count.unfinished.contains_key(key) == listed)
        });
        let classes = files.filter_map(|(_, file)| file.class());
        ClassCounts::of(classes, &count.files, &count.examples)
    }

    /// Since when the longest-waiting file is in each status, after a read: of the rows that it listed, and of the failed and flagged files.
    pub fn oldest(&self, count: &FolderCount) -> ByStatus<Option<Timestamp>> {
        let listed = count.unfinished.keys();
        let listed = listed.filter_map(|key| self.get(*key));
        let settled = self.settled().map(|(_, file)| file);
        oldest(listed.chain(settled))
    }

    /// The same by what is stored.
    pub fn stored_oldest(&self) -> ByStatus<Option<Timestamp>> {
        let files = self.files.values();
        oldest(files.filter(|file| file.missed_since.is_none()))
    }
}

/// Since when the longest-waiting file is in each status.
fn oldest<'a>(files: impl Iterator<Item = &'a KnownFile>) -> ByStatus<Option<Timestamp>> {
    let mut oldest = ByStatus::<Option<Timestamp>>::default();
    for file in files {
        let oldest = &mut oldest[file.status];
        *oldest = Some(oldest.map_or(file.since, |oldest| oldest.min(file.since)));
    }
    oldest
}

impl From<FileMap<KnownFile>> for FileHistory {
    fn from(files: FileMap<KnownFile>) -> Self {
        Self { files }
    }
}

impl FromIterator<(FileKey, KnownFile)> for FileHistory {
    fn from_iter<I: IntoIterator<Item = (FileKey, KnownFile)>>(files: I) -> Self {
        Self {
            files: files.into_iter().collect(),
        }
    }
}

impl FolderRecord {
    /// Notes in the day what a count found, and the newest files of those that were known, too. `history`: the files after the count.
    pub fn note_day(&mut self, count: &FolderCount, history: &FileHistory) {
        let (files, entries) = (self.counts, self.counters.entries);
        Arc::make_mut(&mut self.day).note(self.counted, &files, &entries);
        let is_still = |file: &NamedFile| {
            let known = history.get(file.key);
            known.is_some_and(|known| known.is_settled() && known.status == file.status)
        };
        let newest = count
            .examples
            .newest
            .clone()
            .or_known(self.newest.as_deref(), is_still);
        if self.newest.as_deref().unwrap_or(&NewestFiles::default()) != &newest {
            self.newest = (!newest.is_empty()).then(|| Arc::new(newest));
        }
    }
}

/// The entry of a folder in the list of folders, as far as it shows changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListEntry {
    pub file_count: u64,
    pub updated_at: Option<Timestamp>,
}

impl ListEntry {
    /// Whether this differs from an earlier one. A missing `updated_at` is no difference.
    pub fn differs(self, earlier: Self) -> bool {
        let updated = self.updated_at.zip(earlier.updated_at);
        self.file_count != earlier.file_count || updated.is_some_and(|(now, then)| now != then)
    }
}

/// What a consistent full scan counted, and the folder's entry when it began: the counts of a folder that has not changed since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scanned {
    pub counts: ByStatus<u64>,
    pub entry: ListEntry,
}

/// Facts that only a read of every page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FullRead {
    /// When the last page was read.
    pub at: Timestamp,
    pub sizes: FolderSizes,
    /// Files that the total counts and no page lists.
    pub missing_rows: u64,
    /// Rows that it found again.
    #[serde(default)]
    pub repeated_rows: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scanned: Option<Scanned>,
}

impl FullRead {
    /// The last full read after a count. `entry`: the folder's entry when the read began.
    pub fn after(
        before: Option<Self>,
        count: &FolderCount,
        entry: Option<ListEntry>,
        ended: Timestamp,
    ) -> Option<Self> {
        let DoneFiles::Read { sizes, .. } = &count.done else {
            return before;
        };
        Some(Self {
            at: ended,
            sizes: *sizes,
            missing_rows: count.missing_rows,
            repeated_rows: count.repeated_rows,
            scanned: entry.filter(|_| count.consistent).map(|entry| Scanned {
                counts: count.files,
                entry,
            }),
        })
    }
}

/// The stored facts about the last count of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderRecord {
    /// When its first count ended: no file was seen in any state before that.
    pub first_counted: Timestamp,
    /// When the last read that counted the folder began.
    pub began: Timestamp,
    /// When that read ended: the time of the counts.
    pub counted: Timestamp,
    /// The last time that every page was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_read: Option<FullRead>,
    /// Files by status at that read.
    pub counts: ByStatus<u64>,
    pub look: Look,
    /// The files of each status that were counted, and whose rows no read has shown.
    pub unidentified: ByStatus<Unidentified>,
    /// The counters since the folder was first counted. Shared, because in most folders they seldom change.
    pub counters: Arc<FolderCounters>,
    #[serde(default)]
    pub day: Arc<Day>,
    /// The newest failed and flagged files whose rows were read, if there are some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest: Option<Arc<NewestFiles>>,
}

impl FolderRecord {
    /// Whether no read has shown anything of the folder: its list was empty, although the list of folders reports files.
    pub(super) fn shows_nothing(&self) -> bool {
        self.counts.total() == 0 && self.unidentified == ByStatus::default()
    }
}

/// How a folder was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    pub way: Way,
    /// Whether all totals agreed, the rows were as many as the total, and either all rows were read and distinct, or every boundary
    /// between statuses was the same in both passes.
    pub consistent: bool,
    pub requests: u64,
    /// How long it took.
    pub duration: Duration,
    /// Files that the list of folders reports, and that reads do not find; 0 until several reads agree on that.
    pub missing_files: u64,
}

/// The counters of a folder, which never decrease.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderCounters {
    pub entries: ByStatus<u64>,
    /// How long files took from upload to done.
    pub indexing: IndexingTimes,
}

impl FolderCounters {
    /// Each counter is at least as large as another one.
    pub fn raise(&mut self, to: &Self) {
        let (entries, others) = (self.entries, to.entries);
        self.entries = ByStatus::from_fn(|status| entries[status].max(others[status]));
        self.indexing.raise(&to.indexing);
    }
}
