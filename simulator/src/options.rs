//! What a simulated portal is made of, and which answers it gives where docs/portal.md leaves them open.

use std::time::Duration;

use chrono::{DateTime, Utc};

use super::status::Status;

/// How a simulated portal is set up.
#[derive(Clone, Debug)]
pub struct Options {
    /// Same seed, same steps: same world.
    pub seed: u64,
    /// How much faster than life files arrive and are processed; 0: nothing moves by itself.
    pub speed: f64,
    /// The time at which the world begins to live, which then has no other clock; none: timestamps are those of the machine's clock.
    pub start: Option<DateTime<Utc>>,
    /// Folders of the starting world. The first is the large one; the last is empty when there are two or more.
    pub folders: usize,
    /// Files of the starting world; two thirds of them lie in the first folder.
    pub files: usize,
    /// Whether recordings are converted to text.
    pub transcription: bool,
    /// The key that may use every folder of the starting world, and every folder that `World::add_folder` makes.
    pub key: String,
    /// Path in front of `/api/…`, such as `/admin`; empty for none.
    pub base_path: String,
    pub switches: Switches,
    /// Capacity of the journal, in changes, and of the log of requests, in requests.
    pub log_capacity: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 1,
            speed: 1.0,
            start: None,
            folders: 12,
            files: 60_000,
            transcription: false,
            key: "kbk_demo".to_owned(),
            base_path: String::new(),
            switches: Switches::default(),
            log_capacity: 100_000,
        }
    }
}

/// Answers that the interface leaves open, where a real portal may differ (docs/portal.md, Undocumented behaviour).
#[derive(Clone, Debug)]
pub struct Switches {
    /// `totalPages` when nothing is listed.
    pub empty_pages: EmptyPages,
    /// Statuses in ascending order under `sortBy=indexStatus`; equal ones always lie together.
    pub status_order: Vec<Status>,
    /// Where statuses go that `status_order` does not name.
    pub unnamed_statuses: Position,
    /// Order among rows with equal keys.
    pub equals: Equals,
    /// Order when `sortOrder` is absent or is neither `asc` nor `desc`.
    pub default_order: SortOrder,
    /// Whether `sortBy` and `sortOrder` have an effect.
    pub sort_parameters: SortParameters,
    /// Whether the list of folders has the `fileCount` of a folder; otherwise it is 0.
    pub reports_file_counts: bool,
    /// Files that the total of the file list counts in addition to the listed ones.
    pub hidden_files: usize,
    /// Rows of the page before with which each page but the first begins.
    pub overlap: usize,
    /// How far the index, by which files are listed, is behind the files themselves: rows show what the files are now.
    pub index_delay: Duration,
    /// Size to which larger pages of the file list are cut; docs/portal.md says 100.
    pub max_page_size: usize,
    /// What the `updatedAt` of a folder follows.
    pub updated_at: UpdatedAt,
    /// Whether a deleted folder is still in the list of the keys that may use it.
    pub deleted_folders: DeletedFolders,
}

impl Default for Switches {
    fn default() -> Self {
        Self {
            empty_pages: EmptyPages::Zero,
            status_order: Status::KNOWN.to_vec(),
            unnamed_statuses: Position::Last,
            equals: Equals::Fixed,
            default_order: SortOrder::Ascending,
            sort_parameters: SortParameters::Obeyed,
            reports_file_counts: true,
            hidden_files: 0,
            overlap: 0,
            index_delay: Duration::ZERO,
            max_page_size: 100,
            updated_at: UpdatedAt::Files,
            deleted_folders: DeletedFolders::Listed,
        }
    }
}

/// `totalPages` when nothing is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyPages {
    Zero,
    /// There is one empty page.
    One,
}

/// Where something lies in an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// Before all others in ascending order, behind them in descending order.
    First,
    /// Behind all others in ascending order, before them in descending order.
    Last,
    /// Behind all others in both directions, as databases do that put nulls last.
    LastEitherWay,
}

/// Order among rows with equal keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equals {
    /// Always the same: by name, path and link.
    Fixed,
    /// Another at each request, as a database may answer: pages then overlap and leave rows out.
    Shifting,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortOrder {
    Ascending,
    Descending,
}

/// Whether sort parameters have an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortParameters {
    Obeyed,
    /// `sortBy` has an effect; the order is always the default one.
    OrderIgnored,
    /// `sortOrder` has an effect; it is always by filename.
    ByIgnored,
    /// Always by filename in the default order.
    Ignored,
    /// Always by creation time, in the default order.
    ByCreation,
    /// Always by filename without regard to case, in the default order.
    CaseIgnored,
}

/// What the `updatedAt` of a folder follows, which is not documented. Later variants follow less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UpdatedAt {
    /// Everything, also a file that takes another status.
    Statuses,
    /// Files that come, go or are replaced.
    Files,
    /// The folder itself: what becomes of its files is no change of it.
    Folder,
}

/// Whether a deleted folder stays in the list of own folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletedFolders {
    /// The key's list is not updated: the folder stays in it with its last `fileCount`, and answers 404.
    Listed,
    /// The folder leaves the list, and answers 404.
    Unlisted,
}
