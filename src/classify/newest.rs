//! The failed and flagged files of a folder that were created last, by name: for people who ask which files these are.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::classify::Reason;
use crate::classify::line::one_line;
use crate::classify::reader::start_of;
use crate::classify::secrets::shown;
use crate::model::{FileKey, Status, Timestamp};

const MAX_FILES: usize = 10;

const CHARACTERS: usize = 200;

/// A failed or flagged file, with its name and reason on one line and cut. The reason has no secrets. The order of files is that of their
/// creation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NamedFile {
    pub created: Option<Timestamp>,
    pub key: FileKey,
    pub status: Status,
    pub name: Arc<str>,
    pub reason: Arc<str>,
}

/// A few files, those created last first. Of a read, names and reasons are as they came, until they join those known before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NewestFiles(BTreeSet<NamedFile>);

impl NewestFiles {
    pub fn iter(&self) -> impl Iterator<Item = &NamedFile> {
        self.0.iter().rev()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// These as they are shown, and those known before that are still as they were.
    pub fn or_known(&self, before: Option<&Self>, is_still: impl Fn(&NamedFile) -> bool) -> Self {
        let mut files = Self::default();
        let before = before.into_iter().flat_map(Self::iter);
        for file in before.filter(|file| is_still(file)) {
            files.add(file.clone());
        }
        for file in &self.0 {
            files.add(NamedFile {
                name: one_line(&file.name, CHARACTERS).into(),
                reason: shown(&file.reason, CHARACTERS).into(),
                ..file.clone()
            });
        }
        files
    }

    /// Adds a file with its name and reason as they came, unless it is older than all others and there are enough of them.
    pub(super) fn note(
        &mut self,
        key: FileKey,
        status: Status,
        created: Option<Timestamp>,
        reason: Reason<'_>,
    ) {
        let is_older = |oldest: &NamedFile| oldest.created >= created;
        if self.0.len() < MAX_FILES || !self.0.first().is_some_and(is_older) {
            self.add(NamedFile {
                created,
                key,
                status,
                name: reason.file.into(),
                reason: start_of(reason.text.unwrap_or_default()).into(),
            });
        }
    }

    fn add(&mut self, file: NamedFile) {
        self.0.retain(|known| known.key != file.key);
        self.0.insert(file);
        if self.0.len() > MAX_FILES {
            self.0.pop_first();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(numbers: impl IntoIterator<Item = i64>) -> NewestFiles {
        let mut files = NewestFiles::default();
        for number in numbers {
            let id = u128::from(number.unsigned_abs());
            let reason = Reason {
                text: Some("page 1\nlost"),
                file: &format!("{number}\u{202e}.pdf"),
            };
            let created = (number > 0).then(|| Timestamp::from_millis(number));
            files.note(FileKey { link: 1, id }, Status::Failed, created, reason);
        }
        files.or_known(None, |_| true)
    }

    fn ids(files: &NewestFiles) -> Vec<u128> {
        files.iter().map(|file| file.key.id).collect()
    }

    #[test]
    fn the_newest_files_are_kept_in_whatever_order_they_come() {
        let newest = noted((1..50).chain([3, 99, 99, 0, 60]));
        assert_eq!(ids(&newest), [99, 60, 49, 48, 47, 46, 45, 44, 43, 42]);
        let first = newest.iter().next().unwrap();
        assert_eq!(
            (&*first.name, &*first.reason),
            ("99\u{fffd}.pdf", "page 1 lost")
        );
    }

    #[test]
    fn files_that_no_read_lists_again_stay_while_they_are_as_they_were() {
        let known = noted([1, 5, 9]).or_known(Some(&noted([2, 5, 7])), |file| file.key.id != 7);
        assert_eq!(ids(&known), [9, 5, 2, 1]);
    }
}
