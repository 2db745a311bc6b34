//! Who decides when a folder's failed files are sent: this program, and those that it is held against.

mod baselines;
mod before;
mod program;
mod promises;

pub use baselines::{EveryHour, Never, Omniscient};
pub use before::Before;
pub use program::ThisProgram;

use crate::week::Week;

/// Decides once a minute.
pub trait Policy {
    fn name(&self) -> &'static str;
    fn read(&mut self, week: &mut Week);
}
