//! The latest answers by folder, so that a folder can be compared with the others.

use std::collections::VecDeque;
use std::time::Duration;

use crate::model::FolderId;

/// As many folders, of those answered last, are compared with.
const FOLDERS: usize = 64;

/// An answer that takes longer, or half of the time limit, may be slow.
const SLOW_ANSWER: Duration = Duration::from_secs(3);

/// It is slow if it also takes this multiple of the portal's usual time.
const SLOWER_THAN_USUAL: u32 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::portal) enum Answer {
    Good,
    Limited,
    /// Anything else, or none.
    Other,
}

#[derive(Debug, Clone, Copy)]
pub(in crate::portal) struct Answered {
    /// The folder that it was for; none for the list.
    pub folder: Option<FolderId>,
    pub answer: Answer,
    pub took: Duration,
    /// The time limit of the request.
    pub limit: Duration,
}

/// The latest answer for each folder, and for the list of folders.
#[derive(Debug, Default)]
pub(super) struct Answers {
    latest: VecDeque<Answered>,
}

impl Answers {
    /// Stores an answer; returns the one before it to a request for the same folder, the last that was either good or 429 where there
    /// was one.
    pub fn record(&mut self, answered: Answered) -> Option<Answer> {
        let is_same = |latest: &Answered| latest.folder == answered.folder;
        let at = self.latest.iter().position(is_same);
        let previous = at.and_then(|at| self.latest.remove(at));
        let previous = previous.map(|previous| previous.answer);
        self.latest.push_back(Answered {
            answer: match answered.answer {
                Answer::Other => previous.unwrap_or(Answer::Other),
                answer => answer,
            },
            ..answered
        });
        if self.latest.len() > FOLDERS {
            self.latest.pop_front();
        }
        previous
    }

    /// Whether an answer took long compared with its time limit and with what is usual.
    pub fn is_slow(&self, took: Duration, limit: Duration) -> bool {
        let usual = self.usual() * SLOWER_THAN_USUAL;
        let slow = SLOW_ANSWER.min(limit / 2).max(usual).min(limit);
        took >= slow
    }

    /// What an answer for a folder usually takes: the median.
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

    fn answered(folder: Option<FolderId>, answer: Answer, took: Duration) -> Answered {
        Answered {
            folder,
            answer,
            took,
            limit: LIMIT,
        }
    }

    fn is_slow(answers: &Answers, took: Duration, limit: Duration) -> bool {
        answers.is_slow(took, limit)
    }

    /// Folders whose latest answers took this number of milliseconds.
    fn answers(times: &[u64]) -> Answers {
        let mut answers = Answers::default();
        for (number, millis) in times.iter().enumerate() {
            let took = Duration::from_millis(*millis);
            answers.record(answered(Some(id(number)), Answer::Good, took));
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
            let is_slow = is_slow(&answers(times), took, LIMIT);
            assert_eq!(is_slow, slow, "{millis} among {times:?}");
        }
    }

    #[test]
    fn half_of_a_short_time_limit_is_long() {
        let usual = answers(&[10, 10]);
        let limit = Duration::from_secs(1);
        assert!(is_slow(&usual, Duration::from_millis(500), limit));
        assert!(!is_slow(&usual, Duration::from_millis(499), limit));
    }

    #[test]
    fn a_folder_counts_once_however_often_it_is_answered() {
        let mut answers = answers(&[40, 50, 5_000]);
        for _ in 0..100 {
            answers.record(answered(Some(id(2)), Answer::Good, Duration::from_secs(5)));
        }
        assert!(is_slow(&answers, Duration::from_secs(5), LIMIT));
    }

    #[test]
    fn the_previous_answer_is_that_of_the_same_folder_or_of_the_list() {
        let mut answers = Answers::default();
        let mut record = |folder, answer| answers.record(answered(folder, answer, Duration::ZERO));
        assert_eq!(record(Some(id(1)), Answer::Good), None);
        assert_eq!(record(None, Answer::Other), None);
        assert_eq!(record(Some(id(1)), Answer::Limited), Some(Answer::Good));
        assert_eq!(record(Some(id(1)), Answer::Other), Some(Answer::Limited));
        assert_eq!(record(Some(id(1)), Answer::Good), Some(Answer::Limited));
        assert_eq!(record(None, Answer::Good), Some(Answer::Other));
    }
}
