//! The share of one process in the folders of a portal.

use std::fmt;
use std::num::{NonZeroU16, NonZeroU32};

use ring::digest::{SHA256, digest};

use super::{FolderId, PortalAddress};

/// One of the processes that share the folders of each portal: it collects the folders that it owns, and nothing of the others.
///
/// The owner of a folder is found by rendezvous hashing: each shard has a weight for the folder, and the owner is the one with the highest
/// weight. So a shard that is added takes an even part of the folders of each of the others, and no other folder changes its owner.
/// The weight is the same in all versions and on all platforms: otherwise two processes could both own a folder, or none of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: u16,
    count: NonZeroU16,
    replicas: NonZeroU16,
}

impl Shard {
    /// Shard `index` of `count`, counted from 0; `None` where the index is not below the count.
    pub fn new(index: u16, count: NonZeroU16) -> Option<Self> {
        let replicas = NonZeroU16::MIN;
        (index < count.get()).then_some(Self {
            index,
            count,
            replicas,
        })
    }

    /// The same shard where this number of processes watch its folders.
    #[must_use]
    pub const fn with_replicas(self, replicas: NonZeroU16) -> Self {
        Self { replicas, ..self }
    }

    /// The number of this shard, from 0.
    pub const fn index(self) -> u16 {
        self.index
    }

    pub const fn count(self) -> NonZeroU16 {
        self.count
    }

    /// Number of processes that watch the folders of this shard.
    pub const fn replicas(self) -> NonZeroU16 {
        self.replicas
    }

    /// Its index and the number of shards, such as `0/3`.
    pub fn part(self) -> String {
        format!("{}/{}", self.index, self.count)
    }

    /// Number of processes that ask each portal: the replicas of all shards.
    pub fn processes(self) -> NonZeroU32 {
        NonZeroU32::from(self.count).saturating_mul(self.replicas.into())
    }

    /// Whether a folder is collected by this shard. Of all shards with the same count, exactly one owns it.
    pub fn owns(self, portal: &PortalAddress, folder: FolderId) -> bool {
        self.count.get() == 1 || owner(self.count, portal, folder) == self.index
    }
}

impl Default for Shard {
    /// The only shard, which owns every folder.
    fn default() -> Self {
        Self {
            index: 0,
            count: NonZeroU16::MIN,
            replicas: NonZeroU16::MIN,
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "shard {} of {}", self.index, self.count)
    }
}

/// The shard with the highest weight for a folder, the first of those that are equal.
fn owner(count: NonZeroU16, portal: &PortalAddress, folder: FolderId) -> u16 {
    let seed = seed(portal, folder);
    // The last of those that are equal is the maximum.
    let shards = (0..count.get()).rev();
    shards
        .max_by_key(|index| weight(seed, *index))
        .unwrap_or_default()
}

/// The first eight bytes, big-endian, of the SHA-256 hash of the portal's normalised address, a zero byte, and the 16 bytes of the folder's id.
fn seed(portal: &PortalAddress, folder: FolderId) -> u64 {
    let address = portal.as_str().as_bytes();
    let text = [address, &[0], folder.0.as_bytes()].concat();
    let hash = digest(&SHA256, &text);
    let first = hash.as_ref().iter().take(8);
    first.fold(0, |seed, byte| seed << 8 | u64::from(*byte))
}

/// The weight of a shard: the number at its index, from 0, in the sequence that the generator `SplitMix64` makes of the seed
/// (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
fn weight(seed: u64, index: u16) -> u64 {
    const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;
    let state = seed.wrapping_add(GAMMA.wrapping_mul(u64::from(index) + 1));
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn shards(count: u16) -> impl Iterator<Item = Shard> {
        let count = NonZeroU16::new(count).unwrap();
        (0..count.get()).map(move |index| Shard::new(index, count).unwrap())
    }

    const PORTAL: &str = "https://portal.example/";

    fn id(number: u128) -> FolderId {
        Uuid::from_u128(number).into()
    }

    /// The owners of this number of folders with consecutive ids.
    fn owners(count: u16, folders: u128) -> Vec<u16> {
        let (count, main) = (NonZeroU16::new(count).unwrap(), PORTAL.into());
        (0..folders)
            .map(|number| owner(count, &main, id(number)))
            .collect()
    }

    proptest! {
        #[test]
        fn each_folder_has_exactly_one_owner(count in 1_u16..80, name in "[a-z0-9.:/]{0,20}", folder: u128) {
            let portal = PortalAddress::from(&*name);
            let owners = shards(count).filter(|shard| shard.owns(&portal, id(folder)));
            prop_assert_eq!(owners.count(), 1);
        }

        #[test]
        fn a_shard_that_is_added_takes_folders_and_no_others_move(count in 1_u16..200, folder: u128) {
            let portal = PORTAL.into();
            let [before, after] = [count, count + 1]
                .map(|count| owner(NonZeroU16::new(count).unwrap(), &portal, id(folder)));
            prop_assert!(after == before || after == count);
        }
    }

    #[test]
    fn shares_are_even_and_a_new_shard_takes_its_part_of_each() {
        const FOLDERS: u32 = 40_000;
        for count in [2_u16, 3, 8, 31] {
            let (before, after) = (
                owners(count, FOLDERS.into()),
                owners(count + 1, FOLDERS.into()),
            );
            let even = f64::from(FOLDERS) / f64::from(count);
            let part = even / f64::from(count + 1);
            for shard in 0..count {
                let owned = before.iter().filter(|owner| **owner == shard).count();
                let moved = before.iter().zip(&after);
                let moved = moved.filter(|(before, after)| **before == shard && before != after);
                // Five standard deviations of what is dealt at random.
                for (number, expected) in [(owned, even), (moved.count(), part)] {
                    let off = (f64::from(u32::try_from(number).unwrap()) - expected).abs();
                    assert!(
                        off < 5.0 * expected.sqrt(),
                        "{shard} of {count}: {number}, not {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_shares_of_two_portals_have_nothing_to_do_with_each_other() {
        let count = NonZeroU16::new(2).unwrap();
        let is_same = |number: &u128| {
            let [one, other] = [PORTAL, "https://other.example/"]
                .map(|address| owner(count, &address.into(), id(*number)));
            one == other
        };
        let same = (0..10_000).filter(is_same).count();
        assert!((4_750..5_250).contains(&same), "{same}");
    }

    /// Portal, folder, and its owners of 2, 3, 8, 64 and 1,000 shards.
    const GOLDEN: &str = "
        https://portal.example/ | 018f2c5e-7b1a-7c3d-9e4f-a1b2c3d4e5f6 | 1 2 2 47 766
        https://portal.example/ | 00000000-0000-0000-0000-000000000000 | 1 1 1 48 858
        https://portal.example/ | ffffffff-ffff-ffff-ffff-ffffffffffff | 1 2 2 2 246
        http://127.0.0.1:8080/kb | 018f2c5e-7b1a-7c3d-9e4f-a1b2c3d4e5f6 | 1 1 7 12 408
        https://xn--80akhbyknj4f.example/ | 7d444840-9dc0-11d1-b245-5ffdce74fad2 | 1 1 6 36 675";

    /// Worked out by a program of its own. Another owner in another version would be counted twice, or not at all, while both run.
    #[test]
    fn owners_never_change() {
        for line in GOLDEN.trim().lines() {
            let [address, folder, owners] = line.split(" | ").collect::<Vec<_>>()[..] else {
                panic!("{line}");
            };
            let folder = FolderId::parse(folder).unwrap();
            let found = [2, 3, 8, 64, 1000].map(|count| {
                owner(
                    NonZeroU16::new(count).unwrap(),
                    &address.trim().into(),
                    folder,
                )
            });
            assert_eq!(found.map(|it| it.to_string()).join(" "), owners, "{line}");
        }
    }

    #[test]
    fn the_only_shard_owns_everything_and_an_index_is_below_the_count() {
        assert!(Shard::default().owns(&PORTAL.into(), id(7)));
        let count = NonZeroU16::new(3).unwrap();
        assert_eq!(Shard::new(2, count).unwrap().to_string(), "shard 2 of 3");
        assert_eq!(Shard::new(3, count), None);
    }
}
