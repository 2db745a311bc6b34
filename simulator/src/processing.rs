//! Files arrive, wait, are processed, and end done, failed or flagged.
//!
//! A simulation of events: [`World::step`] moves it, and how an interval is cut into steps makes no difference. Everything is drawn from seeded
//! generators.

use std::time::Duration;

use super::document::Nature;
use super::format::Kind;
use super::life::{HOUR, MINUTE, SECOND, Ticket, What};
use super::reasons::Reason;
use super::status::Status;
use super::supply::one_of;
use super::world::World;

/// Files that are processed at the same time.
const WORKERS: usize = 16;

impl World {
    /// Lets a time pass, in the life of the simulated portal. [`Options::speed`](super::Options::speed) has no part in it.
    pub fn step(&mut self, time: Duration) {
        let until = self.life.now.saturating_add(time);
        self.start_work();
        while let Some(what) = self.life.next(until) {
            self.happen(what);
            self.start_work();
        }
        self.life.now = until;
    }

    /// Takes note that a file is in a new state.
    pub(super) fn enter(&mut self, document: usize) {
        self.life.turns += 1;
        let turn = self.life.turns;
        let stored = &mut self.documents[document];
        stored.turn = turn;
        let ticket = Ticket { document, turn };
        match stored.status {
            Status::Pending => self.life.waiting.push_back(ticket),
            Status::Processing => {
                let (span, what) = match stored.format.kind {
                    Kind::Media => (8 * MINUTE, What::Converted(ticket)),
                    Kind::Image => (90 * SECOND, What::Processed(ticket)),
                    Kind::Document => (60 * SECOND, What::Processed(ticket)),
                    Kind::Text => (10 * SECOND, What::Processed(ticket)),
                };
                self.life.busy += 1;
                self.life.plan_within(span, what);
            }
            _ => {}
        }
    }

    /// Gives waiting files to idle workers.
    pub(super) fn start_work(&mut self) {
        while self.life.busy < WORKERS {
            let Some(ticket) = self.life.waiting.pop_front() else {
                return;
            };
            if self.is_current(ticket) {
                self.change_status(ticket.document, Status::Processing, None);
            }
        }
    }

    fn is_current(&self, ticket: Ticket) -> bool {
        let stored = self.documents.get(ticket.document);
        stored.is_some_and(|stored| {
            stored.turn == ticket.turn
                && matches!(stored.status, Status::Pending | Status::Processing)
        })
    }

    fn happen(&mut self, what: What) {
        match what {
            What::Indexed(place) => self.index_now(place),
            What::Converted(ticket) => self.end_conversion(ticket),
            What::Processed(ticket) => {
                self.life.busy -= 1;
                if self.is_current(ticket) {
                    self.end_processing(ticket.document);
                }
            }
            What::Arrival => {
                self.life.plan_within(2 * MINUTE, What::Arrival);
                self.receive();
            }
            What::Visit => {
                self.life.plan_within(8 * HOUR, What::Visit);
                self.look_after();
            }
            What::Trouble => {
                self.life.plan_within(20 * MINUTE, What::Relief);
                self.life.trouble = Some(one_of(&mut self.life.rng, &Reason::PASSING));
            }
            What::Relief => {
                self.life.plan_within(12 * HOUR, What::Trouble);
                self.life.trouble = None;
            }
        }
    }

    fn end_conversion(&mut self, ticket: Ticket) {
        if !self.is_current(ticket) {
            self.life.busy -= 1;
        } else if self.life.rng.f64() < 0.03 {
            self.life.busy -= 1;
            self.fail(ticket.document, Reason::TRANSCRIPTION);
        } else {
            self.life.plan_within(10 * SECOND, What::Processed(ticket));
        }
    }

    fn end_processing(&mut self, document: usize) {
        let chance = self.life.rng.f64();
        match (self.documents[document].nature, self.life.trouble) {
            (Nature::Ill(reason), _) => self.fail(document, reason),
            (Nature::Suspect(reason), _) => {
                let reason = reason.text(&mut self.life.rng);
                self.change_status(document, Status::Flagged, Some(reason.into()));
            }
            (Nature::Sound, Some(trouble)) if chance < 0.6 => self.fail(document, trouble),
            (Nature::Sound, None) if chance < 0.01 => {
                let reason = one_of(&mut self.life.rng, &Reason::PASSING);
                self.fail(document, reason);
            }
            (Nature::Sound, _) => self.change_status(document, Status::Done, None),
        }
    }

    fn fail(&mut self, document: usize, reason: Reason) {
        let reason = reason.text(&mut self.life.rng);
        self.change_status(document, Status::Failed, Some(reason.into()));
    }
}

#[cfg(test)]
mod tests;
