//! What is known of the retries of each class, for people: in `kb-exporter reindex classes` and on the status page.

use std::cmp::Reverse;
use std::time::Duration;

use crate::attempts::{Book, ClassTotals};
use crate::classify::Class;
use crate::model::Timestamp;
use crate::policy::class::ClassState;

/// The results of retries for one class of a portal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassRecord {
    pub class: Class,
    /// Until when every folder with files of it is sent, because enough of its files came back; `None` while folders only try it.
    pub good_until: Option<Timestamp>,
    /// How many of the newest files with a result came back, and how many these are: they decide whether the class is good.
    pub newest: (u64, u64),
    /// The end of the pause between two tries, while it pauses. A try may come earlier, when an outage has ended.
    pub paused_until: Option<Timestamp>,
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

/// The classes of a portal, those with most files first. `cooldown`: of the portal's rules.
pub(crate) fn class_records(ledger: &Book, cooldown: Duration, now: Timestamp) -> Vec<ClassRecord> {
    let classes = ledger.classes().iter();
    let mut records: Vec<_> = classes
        .map(|(class, files)| {
            let state = ClassState::of(ledger, class, now);
            let pauses = state.good_until().is_none() && state.in_vain > 0;
            let paused_until = state.paused_until(cooldown).filter(|_| pauses);
            ClassRecord {
                class: class.clone(),
                good_until: state.good_until(),
                newest: (state.back, state.known),
                paused_until: paused_until.filter(|until| *until > now),
                files: *files,
                last: state.last.map(|(last, _)| last),
            }
        })
        .collect();
    records.sort_by_key(|record| Reverse(record.files.total()));
    records
}
