//! The results of the failures that could pass, and the requests.

/// The figures of one policy.
#[derive(Debug, Clone, Copy, Default)]
pub struct Figures {
    pub requests: u64,
    pub sent: u64,
    pub in_vain: u64,
    /// All failures that could pass.
    pub transient: Returned,
    /// Those of them that the broken worker caused.
    pub worker: Returned,
}

/// How many failures could pass, and how many of these files came back in time.
#[derive(Debug, Clone, Copy, Default)]
pub struct Returned {
    pub all: u64,
    pub in_time: u64,
}

impl Figures {
    /// Counts a failure that could pass.
    pub fn returned(&mut self, of_worker: bool, in_time: bool) {
        self.transient.count(in_time);
        if of_worker {
            self.worker.count(in_time);
        }
    }
}

impl Returned {
    fn count(&mut self, in_time: bool) {
        self.all += 1;
        self.in_time += u64::from(in_time);
    }
}
