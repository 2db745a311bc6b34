//! Who decides when a folder's failed files are sent.

mod baselines;
mod program;

pub use baselines::{EveryHour, Omniscient};
pub use program::{Killed, ThisProgram};

use crate::portal::Portal;

/// Decides once a minute.
pub trait Policy {
    fn read(&mut self, portal: &mut Portal);
}
