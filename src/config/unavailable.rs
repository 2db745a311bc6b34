//! What the configuration can say and this version cannot do yet. Such a setting is an error, never ignored.

use crate::config::error::Fault;
use crate::config::state::StateKeys;

/// Refuses the first setting whose machinery is not there.
pub(super) fn check(state: &StateKeys) -> Result<(), Fault> {
    match &state.postgres_url_file {
        Some(file) => {
            let advice = "is not available in this version: leave it out";
            Err(Fault::about("state.postgres_url_file", advice).at(file.referenced))
        }
        None => Ok(()),
    }
}
