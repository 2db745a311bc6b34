//! One throttle for each portal, however many clients ask it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::config::{Collect, Portal, Rate};
use crate::model::{PortalAddress, Shard};
use crate::portal::share::{Demand, Share};
use crate::portal::throttle::Throttle;

/// The throttles in use, by address and limits. A client that is built anew goes on with the throttle of the one before it, and clients of
/// one portal share theirs. Each of them begins with this process's even share of the rate.
#[derive(Debug, Default)]
pub struct Throttles {
    shard: Shard,
    in_use: Mutex<Vec<(Limits, Weak<Throttle>)>>,
}

#[derive(Debug, PartialEq)]
struct Limits {
    address: PortalAddress,
    concurrency: usize,
    rate: Rate,
}

impl Throttles {
    /// The throttles of one of the processes that share the rate of each portal.
    pub fn new(shard: Shard) -> Self {
        Self {
            shard,
            ..Self::default()
        }
    }

    /// What this process needs of the rate of a portal. To be asked at intervals of some seconds.
    pub fn demand(&self, address: &PortalAddress) -> Demand {
        let idle = Demand {
            used: 0.0,
            waits: false,
        };
        let demands = self.at(address).into_iter();
        let demands = demands.map(|throttle| throttle.demand());
        demands.fold(idle, |sum, demand| Demand {
            used: sum.used + demand.used,
            waits: sum.waits || demand.waits,
        })
    }

    /// Sets this process's share of the rate of a portal.
    pub fn set_share(&self, address: &PortalAddress, share: Share) {
        for throttle in self.at(address) {
            throttle.set_share(share);
        }
    }

    /// The throttles in use at an address: several for a while after their limits were changed.
    fn at(&self, address: &PortalAddress) -> Vec<Arc<Throttle>> {
        let in_use = self.in_use();
        let there = in_use
            .iter()
            .filter(|(limits, _)| limits.address == *address);
        there
            .filter_map(|(_, throttle)| throttle.upgrade())
            .collect()
    }

    /// The throttle of a portal: the one that is in use for its address and these limits, or a new one.
    pub(super) fn of(&self, portal: &Portal, collect: &Collect) -> Arc<Throttle> {
        let limits = Limits {
            address: portal.base_url.normalised(),
            concurrency: collect.concurrency.get(),
            rate: collect.max_requests_per_second,
        };
        let mut throttles = self.in_use();
        throttles.retain(|(_, throttle)| throttle.strong_count() > 0);
        let known = throttles.iter().find(|(known, _)| *known == limits);
        if let Some(throttle) = known.and_then(|(_, throttle)| throttle.upgrade()) {
            return throttle;
        }
        let share = limits.rate.divided_by(self.shard.count());
        let throttle = Arc::new(Throttle::new(limits.concurrency, share));
        throttles.push((limits, Arc::downgrade(&throttle)));
        throttle
    }

    fn in_use(&self) -> MutexGuard<'_, Vec<(Limits, Weak<Throttle>)>> {
        self.in_use.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::num::{NonZeroU16, NonZeroUsize};

    use std::time::Duration;

    use super::*;
    use crate::config::{BaseUrl, Config, HiddenPath, KeySource};
    use crate::model::PortalName;
    use crate::portal::Lane;

    fn portal(name: &str, address: &str) -> Portal {
        Portal::new(
            PortalName::new(name).unwrap(),
            BaseUrl::parse(address).unwrap(),
            KeySource::File(HiddenPath::file("api_key_file", "key")),
        )
    }

    #[test]
    fn a_throttle_belongs_to_an_address_and_its_limits() {
        let throttles = Throttles::default();
        let main = portal("main", "https://portal.example/admin");
        let collect = Config::for_portal(main.clone()).collect;
        let throttle = throttles.of(&main, &collect);
        let is_same = |other: &Portal, collect: &Collect| {
            Arc::ptr_eq(&throttle, &throttles.of(other, collect))
        };
        assert!(is_same(&main, &collect));
        assert!(is_same(
            &portal("again", "https://portal.example:443/admin/"),
            &collect
        ));
        assert!(!is_same(
            &portal("main", "https://portal.example/other"),
            &collect
        ));
        let mut slower = collect.clone();
        slower.max_requests_per_second = Rate::PerSecond(0.5);
        assert!(!is_same(&main, &slower));
        let mut wider = collect.clone();
        wider.concurrency = NonZeroUsize::new(9).unwrap();
        assert!(!is_same(&main, &wider));
    }

    #[test]
    fn a_throttle_that_nobody_uses_is_dropped() {
        let throttles = Throttles::default();
        let main = portal("main", "https://portal.example");
        let collect = Config::for_portal(main.clone()).collect;
        drop(throttles.of(&main, &collect));
        let other = portal("other", "https://other.example");
        let _other = throttles.of(&other, &collect);
        assert_eq!(throttles.in_use().len(), 1);
    }

    #[test]
    fn the_rate_of_a_portal_is_shared_evenly_until_it_is_set() {
        let count = NonZeroU16::new(4).unwrap();
        let throttles = Throttles::new(Shard::new(1, count).unwrap());
        let main = portal("main", "https://portal.example/admin");
        let other = portal("other", "https://other.example");
        let collect = Config::for_portal(main.clone()).collect;
        let mut wider = collect.clone();
        wider.concurrency = NonZeroUsize::new(9).unwrap();
        let in_use = [(&main, &collect), (&main, &wider), (&other, &collect)]
            .map(|(portal, collect)| throttles.of(portal, collect));
        let rates = || in_use.each_ref().map(|throttle| throttle.rate());
        let [even, more] = [1.25, 2.0].map(Rate::PerSecond);
        assert_eq!(rates(), [even; 3]);
        for (rate, assured) in [(2.0, 1.25), (0.5, 2.0)] {
            throttles.set_share(&main.base_url.normalised(), Share { rate, assured });
            assert_eq!(rates(), [more, more, even]);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_demand_is_what_all_throttles_of_a_portal_sent() {
        let throttles = Throttles::default();
        let main = portal("main", "https://portal.example");
        let address = main.base_url.normalised();
        let collect = Config::for_portal(main.clone()).collect;
        let mut wider = collect.clone();
        wider.concurrency = NonZeroUsize::new(9).unwrap();
        let in_use = [&collect, &wider].map(|collect| throttles.of(&main, collect));
        let lane = Lane::default();
        let mut demand = throttles.demand(&address);
        assert!(demand.waits && demand.used == 0.0, "it has just started");
        for _ in 0..40 {
            for throttle in &in_use {
                for _ in 0..10 {
                    throttle.admit(&lane, 1, || true).await;
                }
            }
            tokio::time::sleep(Duration::from_secs(6)).await;
            demand = throttles.demand(&address);
        }
        // Twenty requests in ten seconds, by two throttles that take turns.
        assert!(
            (demand.used - 2.0).abs() < 0.1 && !demand.waits,
            "{demand:?}"
        );
        let other = portal("other", "https://other.example")
            .base_url
            .normalised();
        assert!(!throttles.demand(&other).waits);
    }
}
