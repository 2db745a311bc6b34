//! When a folder is due for an audit.

use std::time::Duration;

use tokio::time::Instant;

use crate::clock::Moment;
use crate::history::FullRead;
use crate::model::{ByStatus, FolderId};
use crate::snapshot::SortingState;

/// An audit that failed is tried again after this part of `full_every`; while sorting is only assumed, folders that changed are audited
/// again as often.
pub(super) const SOON_SHARE: u32 = 24;

/// Shortest time between two audits of a folder, as a part of `full_every`.
const LEAST_SHARE: f64 = 0.75;

#[derive(Debug, Default)]
pub(in crate::collect) struct AuditLog {
    /// The last one failed, and is not tried again before this.
    pub retry_at: Option<Instant>,
    /// The counts at the last one of this process.
    pub counts_at_last: Option<ByStatus<u64>>,
    /// Whether the last one found that the portal counts files that it does not list.
    pub lacks_rows: bool,
}

/// The input of the audit schedule in addition to the folder.
#[derive(Debug, Clone, Copy)]
pub(super) struct AuditConditions {
    pub every: Duration,
    pub sorting: SortingState,
    pub now: Moment,
}

impl AuditLog {
    /// Whether a folder is to be audited. Due times of folders that were audited at the same time are spread by their ids.
    pub(super) fn is_due(
        &self,
        folder: FolderId,
        full_read: Option<FullRead>,
        counts: ByStatus<u64>,
        conditions: AuditConditions,
    ) -> bool {
        let AuditConditions {
            every,
            sorting,
            now,
        } = conditions;
        let waits = self.retry_at.is_some_and(|time| now.steady < time);
        let older = |age| full_read.is_none_or(|full| now.wall.since(full.at) >= age);
        let unproven = sorting == SortingState::Assumed
            && match self.counts_at_last {
                None => true,
                Some(last) => last != counts && older(every / SOON_SHARE),
            };
        !waits && (unproven || older(every.mul_f64(share(folder))))
    }
}

/// The part of `full_every` after which a folder is audited: from three quarters to all of it.
fn share(folder: FolderId) -> f64 {
    LEAST_SHARE + (1.0 - LEAST_SHARE) * folder.fraction()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Status;

    const DAY: Duration = Duration::from_hours(24);

    fn id(number: u128) -> FolderId {
        uuid::Uuid::from_u128(number).into()
    }

    fn counts(done: u64) -> ByStatus<u64> {
        ByStatus::from_fn(|status| if status == Status::Done { done } else { 0 })
    }

    fn due(sorting: SortingState) -> AuditConditions {
        AuditConditions {
            every: DAY,
            sorting,
            now: Moment::now(),
        }
    }

    fn read(before: Duration, due: AuditConditions) -> FullRead {
        FullRead {
            at: due.now.wall.before(before),
            sizes: ByStatus::default(),
        }
    }

    #[test]
    fn a_folder_is_audited_when_it_never_was_and_every_day_before_the_day_is_over() {
        let (due, audits) = (due(SortingState::Shown), AuditLog::default());
        for number in [0, u128::MAX / 3, u128::MAX] {
            let is_due = |before: Option<Duration>| {
                let last = before.map(|before| read(before, due));
                audits.is_due(id(number), last, counts(1), due)
            };
            assert!(is_due(None) && is_due(Some(DAY)));
            assert!(!is_due(Some(DAY / 2)));
        }
        let spread = |number| {
            let last = Some(read(DAY * 7 / 8, due));
            audits.is_due(id(number), last, counts(1), due)
        };
        assert!(spread(0) && !spread(u128::MAX));
    }

    #[test]
    fn while_sorting_is_assumed_each_process_audits_and_audits_again_what_changed() {
        let due = due(SortingState::Assumed);
        let is_due = |last: Option<u64>, ago: Duration| {
            let audits = AuditLog {
                counts_at_last: last.map(counts),
                ..AuditLog::default()
            };
            audits.is_due(id(1), Some(read(ago, due)), counts(5), due)
        };
        assert!(is_due(None, Duration::ZERO));
        assert!(is_due(Some(4), DAY / 24));
        assert!(!is_due(Some(4), DAY / 25));
        assert!(!is_due(Some(5), DAY / 2));
    }

    #[test]
    fn an_audit_that_failed_is_not_tried_again_at_once() {
        let audits = AuditLog {
            retry_at: Some(Moment::now().steady + DAY),
            ..AuditLog::default()
        };
        assert!(!audits.is_due(id(1), None, counts(1), due(SortingState::Assumed)));
    }
}
