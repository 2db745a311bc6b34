//! A shuffle that is computed, not stored: which place a file has among all names.
//!
//! The places are dealt out to groups, so that each group has exactly as many as it asks for, spread evenly from the first
//! to the last. A *slot* is a file's number when the groups lie one after the other; within a group, later slots have later places.

/// Which slot lies at which place, and the other way round.
#[derive(Debug)]
pub(super) struct Deal {
    groups: Vec<Group>,
}

/// Places dealt to one group, out of those that the groups before it left.
#[derive(Debug)]
struct Group {
    size: usize,
    /// The slot of its first file.
    first: usize,
    /// Places that the groups before it left; at least `size`.
    left: usize,
    /// Where its places begin, in parts of the distance between two of them: less than `left`.
    phase: usize,
}

impl Deal {
    /// Deals places to groups of these sizes.
    pub fn new(sizes: impl Iterator<Item = usize> + Clone) -> Self {
        let mut left: usize = sizes.clone().sum();
        let mut first = 0;
        let mut groups = Vec::new();
        for size in sizes.filter(|&size| size > 0) {
            // Without it, groups of one size would lie side by side.
            let phase = fastrand::Rng::with_seed(first as u64).usize(..left);
            groups.push(Group {
                size,
                first,
                left,
                phase,
            });
            first += size;
            left -= size;
        }
        Self { groups }
    }

    /// The slot of the file at a place; past the last place, none.
    pub fn slot(&self, mut place: usize) -> Option<usize> {
        for group in &self.groups {
            let before = group.before(place);
            if group.before(place + 1) > before {
                return (before < group.size).then_some(group.first + before);
            }
            place -= before;
        }
        None
    }

    /// The place of the file in a slot.
    pub fn place(&self, slot: usize) -> usize {
        let at = self.groups.partition_point(|group| group.first <= slot);
        let Some((own, earlier)) = self.groups[..at].split_last() else {
            return slot;
        };
        let place = own.own(slot - own.first);
        earlier
            .iter()
            .rev()
            .fold(place, |place, group| group.other(place))
    }
}

impl Group {
    /// How many of the group's places lie before this one.
    fn before(&self, place: usize) -> usize {
        scale(place, self.size, self.phase, self.left)
    }

    /// The group's own place of this number: the first with more than this number of them at or before it.
    fn own(&self, number: usize) -> usize {
        scale(number, self.left, self.left - 1 - self.phase, self.size)
    }

    /// The place of this number among those that the group leaves.
    fn other(&self, number: usize) -> usize {
        scale(number, self.left, self.phase, self.left - self.size)
    }
}

/// `(number * by + plus) / over`, rounded down; every result is a place, so that it fits.
fn scale(number: usize, by: usize, plus: usize, over: usize) -> usize {
    let scaled = (number as u128 * by as u128 + plus as u128) / over.max(1) as u128;
    usize::try_from(scaled).unwrap_or(usize::MAX)
}
