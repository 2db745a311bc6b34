//! What changed in a folder in the last day, for the pages and for what they say is new.

use serde::{Deserialize, Serialize};

use crate::model::{ByStatus, Series, Status, Timestamp};

/// The last day of a folder. Files are noted every quarter of an hour, entries every five minutes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Day {
    /// When it was noted first.
    pub began: Timestamp,
    pub failed: Series,
    pub flagged: Series,
    /// Pending and processing files.
    pub waiting: Series,
    pub failed_entries: Series,
    pub flagged_entries: Series,
    /// Entries into `done`, `failed` and `flagged` together.
    pub finished_entries: Series,
}

impl Day {
    /// Notes a count of the folder and the entries until then.
    pub fn note(&mut self, at: Timestamp, files: &ByStatus<u64>, entries: &ByStatus<u64>) {
        let step = Series::step(at);
        let quarter = step - step % 3;
        if self.began == Timestamp::default() {
            self.began = at;
        }
        let [done, failed, flagged] =
            [Status::Done, Status::Failed, Status::Flagged].map(|status| entries[status]);
        self.failed.note(quarter, files[Status::Failed]);
        self.flagged.note(quarter, files[Status::Flagged]);
        let waiting = files[Status::Pending] + files[Status::Processing];
        self.waiting.note(quarter, waiting);
        self.failed_entries.note(step, failed);
        self.flagged_entries.note(step, flagged);
        self.finished_entries.note(step, done + failed + flagged);
    }
}
