//! Reads that the portal refused, until the list of folders explains them.

use std::sync::Arc;

use crate::collect::error::ReadError;
use crate::model::FolderId;
use crate::portal::Session;

/// A read that the portal refused.
pub(super) struct Refusal {
    pub folder: FolderId,
    /// Holds all its requests until the refusal is explained.
    pub session: Arc<Session>,
    pub error: ReadError,
}

/// The refusals that are not explained yet. One request for the list explains all that there are when it is sent.
#[derive(Default)]
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

    /// Whether to ask for the list now: something waits for it, and no answer is awaited.
    pub fn ask(&mut self) -> bool {
        let asks = self.asked.is_empty() && !self.waiting.is_empty();
        if asks {
            self.asked = self.take_waiting();
        }
        asks
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
