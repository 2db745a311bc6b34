//! What is known of the statuses by position, and what follows from equal ones lying together.

use std::ops::Range;

use crate::model::StatusWord;

/// Positions whose status is known.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Segment {
    range: Range<u64>,
    word: StatusWord,
}

/// Statuses by position, as far as they are known.
#[derive(Debug, Clone, Default)]
pub struct Map {
    /// In their order, none overlapping another.
    segments: Vec<Segment>,
}

/// Files of one status: those between two known ones are of the same status, since equal ones lie together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// Their status.
    pub word: StatusWord,
    /// From the first that is known to the last that is known.
    pub range: Range<u64>,
}

impl Map {
    /// Notes the status of positions, where nothing is known yet.
    pub fn lay(&mut self, range: Range<u64>, word: StatusWord) {
        let mut start = range.start;
        let mut pieces = Vec::new();
        for known in &self.segments {
            if known.range.end <= start {
                continue;
            }
            if known.range.start >= range.end {
                break;
            }
            pieces.push(start..known.range.start);
            start = known.range.end;
        }
        pieces.push(start..range.end);
        let pieces = pieces.into_iter().filter(|piece| piece.start < piece.end);
        self.segments
            .extend(pieces.map(|range| Segment { range, word }));
        self.segments
            .sort_unstable_by_key(|segment| segment.range.start);
    }

    /// Whether all that is known of these positions is this status.
    #[must_use]
    pub fn agrees(&self, range: &Range<u64>, word: StatusWord) -> bool {
        self.segments.iter().all(|known| {
            let apart = known.range.end <= range.start || range.end <= known.range.start;
            apart || known.word == word
        })
    }

    /// What is known, front to back. Between two of them there is a border, or a gap in which borders lie.
    #[must_use]
    pub fn stretches(&self) -> Vec<Stretch> {
        let mut stretches: Vec<Stretch> = Vec::new();
        for Segment { range, word } in &self.segments {
            match stretches.last_mut() {
                Some(last) if last.word == *word => last.range.end = range.end,
                _ => stretches.push(Stretch {
                    word: *word,
                    range: range.clone(),
                }),
            }
        }
        stretches
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Status::{self, Done, Failed, Pending};

    fn map(segments: &[(Range<u64>, Status)]) -> Map {
        let mut map = Map::default();
        for (range, status) in segments {
            map.lay(range.clone(), (*status).into());
        }
        map
    }

    fn stretches(map: &Map) -> Vec<(Range<u64>, Status)> {
        let stretches = map.stretches().into_iter();
        stretches
            .map(|stretch| (stretch.range, stretch.word.status))
            .collect()
    }

    #[test]
    fn what_is_known_first_stays() {
        let map = map(&[
            (10..20, Done),
            (5..15, Failed),
            (18..30, Pending),
            (0..30, Failed),
        ]);
        assert_eq!(
            stretches(&map),
            [(0..10, Failed), (10..20, Done), (20..30, Pending)]
        );
    }

    #[test]
    fn between_equals_there_are_only_equals() {
        let map = map(&[(0..10, Done), (90..100, Done), (95..110, Failed)]);
        assert_eq!(stretches(&map), [(0..100, Done), (100..110, Failed)]);
        assert!(map.agrees(&(5..10), Done.into()) && map.agrees(&(50..60), Failed.into()));
        assert!(!map.agrees(&(9..12), Failed.into()));
    }
}
