//! What happens in the portal, and what it answers.

use super::*;

impl World {
    pub(super) fn pass(&mut self, minutes: u16) {
        self.set_clock(minutes.into());
        self.now.steady += MINUTE * minutes.into();
    }

    /// Sets the time of day, and that alone.
    pub(super) fn set_clock(&mut self, minutes: i64) {
        let millis = self.now.wall.as_millis() + minutes * 60_000;
        self.now.wall = Timestamp::from_millis(millis);
    }

    /// Whether so much has passed since the time of day was set that no limit counts what was before it.
    pub(super) fn trusts_clock(&self) -> bool {
        let passed = |at| self.now.steady.duration_since(at);
        self.clock_set
            .is_none_or(|at| passed(at) >= longest(&self.rules))
    }

    pub(super) fn upload(&mut self, of: u128) {
        let number = self.next_file;
        self.next_file += 1;
        let file = File {
            id: number,
            status: Status::Pending,
            since: None,
        };
        self.folder(of).files.insert(number, file);
    }

    pub(super) fn process(&mut self, of: u128, ends: [Status; 3]) {
        for (link, file) in &mut self.folder(of).files {
            if matches!(file.status, Status::Pending | Status::Processing) {
                file.status = ends[usize::try_from(link % 3).unwrap()];
                file.since = None;
            }
        }
    }

    pub(super) fn replace(&mut self, of: u128) {
        let id = self.next_file + 1_000_000;
        self.next_file += 1;
        if let Some(mut oldest) = self.folder(of).files.first_entry() {
            oldest.insert(File {
                id,
                status: Status::Pending,
                since: None,
            });
        }
    }

    pub(super) fn send(&mut self, of: u128, id: AttemptId, answer: Answer) {
        let outcome = match answer {
            Answer::Accept { more } => Outcome::Accepted {
                updated: self.post(of, id) + more,
            },
            Answer::Refuse { status } => Outcome::Refused {
                status,
                retry_after: None,
            },
            Answer::Lose { worked } => {
                if worked {
                    self.post(of, id);
                }
                Outcome::Unknown {
                    why: Lost::NoAnswer,
                }
            }
            Answer::Crash { sent } => {
                if sent {
                    self.post(of, id);
                }
                self.met.insert("interrupted");
                let why = Lost::Interrupted;
                self.oracle.settle(id, Outcome::Unknown { why });
                return self.restart();
            }
        };
        self.met.insert(outcome.as_str());
        self.oracle.settle(id, outcome);
        let at = self.now.wall;
        self.ledger.view.settle(id, at, outcome).unwrap();
    }

    /// The portal queues what is failed, and says how much that was.
    fn post(&mut self, of: u128, id: AttemptId) -> u64 {
        let attempt = self
            .ledger
            .view
            .attempt(id)
            .expect("no request without its intent");
        assert!(attempt.is_unjudged() && attempt.outcome.is_none());
        let mut queued = 0;
        for file in self.folder(of).files.values_mut() {
            if file.status == Status::Failed {
                file.status = Status::Pending;
                queued += 1;
            }
        }
        queued
    }
}
