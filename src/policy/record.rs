//! The results of retries for each error class so far: for people, in `kb-exporter reindex classes` and on the status page.

use std::cmp::Reverse;

use crate::classify::Class;
use crate::ledger::{ClassTotals, LedgerView};
use crate::model::Timestamp;
use crate::policy::class::{ClassState, Response};

/// The results of retries for one class of a portal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassRecord {
    pub class: Class,
    pub response: Response,
    pub files: ClassTotals,
    /// When files of it were sent last.
    pub last: Option<Timestamp>,
}

/// The classes of a portal, those with most files first.
pub(crate) fn class_records(ledger: &LedgerView) -> Vec<ClassRecord> {
    let classes = ledger.classes().iter();
    let mut records: Vec<_> = classes
        .map(|(class, files)| {
            let ClassState { response, last, .. } = ClassState::of(ledger, class);
            ClassRecord {
                class: class.clone(),
                response,
                files: *files,
                last,
            }
        })
        .collect();
    records.sort_by_key(|record| Reverse(record.files.total()));
    records
}
