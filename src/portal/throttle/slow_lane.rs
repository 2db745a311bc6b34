//! The slow lane: how many of the requests in flight are those of folders that are answered slowly.

use tokio::sync::{Mutex, watch};

/// Admits as many slow requests as are their fair share of those that want to be in flight: at least one, and never all where there
/// are several, so that a usual request that comes next need not wait for them.
#[derive(Debug)]
pub(super) struct SlowLane {
    concurrency: usize,
    /// Slow requests wait in the order in which they came; the first of them waits for its admission.
    turn: Mutex<()>,
    requests: watch::Sender<Requests>,
}

/// Requests that are in flight, or wait to be.
#[derive(Debug, Default)]
struct Requests {
    slow: usize,
    usual: usize,
    slow_in_flight: usize,
}

impl Requests {
    fn wanted(&mut self, slow: bool) -> &mut usize {
        if slow {
            &mut self.slow
        } else {
            &mut self.usual
        }
    }

    /// Slow requests that may be in flight now.
    fn share(&self, concurrency: usize) -> usize {
        let all = (self.slow + self.usual).max(1);
        let most = concurrency.saturating_sub(1).max(1);
        (concurrency * self.slow / all).clamp(1, most)
    }
}

/// A request that waits to be sent, or is in flight.
pub(super) struct Wanted<'a> {
    lane: &'a SlowLane,
    slow: bool,
    /// Whether it is slow and in flight.
    slow_in_flight: bool,
}

impl SlowLane {
    pub fn new(concurrency: usize) -> Self {
        Self {
            concurrency,
            turn: Mutex::default(),
            requests: watch::Sender::default(),
        }
    }

    /// Counts a request, and has it wait where it is slow.
    pub async fn enter(&self, slow: bool) -> Wanted<'_> {
        self.requests
            .send_modify(|requests| *requests.wanted(slow) += 1);
        let mut wanted = Wanted {
            lane: self,
            slow,
            slow_in_flight: false,
        };
        if slow {
            let _turn = self.turn.lock().await;
            let mut requests = self.requests.subscribe();
            let has_share =
                |requests: &Requests| requests.slow_in_flight < requests.share(self.concurrency);
            // The sender lives as long as this lane.
            let _ = requests.wait_for(has_share).await;
            wanted.slow_in_flight = true;
            self.requests
                .send_modify(|requests| requests.slow_in_flight += 1);
        }
        wanted
    }
}

impl Drop for Wanted<'_> {
    fn drop(&mut self) {
        self.lane.requests.send_modify(|requests| {
            *requests.wanted(self.slow) -= 1;
            requests.slow_in_flight -= usize::from(self.slow_in_flight);
        });
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
