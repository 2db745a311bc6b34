//! Reads that the portal refused, until the list of folders explains them.

use crate::collect::error::ReadError;
use crate::collect::runs::RunId;
use crate::model::FolderId;

/// A read that the portal refused.
#[derive(Debug)]
pub(super) struct Refusal {
    pub run: RunId,
    pub folder: FolderId,
    pub error: ReadError,
}

/// The refusals that are not explained yet. One request for the list explains all that there are when it is sent.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    /// Those for which no list was asked for yet.
    waiting: Vec<Refusal>,
    /// Those for which a list was asked for.
    asked: Vec<Refusal>,
}

impl Refusals {
    pub fn add(&mut self, refusal: Refusal) {
        self.waiting.push(refusal);
    }

    /// The collections of those for which the list is to be asked for now; none while an answer is awaited.
    pub fn ask(&mut self) -> Vec<RunId> {
        if self.asked.is_empty() {
            self.asked = self.take_waiting();
            self.asked.iter().map(|refusal| refusal.run).collect()
        } else {
            Vec::new()
        }
    }

    /// Takes those for which no list was asked for.
    pub fn take_waiting(&mut self) -> Vec<Refusal> {
        std::mem::take(&mut self.waiting)
    }

    /// Takes those that an answer explains.
    pub fn take_asked(&mut self) -> Vec<Refusal> {
        std::mem::take(&mut self.asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_list_at_a_time_is_asked_for_all_refusals_that_wait() {
        let mut refusals = Refusals::default();
        assert!(refusals.ask().is_empty());
        let refusal = |run| Refusal {
            run,
            folder: uuid::Uuid::nil().into(),
            error: ReadError::Panicked,
        };
        refusals.add(refusal(1));
        refusals.add(refusal(2));
        assert_eq!(refusals.ask(), [1, 2]);
        refusals.add(refusal(3));
        assert!(refusals.ask().is_empty(), "an answer is awaited");
        assert_eq!(refusals.take_asked().len(), 2);
        assert_eq!(refusals.ask(), [3]);
        assert!(refusals.take_waiting().is_empty());
    }
}
