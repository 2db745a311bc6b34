//! The folders that are collected.

use kb_simulator::{Counts, Status};

/// Rows of a page.
pub const PAGE_ROWS: u64 = 100;

/// What state the files of a folder are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// All is well.
    AllDone,
    /// So many in each of the four other statuses.
    NotDone(u64),
}

/// A folder.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// Its files.
    pub files: u64,
    /// Their state.
    pub state: State,
}

impl Case {
    /// Its files by status; none where it has fewer files than are to be not done.
    pub fn counts(self) -> Option<Counts> {
        let each = match self.state {
            State::AllDone => 0,
            State::NotDone(each) => each,
        };
        let others = Status::KNOWN.into_iter().filter(|s| *s != Status::Done);
        let mut counts: Counts = others
            .filter(|_| each > 0)
            .map(|status| (status, each))
            .collect();
        let done = self.files.checked_sub(counts.values().sum())?;
        counts.insert(Status::Done, done);
        Some(counts)
    }

    /// Requests of a collection that reads every page: the list of folders, and one for each.
    pub fn every_page(self) -> u64 {
        self.files.div_ceil(PAGE_ROWS) + 1
    }

    /// What the table calls the state.
    pub fn name(self) -> String {
        match self.state {
            State::AllDone => "all done".to_owned(),
            State::NotDone(each) => format!("4 × {each} not done"),
        }
    }
}
