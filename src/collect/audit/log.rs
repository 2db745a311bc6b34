//! What is known of the audits of one folder, and when the next one is due: pure.

use std::time::Duration;

use tokio::time::Instant;

use crate::clock::Moment;
use crate::collect::audit::comparison::{Audited, Range, Verdict};
use crate::history::FullRead;
use crate::model::{ByStatus, FolderId};

/// An audit that failed is tried again after this part of `full_every`, and one that did not show that the folder is sorted.
pub(super) const SOON_SHARE: u32 = 24;

/// Shortest time between two audits of a folder, as a part of `full_every`.
const LEAST_SHARE: f64 = 0.75;

#[derive(Debug, Default)]
pub(in crate::collect) struct AuditLog {
    state: State,
    /// The last one failed, and is not tried again before this.
    retry_at: Option<Instant>,
    /// The last one, if it found the boundaries wrong, and by how many files.
    doubt: Option<(u64, Audited)>,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    None,
    Running(Range),
    /// It ended; the first counts of boundaries after it are missing.
    Ended(Range, Audited),
    /// It found the boundaries wrong.
    Wrong,
}

impl AuditLog {
    /// An audit begins; `before` are the counts that boundaries gave last.
    pub fn begin(&mut self, before: ByStatus<u64>) {
        self.state = State::Running(Range::new(before));
    }

    /// The audit failed.
    pub fn failed(&mut self, retry_at: Instant) {
        self.state = State::None;
        self.retry_at = Some(retry_at);
    }

    /// The audit ended. Returns how much it differs from the counts before it.
    pub fn ended(&mut self, audited: Audited) -> Option<ByStatus<i64>> {
        let State::Running(range) = std::mem::take(&mut self.state) else {
            return None;
        };
        let difference = range.difference(&audited.files);
        self.retry_at = None;
        self.state = State::Ended(range, audited);
        Some(difference)
    }

    /// Boundaries gave these counts. Returns whether they complete an audit that shows that the folder is sorted.
    pub fn counted(&mut self, files: &ByStatus<u64>, consistent: bool) -> bool {
        if let State::Running(range) | State::Ended(range, _) = &mut self.state {
            range.add(files, consistent);
        }
        let (range, audited) = match std::mem::take(&mut self.state) {
            State::Ended(range, audited) => (range, audited),
            other => {
                self.state = other;
                return false;
            }
        };
        let (verdict, doubt) = (range.verdict(&audited), self.doubt.take());
        match (verdict, doubt) {
            (Verdict::Wrong { files }, None) => self.doubt = Some((files, audited)),
            // As many files may have failed as recovered during a scan: then its counts are off by them, and those of boundaries are not.
            (Verdict::Wrong { files }, Some((before, doubted))) => {
                if files.min(before) > audited.changed_since(&doubted) {
                    self.state = State::Wrong;
                }
            }
            (Verdict::Agreed { .. } | Verdict::Inconclusive, _) => {}
        }
        verdict
            == Verdict::Agreed {
                shows_sorting: true,
            }
    }

    /// Whether the last audit found the boundaries wrong, and another one is to tell.
    pub fn is_in_doubt(&self) -> bool {
        self.doubt.is_some()
    }

    /// Whether the last audit found the boundaries wrong; told once.
    pub fn take_wrong(&mut self) -> bool {
        let is_wrong = matches!(self.state, State::Wrong);
        if is_wrong {
            self.state = State::None;
        }
        is_wrong
    }

    /// Whether the time has passed after an audit that failed.
    pub(super) fn may_begin(&self, now: Moment) -> bool {
        self.retry_at.is_none_or(|time| time <= now.steady)
    }

    /// Whether a folder with these counts is to be audited while no other audit is under way; a panic may have ended the last one. Due times
    /// of folders that were audited at the same time are spread by their ids.
    pub(super) fn is_due(
        &self,
        folder: FolderId,
        full_read: Option<FullRead>,
        counts: &ByStatus<u64>,
        every: Duration,
        now: Moment,
    ) -> bool {
        if !self.may_begin(now) || matches!(self.state, State::Ended(..)) {
            return false;
        }
        let Some(full_read) = full_read else {
            return true;
        };
        let age = now.wall.since(full_read.at);
        let retries = self.retry_at.is_some() || self.doubt.is_some();
        let unproven = needs_proof(full_read, counts) && full_read.missing_rows == 0;
        retries || unproven && age >= every / SOON_SHARE || age >= every.mul_f64(share(folder))
    }
}

/// Whether no audit showed that a folder with these counts is sorted. A list of one status is sorted in any order.
pub(super) fn needs_proof(full_read: FullRead, counts: &ByStatus<u64>) -> bool {
    !full_read.shows_sorting && has_several_statuses(counts)
}

pub(super) fn has_several_statuses(counts: &ByStatus<u64>) -> bool {
    counts.iter().filter(|(_, files)| **files > 0).count() > 1
}

/// The part of `full_every` after which a folder is audited: from three quarters to all of it.
fn share(folder: FolderId) -> f64 {
    LEAST_SHARE + (1.0 - LEAST_SHARE) * folder.fraction()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FileKey, FileMap, Status};

    const DAY: Duration = Duration::from_hours(24);

    fn id(number: u128) -> FolderId {
        uuid::Uuid::from_u128(number).into()
    }

    fn counts(done: u64, failed: u64) -> ByStatus<u64> {
        ByStatus::from_fn(|status| match status {
            Status::Done => done,
            Status::Failed => failed,
            _ => 0,
        })
    }

    fn audited(files: ByStatus<u64>) -> Audited {
        Audited {
            files,
            consistent: true,
            lists_all: true,
            unfinished: FileMap::default(),
        }
    }

    fn read(ago: Duration, shows_sorting: bool) -> FullRead {
        FullRead {
            at: Moment::now().wall.before(ago),
            sizes: ByStatus::default(),
            missing_rows: 0,
            shows_sorting,
        }
    }

    #[test]
    fn a_folder_is_audited_when_it_never_was_and_every_day_before_the_day_is_over() {
        let (now, audits) = (Moment::now(), AuditLog::default());
        let is_due = |number, last| audits.is_due(id(number), last, &counts(1, 1), DAY, now);
        for number in [0, u128::MAX / 3, u128::MAX] {
            assert!(is_due(number, None));
            assert!(is_due(number, Some(read(DAY, true))));
            assert!(!is_due(number, Some(read(DAY / 2, true))));
        }
        let late = Some(read(DAY * 7 / 8, true));
        assert!(is_due(0, late) && !is_due(u128::MAX, late));
    }

    #[test]
    fn until_an_audit_showed_that_a_folder_of_several_statuses_is_sorted_the_next_comes_soon() {
        let (now, audits) = (Moment::now(), AuditLog::default());
        let is_due = |ago, failed, missing_rows| {
            let last = FullRead {
                missing_rows,
                ..read(ago, false)
            };
            audits.is_due(id(1), Some(last), &counts(5, failed), DAY, now)
        };
        assert!(is_due(DAY / 24, 1, 0));
        assert!(!is_due(DAY / 25, 1, 0));
        assert!(!is_due(DAY / 2, 0, 0));
        assert!(!is_due(DAY / 2, 1, 3));
    }

    #[test]
    fn an_audit_that_failed_is_not_tried_again_at_once() {
        let (now, mut audits) = (Moment::now(), AuditLog::default());
        audits.begin(counts(1, 1));
        audits.failed(now.steady + DAY);
        assert!(!audits.is_due(id(1), None, &counts(1, 1), DAY, now));
    }

    /// Whether two audits refute boundaries, where as many files fail as recover all the time.
    fn is_refuted(failed: u64, swapped_between: u64) -> bool {
        let (mut audits, boundaries) = (AuditLog::default(), counts(100, 10));
        let failed_files = |from: u64| {
            let files = (from..from + 10).map(|number| {
                let (link, id) = (number.into(), number.into());
                (FileKey { link, id }, Status::Failed)
            });
            files.collect()
        };
        for from in [0, swapped_between] {
            audits.begin(boundaries);
            let audit = Audited {
                unfinished: failed_files(from),
                ..audited(counts(110 - failed, failed))
            };
            audits.ended(audit);
            audits.counted(&boundaries, true);
        }
        audits.take_wrong()
    }

    #[test]
    fn audits_that_are_off_by_what_changed_refute_nothing() {
        assert!(is_refuted(9, 0));
        assert!(!is_refuted(9, 1));
        assert!(!is_refuted(8, 2));
        assert!(is_refuted(4, 5));
    }

    #[test]
    fn boundaries_are_wrong_when_two_audits_count_the_same_and_they_do_not() {
        let (now, mut audits) = (Moment::now(), AuditLog::default());
        let boundaries = counts(100, 0);
        let mut audit = |files: ByStatus<u64>| {
            audits.begin(boundaries);
            assert!(!audits.counted(&boundaries, true));
            let difference = audits.ended(audited(files)).unwrap();
            let failed = i64::try_from(files[Status::Failed]).unwrap();
            assert_eq!(difference[Status::Failed], failed);
            assert!(!audits.counted(&boundaries, true));
            let last = Some(read(Duration::ZERO, true));
            let is_due = audits.is_due(id(1), last, &boundaries, DAY, now);
            (is_due, audits.take_wrong())
        };
        // A file failed, and was done again when the boundaries were read.
        assert_eq!(audit(counts(99, 1)), (true, false));
        assert_eq!(audit(counts(100, 0)), (false, false));
        assert_eq!(audit(counts(40, 60)), (true, false));
        assert_eq!(audit(counts(40, 60)), (false, true));
    }
}
