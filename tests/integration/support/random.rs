//! What happens in a random story, and for how long.

use std::env;
use std::time::{Duration, Instant};

/// The seed and the length of a random story. The processes in it take their own time, so that a seed does not repeat a run to the last
/// detail.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Random {
    pub(crate) seed: u64,
    length: Length,
}

#[derive(Debug, Clone, Copy)]
enum Length {
    Events(usize),
    Until(Instant),
}

impl Random {
    /// The same in each run.
    pub(crate) fn fixed(seed: u64, events: usize) -> Self {
        let length = Length::Events(events);
        Self { seed, length }
    }

    /// What `tests/long` asks for.
    pub(crate) fn given() -> Self {
        let length = Duration::from_mins(given("KB_LONG_MINUTES"));
        Self {
            seed: given("KB_LONG_SEED"),
            length: Length::Until(Instant::now() + length),
        }
    }

    /// A generator that starts at the seed.
    pub(crate) fn generator(&self) -> fastrand::Rng {
        fastrand::Rng::with_seed(self.seed)
    }

    /// Whether the story goes on after this number of events.
    pub(crate) fn goes_on(&self, events: usize) -> bool {
        match self.length {
            Length::Events(all) => events < all,
            Length::Until(end) => Instant::now() < end,
        }
    }
}

fn given(name: &str) -> u64 {
    let text = env::var(name).unwrap_or_default();
    let number = text.parse();
    number.unwrap_or_else(|_| panic!("{name} is not a number ({text:?}): use tests/long"))
}
