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
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn network(number: u32) -> Network {
        Network::of(Ipv4Addr::from_bits(number).into())
    }

    fn add(lines: &mut Lines<u32>, of: u32, item: u32) -> Result<Option<u32>, Full> {
        lines.add(network(of), item, |_| false)
    }

    #[test]
    fn lines_take_turns_and_each_keeps_its_order() {
        let mut lines = Lines::default();
        for (of, item) in [(1, 10), (1, 11), (1, 12), (2, 20), (3, 30), (3, 31)] {
            assert_eq!(add(&mut lines, of, item), Ok(None));
        }
        let order: Vec<_> = std::iter::from_fn(|| lines.next()).collect();
        assert_eq!(order, [10, 20, 30, 11, 31, 12]);
    }

    #[test]
    fn a_long_line_drops_the_last_that_is_abandoned_and_none_that_is_waited_for() {
        let mut lines = Lines::default();
        for item in 0..40 {
            assert_eq!(add(&mut lines, 1, item), Ok(None));
        }
        let is_even = |item: &u32| item.is_multiple_of(2);
        assert_eq!(lines.add(network(1), 40, is_even), Ok(Some(38)));
        let mut left: Vec<_> = std::iter::from_fn(|| lines.next()).collect();
        left.sort_unstable();
        assert_eq!(left, [(0..38).collect(), vec![39, 40]].concat());
    }

    #[test]
    fn whoever_comes_again_is_taken_although_others_fill_the_line() {
        let mut lines = Lines::default();
        let taken = (0..10_000).any(|_| {
            for _ in 0..3 {
                let _ = lines.add(network(1), 0, |item| *item == 0);
            }
            let _ = lines.add(network(1), 1, |item| *item == 0);
            lines.next() == Some(1)
        });
        assert!(taken);
    }

    #[test]
    fn there_is_a_limit_to_the_networks_that_wait() {
        let mut lines = Lines::default();
        for number in 0..256 {
            assert_eq!(add(&mut lines, number, 0), Ok(None));
        }
        assert_eq!(add(&mut lines, 256, 0), Err(Full));
        assert_eq!(add(&mut lines, 255, 0), Ok(None));
    }
}
