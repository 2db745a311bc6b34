//! The results of retries for each error class so far: for people, in `kb-exporter reindex classes` and on the status page.

use std::cmp::Reverse;

use crate::attempts::{ClassTotals, LedgerView};
use crate::classify::Class;
use crate::model::Timestamp;
use crate::policy::class::ClassState;

/// The results of retries for one class of a portal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassRecord {
    pub class: Class,
    /// Until when every folder with files of it is sent, because enough of its files came back; `None` while folders only try it.
    pub good_until: Option<Timestamp>,
    pub files: ClassTotals,
    /// When files of it were sent last.
    pub last: Option<Timestamp>,
}

impl ClassRecord {
    /// Whether a retry helps, for people.
    pub(crate) const fn a_retry(&self) -> &'static str {
        match (self.good_until, self.files.recovered, self.files.refailed) {
            (Some(_), ..) => "helps",
            (None, 0, 0) => "may help",
            (None, 0, _) => "has not helped",
            (None, ..) => "has helped",
        }
    }
}

/// The classes of a portal, those with most files first.
pub(crate) fn class_records(ledger: &LedgerView, now: Timestamp) -> Vec<ClassRecord> {
    let classes = ledger.classes().iter();
    let mut records: Vec<_> = classes
        .map(|(class, files)| {
            let state = ClassState::of(ledger, class, now);
            ClassRecord {
                class: class.clone(),
                good_until: state.good_until(),
                files: *files,
                last: state.last.map(|(last, _)| last),
            }
        })
        .collect();
    records.sort_by_key(|record| Reverse(record.files.total()));
    records
}
