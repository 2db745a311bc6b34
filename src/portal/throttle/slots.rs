//! A number of requests in flight that can change.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{Semaphore, SemaphorePermit};

/// Places for requests in flight, taken in the order in which they are asked for.
#[derive(Debug)]
pub(super) struct Slots {
    semaphore: Semaphore,
    number: Mutex<Number>,
}

#[derive(Debug)]
struct Number {
    limit: usize,
    /// Slots that end when they are given back, because the limit was lowered while they were taken.
    surplus: usize,
}

/// A slot that is taken until this is dropped.
#[derive(Debug)]
pub(super) struct Slot<'a> {
    slots: &'a Slots,
    permit: Option<SemaphorePermit<'a>>,
}

impl Slots {
    pub fn new(limit: usize) -> Self {
        Self {
            semaphore: Semaphore::new(limit),
            number: Mutex::new(Number { limit, surplus: 0 }),
        }
    }

    pub async fn take(&self) -> Slot<'_> {
        Slot {
            slots: self,
            // The semaphore is never closed.
            permit: self.semaphore.acquire().await.ok(),
        }
    }

    pub fn resize(&self, limit: usize) {
        let mut number = self.number();
        let before = std::mem::replace(&mut number.limit, limit);
        let more = limit.saturating_sub(before);
        let kept = more.min(number.surplus);
        number.surplus -= kept;
        self.semaphore.add_permits(more - kept);
        let fewer = before.saturating_sub(limit);
        number.surplus += fewer - self.semaphore.forget_permits(fewer);
    }

    fn number(&self) -> MutexGuard<'_, Number> {
        self.number.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let mut number = self.slots.number();
        if number.surplus > 0
            && let Some(permit) = self.permit.take()
        {
            permit.forget();
            number.surplus -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn as_many_are_taken_as_the_limit_allows_however_it_changes(
            limits in prop::collection::vec(1_usize..6, 1..12),
            ended in prop::collection::vec(0_usize..6, 12),
        ) {
            let slots = Slots::new(3);
            let mut taken = Vec::new();
            for (limit, ended) in limits.into_iter().zip(ended) {
                let before = taken.len();
                slots.resize(limit);
                while let Some(slot) = slots.take().now_or_never() {
                    taken.push(slot);
                }
                prop_assert_eq!(taken.len(), before.max(limit));
                taken.truncate(ended);
            }
        }
    }
}
