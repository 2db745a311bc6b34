//! The files of a folder are stored in parts, so that a change of a few files writes a few parts anew.

use std::collections::{BTreeMap, BTreeSet};

use flate2::Crc;

use crate::history::FileHistory;
use crate::model::FileKey;
use crate::store::error::StoreError;
use crate::store::packed::pack;

/// Files of one part, on average and at most.
const FILES_OF_PART: usize = 256;

/// Which parts of a folder's files differ from what is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileParts {
    /// How many parts there are.
    number: u32,
    /// `None`: all, however many parts are stored.
    changed: Option<BTreeSet<u32>>,
}

/// All files are to be written.
impl Default for FileParts {
    fn default() -> Self {
        Self {
            number: 1,
            changed: None,
        }
    }
}

impl FileParts {
    /// Nothing differs from what is stored in this number of parts.
    pub(super) fn stored(number: u32) -> Self {
        Self {
            number: number.max(1),
            changed: Some(BTreeSet::new()),
        }
    }

    pub fn are_stored(&self) -> bool {
        self.changed.as_ref().is_some_and(BTreeSet::is_empty)
    }

    /// Whether all files take the place of those that are stored.
    pub(super) fn replace(&self) -> bool {
        self.changed.is_none()
    }

    /// Notes files that changed, or are not known any more.
    pub fn note(&mut self, files: impl IntoIterator<Item = FileKey>) {
        let number = self.number;
        if let Some(changed) = &mut self.changed {
            changed.extend(files.into_iter().map(|key| part(key, number)));
        }
    }

    /// Takes the parts that a write of a folder with this number of files writes.
    pub fn take(&mut self, files: usize) -> Self {
        let fitting = u32::try_from(files / FILES_OF_PART).unwrap_or(u32::MAX / 2);
        let fitting = fitting.next_power_of_two();
        let fits = fitting <= self.number && self.number / 4 <= fitting;
        if self.replace() || !(fits || self.are_stored()) {
            self.number = fitting;
            self.changed = None;
        }
        std::mem::replace(self, Self::stored(self.number))
    }

    pub(super) fn changed(&self) -> Vec<u32> {
        match &self.changed {
            Some(changed) => changed.iter().copied().collect(),
            None => (0..self.number).collect(),
        }
    }

    /// The documents of some parts.
    pub(super) fn documents(
        &self,
        parts: &[u32],
        files: &FileHistory,
    ) -> Result<Vec<(u32, Vec<u8>)>, StoreError> {
        let parts = parts.iter().map(|part| (*part, Vec::new()));
        let mut parts: BTreeMap<u32, Vec<_>> = parts.collect();
        for (key, file) in files {
            if let Some(part) = parts.get_mut(&part(*key, self.number)) {
                part.push((key, file));
            }
        }
        let parts = parts.into_iter();
        parts.map(|(at, files)| Ok((at, pack(&files)?))).collect()
    }
}

/// The same in every version of the program.
fn part(key: FileKey, number: u32) -> u32 {
    let mut crc = Crc::new();
    crc.update(&key.link.to_be_bytes());
    crc.update(&key.id.to_be_bytes());
    crc.sum() % number
}
