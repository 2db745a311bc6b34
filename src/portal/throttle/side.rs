//! The side lane: how many of the requests in flight are those of folders that are answered slowly.

use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

/// Lets as many slow requests in as are their fair share of those that want to be in flight: at least one, and never all where there
/// are several, so that those who come next find room.
#[derive(Debug)]
pub(super) struct Side {
    concurrency: usize,
    /// Slow requests wait in the order in which they came; the first of them looks for room.
    turn: tokio::sync::Mutex<()>,
    requests: Mutex<Requests>,
    changed: Notify,
}

/// Requests that are in flight, or wait to be.
#[derive(Debug, Default)]
struct Requests {
    slow: usize,
    usual: usize,
    slow_in_flight: usize,
}

impl Requests {
    /// Slow requests that may be in flight now.
    fn share(&self, concurrency: usize) -> usize {
        let all = (self.slow + self.usual).max(1);
        let most = concurrency.saturating_sub(1).max(1);
        (concurrency * self.slow / all).clamp(1, most)
    }
}

/// A request that wants to be in flight, or is.
pub(super) struct Wanted<'a> {
    side: &'a Side,
    slow: bool,
    in_flight: bool,
}

impl Side {
    pub fn new(concurrency: usize) -> Self {
        Self {
            concurrency,
            turn: tokio::sync::Mutex::default(),
            requests: Mutex::default(),
            changed: Notify::new(),
        }
    }

    /// Notes a request, and has it wait for room where it is slow.
    pub async fn enter(&self, slow: bool) -> Wanted<'_> {
        let mut wanted = self.note(slow);
        if slow {
            let _turn = self.turn.lock().await;
            while !self.let_in() {
                self.changed.notified().await;
            }
            wanted.in_flight = true;
        }
        wanted
    }

    fn note(&self, slow: bool) -> Wanted<'_> {
        self.with(|requests| {
            let number = if slow {
                &mut requests.slow
            } else {
                &mut requests.usual
            };
            *number += 1;
        });
        Wanted {
            side: self,
            slow,
            in_flight: false,
        }
    }

    fn let_in(&self) -> bool {
        self.with(|requests| {
            let room = requests.slow_in_flight < requests.share(self.concurrency);
            requests.slow_in_flight += usize::from(room);
            room
        })
    }

    fn with<T>(&self, act: impl FnOnce(&mut Requests) -> T) -> T {
        act(&mut self.requests.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Wanted<'_> {
    fn drop(&mut self) {
        self.side.with(|requests| {
            let number = if self.slow {
                &mut requests.slow
            } else {
                &mut requests.usual
            };
            *number -= 1;
            requests.slow_in_flight -= usize::from(self.in_flight);
        });
        self.side.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_a_fair_one_at_least_one_and_leaves_one_to_those_who_come() {
        for (slow, usual, concurrency, share) in [
            (1, 0, 1, 1),
            (1, 9, 1, 1),
            (2, 0, 2, 1),
            (8, 0, 8, 7),
            (8, 8, 8, 4),
            (8, 24, 8, 2),
            (1, 99, 8, 1),
        ] {
            let requests = Requests {
                slow,
                usual,
                slow_in_flight: 0,
            };
            assert_eq!(requests.share(concurrency), share, "{requests:?}");
        }
    }
}
