//! A number over the last day.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::model::Timestamp;

/// A number that is noted in steps of five minutes: its value at the end of each step in which it changed. What is older than a day is
/// forgotten, but for the value with which the day began. Most numbers never change, so that one value needs no memory of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<i64>", into = "Vec<i64>")]
pub struct Series(SmallVec<[(u32, u32); 1]>);

impl Series {
    pub const STEP: Duration = Duration::from_mins(5);

    /// The steps of an hour.
    pub const HOUR: u32 = 12;

    /// The steps of a day.
    pub const DAY: u32 = 24 * Self::HOUR;

    /// The step of a point in time.
    pub fn step(at: Timestamp) -> u32 {
        let steps = Duration::from_millis(at.as_millis().try_into().unwrap_or(0)).as_secs()
            / Self::STEP.as_secs();
        steps.try_into().unwrap_or(u32::MAX)
    }

    /// When a step begins.
    pub fn begin(step: u32) -> Timestamp {
        Timestamp::default().after(Self::STEP * step)
    }

    /// Notes the value in a step. If a clock was set back, the last step holds it.
    pub fn note(&mut self, step: u32, value: u64) {
        let value = value.try_into().unwrap_or(u32::MAX);
        if self.0.last().is_some_and(|(last, _)| *last >= step)
            && let Some((_, last)) = self.0.pop()
            && self.0.is_empty()
            && last != value
        {
            // The first value is where the changes begin.
            self.0.push((step.saturating_sub(1), last));
        }
        if self.0.last().is_none_or(|(_, last)| *last != value) {
            self.0.push((step, value));
            let begin = step.saturating_sub(Self::DAY);
            let old = self.0.partition_point(|(known, _)| *known <= begin);
            self.0.drain(..old.saturating_sub(1));
        }
    }

    /// The value at the end of a step, or the first one that is known; 0 if none is.
    pub fn at(&self, step: u32) -> u64 {
        let known = self.0.partition_point(|(known, _)| *known <= step);
        let sample = self.0.get(known.saturating_sub(1));
        sample.map_or(0, |(_, value)| u64::from(*value))
    }

    /// By how much it grew since the end of a step.
    pub fn grown_since(&self, step: u32) -> i64 {
        let growth =
            |(_, last): &(u32, u32)| i64::from(*last).saturating_sub_unsigned(self.at(step));
        self.0.last().map_or(0, growth)
    }
}

/// What is stored: steps and values by turns, each less the one before it.
impl From<Series> for Vec<i64> {
    fn from(series: Series) -> Self {
        let mut before = (0, 0);
        let differences = series.0.into_iter().flat_map(|sample| {
            let (step, value) = std::mem::replace(&mut before, sample);
            [(sample.0, step), (sample.1, value)].map(|(new, old)| i64::from(new) - i64::from(old))
        });
        differences.collect()
    }
}

impl From<Vec<i64>> for Series {
    fn from(differences: Vec<i64>) -> Self {
        let (pairs, _) = differences.as_chunks::<2>();
        let samples = pairs.iter().scan((0_u32, 0_u32), |last, [step, value]| {
            let add = |old: u32, more: i64| u32::try_from(i64::from(old).checked_add(more)?).ok();
            *last = (add(last.0, *step)?, add(last.1, *value)?);
            Some(*last)
        });
        Self(samples.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_value_holds_until_it_changes_and_the_first_before_it() {
        let mut series = Series::default();
        assert_eq!((series.at(9), series.grown_since(9)), (0, 0));
        for (step, value) in [(10, 5), (10, 7), (12, 7), (14, 9), (13, 8)] {
            series.note(step, value);
        }
        let values: Vec<_> = [0, 9, 10, 12, 13, 20].map(|step| series.at(step)).into();
        assert_eq!(values, [5, 5, 7, 7, 8, 8]);
        assert_eq!((series.grown_since(9), series.grown_since(12)), (3, 1));
    }

    proptest! {
        #[test]
        fn what_is_stored_is_what_was_noted_and_no_more_than_a_day(
            changes in prop::collection::vec((0_u32..9, any::<u32>()), 0..400),
        ) {
            let (mut series, mut step) = (Series::default(), 5_000_000);
            let mut all = std::collections::BTreeMap::new();
            for (later, value) in changes {
                step += later;
                series.note(step, u64::from(value));
                all.insert(step, u64::from(value));
                prop_assert_eq!(series.at(step), u64::from(value));
            }
            for known in step.saturating_sub(Series::DAY)..=step {
                if let Some((_, value)) = all.range(..=known).next_back() {
                    prop_assert_eq!(series.at(known), *value);
                }
            }
            prop_assert!(series.0.len() <= Series::DAY as usize + 2);
            let text = serde_json::to_string(&series).unwrap();
            prop_assert_eq!(serde_json::from_str::<Series>(&text).unwrap(), series);
        }

        #[test]
        fn no_stored_text_is_too_strange(numbers in prop::collection::vec(any::<i64>(), 0..9)) {
            let _ = Series::from(numbers).at(7);
        }
    }
}
