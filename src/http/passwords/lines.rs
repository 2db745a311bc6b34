//! Who is next: clients stand in a line for each network, and the lines take turns.

use std::collections::VecDeque;

use crate::http::client::Network;

/// Networks that wait at once.
const NETWORKS: usize = 256;

/// So many of a network keep their place when their client hangs up.
const KEPT: usize = 32;

/// There are too many lines for another one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Full;

pub(super) struct Lines<T>(VecDeque<(Network, VecDeque<T>)>);

impl<T> Default for Lines<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> Lines<T> {
    /// Adds to the end of the network's line. If the line is long, one that is abandoned leaves it, and is returned.
    pub(super) fn add(
        &mut self,
        network: Network,
        item: T,
        is_abandoned: impl Fn(&T) -> bool,
    ) -> Result<Option<T>, Full> {
        let line = self.0.iter_mut().find(|(of, _)| *of == network);
        let Some((_, line)) = line else {
            if self.0.len() >= NETWORKS {
                return Err(Full);
            }
            self.0.push_back((network, [item].into()));
            return Ok(None);
        };
        let abandoned = (line.len() >= KEPT).then(|| line.iter().rposition(is_abandoned));
        let abandoned = abandoned.flatten().and_then(|index| line.remove(index));
        line.push_back(item);
        Ok(abandoned)
    }

    /// Takes the next one. In a long line chance decides, so that nobody who comes again and again is kept out for ever by others who fill it.
    pub(super) fn next(&mut self) -> Option<T> {
        let (network, mut line) = self.0.pop_front()?;
        let is_long = line.len() > KEPT;
        let index = is_long.then(|| fastrand::usize(..line.len()));
        let item = line.remove(index.unwrap_or_default());
        if !line.is_empty() {
            self.0.push_back((network, line));
        }
        item
    }
}

#[cfg(test)]
mod tests;
