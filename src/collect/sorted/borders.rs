//! Where the borders between statuses were.

use crate::collect::sorted::map::Stretch;

/// The borders of one look, for the next one to begin with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Borders(Vec<Border>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Border {
    /// Files before it.
    before: u64,
    /// Files after it.
    after: u64,
}

impl Borders {
    /// The borders of a list that is known from end to end.
    #[must_use]
    pub fn of(stretches: &[Stretch]) -> Self {
        let total = stretches.last().map_or(0, |last| last.range.end);
        let borders = stretches.iter().skip(1).map(|stretch| Border {
            before: stretch.range.start,
            after: total - stretch.range.start,
        });
        Self(borders.collect())
    }

    /// Where they are to be expected in a list of this length: each as far from the end that is nearer as it was.
    #[must_use]
    pub fn in_list_of(&self, total: u64) -> Vec<u64> {
        let expected = self.0.iter().map(|border| {
            if border.before <= border.after {
                border.before
            } else {
                total.saturating_sub(border.after)
            }
        });
        expected.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Status::{Done, Failed, Pending};

    #[test]
    fn borders_keep_their_distance_from_the_nearer_end() {
        let stretches = [(Failed, 0..10), (Done, 10..90), (Pending, 90..100)];
        let stretches = stretches.map(|(status, range)| Stretch {
            word: status.into(),
            range,
        });
        let borders = Borders::of(&stretches);
        assert_eq!(borders.in_list_of(100), [10, 90]);
        assert_eq!(borders.in_list_of(150), [10, 140]);
        assert_eq!(borders.in_list_of(5), [10, 0]);
    }
}
