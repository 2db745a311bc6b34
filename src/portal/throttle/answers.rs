//! How folders were answered lately, so that one can be compared with the others.

use std::collections::VecDeque;
use std::time::Duration;

use crate::model::FolderId;

/// The folders that were answered last, so many at most, tell what is usual.
const FOLDERS: usize = 64;

/// An answer that takes longer, or half of the time limit, may be slow.
const SLOW_ANSWER: Duration = Duration::from_secs(3);

/// It is where it also takes so many times what is usual for the portal.
const SLOWER_THAN_USUAL: u32 = 3;

/// What an answer was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::portal) enum Answer {
    /// What was asked for.
    Good,
    /// 429.
    Limited,
    /// Anything else, or none.
    Other,
}

/// The latest answers for each folder, and for the list of folders.
#[derive(Debug, Default)]
pub(super) struct Answers {
    latest: VecDeque<Latest>,
}

#[derive(Debug)]
struct Latest {
    /// None for the list of folders.
    folder: Option<FolderId>,
    took: Duration,
    answer: Answer,
}

impl Answers {
    /// Takes in an answer; returns the one before it to a request for the same folder that was either good or 429.
    pub fn take(
        &mut self,
        folder: Option<FolderId>,
        answer: Answer,
        took: Duration,
    ) -> Option<Answer> {
        let at = self
            .latest
            .iter()
            .position(|latest| latest.folder == folder);
        let before = at.and_then(|at| self.latest.remove(at));
        let before = before.map(|before| before.answer);
        self.latest.push_back(Latest {
            folder,
            took,
            answer: match answer {
                Answer::Other => before.unwrap_or(answer),
                told => told,
            },
        });
        if self.latest.len() > FOLDERS {
            self.latest.pop_front();
        }
        before
    }

    /// Whether an answer that took so long, of a time limit, is slow compared with what is usual.
    pub fn is_slow(&self, took: Duration, limit: Duration) -> bool {
        let usual = self.usual() * SLOWER_THAN_USUAL;
        let slow = SLOW_ANSWER.min(limit / 2).max(usual).min(limit);
        took >= slow
    }

    /// What an answer for a folder usually takes: half of the folders are answered as fast.
    fn usual(&self) -> Duration {
        let folders = self.latest.iter().filter(|latest| latest.folder.is_some());
        let mut times: Vec<_> = folders.map(|latest| latest.took).collect();
        times.sort_unstable();
        let middle = times.len().saturating_sub(1) / 2;
        times.get(middle).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(30);

    fn id(number: usize) -> FolderId {
        uuid::Uuid::from_u128(number as u128).into()
    }

    /// Folders whose latest answers took so many milliseconds.
    fn answers(times: &[u64]) -> Answers {
        let mut answers = Answers::default();
        for (number, millis) in times.iter().enumerate() {
            let took = Duration::from_millis(*millis);
            answers.take(Some(id(number)), Answer::Good, took);
        }
        answers
    }

    #[test]
    fn slow_is_what_takes_long_and_longer_than_the_portal_usually_does() {
        for (times, millis, slow) in [
            (&[][..], 2_900, false),
            (&[], 3_000, true),
            (&[40, 50, 60], 2_900, false),
            (&[40, 50, 5_000], 5_000, true),
            (&[40, 5_000], 5_000, true),
            (&[3_200], 3_200, false),
            (&[3_200, 3_200, 3_100], 3_300, false),
            (&[3_200, 3_200, 3_100], 9_600, true),
            (&[30_000, 30_000], 30_000, true),
        ] {
            let took = Duration::from_millis(millis);
            let is_slow = answers(times).is_slow(took, LIMIT);
            assert_eq!(is_slow, slow, "{millis} among {times:?}");
        }
    }

    #[test]
    fn half_of_a_short_time_limit_is_long() {
        let usual = answers(&[10, 10]);
        let limit = Duration::from_secs(1);
        assert!(usual.is_slow(Duration::from_millis(500), limit));
        assert!(!usual.is_slow(Duration::from_millis(499), limit));
    }

    #[test]
    fn a_folder_counts_once_however_often_it_is_answered() {
        let mut answers = answers(&[40, 50, 5_000]);
        for _ in 0..100 {
            answers.take(Some(id(2)), Answer::Good, Duration::from_secs(5));
        }
        assert!(answers.is_slow(Duration::from_secs(5), LIMIT));
    }

    #[test]
    fn the_answer_before_is_that_of_the_same_folder_or_of_the_list() {
        let mut answers = Answers::default();
        let mut take = |folder, answer| answers.take(folder, answer, Duration::ZERO);
        assert_eq!(take(Some(id(1)), Answer::Good), None);
        assert_eq!(take(None, Answer::Other), None);
        assert_eq!(take(Some(id(1)), Answer::Limited), Some(Answer::Good));
        assert_eq!(take(Some(id(1)), Answer::Other), Some(Answer::Limited));
        assert_eq!(take(Some(id(1)), Answer::Good), Some(Answer::Limited));
        assert_eq!(take(None, Answer::Good), Some(Answer::Other));
    }
}
