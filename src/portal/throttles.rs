//! One throttle for each portal, however many clients ask it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::config::{Collect, Portal, Rate};
use crate::model::PortalAddress;
use crate::portal::throttle::Throttle;

/// The throttles in use, by address and limits. A client that is built anew goes on with the throttle of the one before it, and clients of
/// one portal share theirs.
#[derive(Debug, Default)]
pub struct Throttles {
    in_use: Mutex<Vec<(Limits, Weak<Throttle>)>>,
}

#[derive(Debug, PartialEq)]
struct Limits {
    address: PortalAddress,
    concurrency: usize,
    rate: Rate,
}

impl Throttles {
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
        let throttle = Throttle::new(portal.name.clone(), limits.concurrency, limits.rate);
        let throttle = Arc::new(throttle);
        throttles.push((limits, Arc::downgrade(&throttle)));
        throttle
    }

    fn in_use(&self) -> MutexGuard<'_, Vec<(Limits, Weak<Throttle>)>> {
        self.in_use.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;
    use crate::config::{BaseUrl, Config, HiddenPath, KeySource};
    use crate::model::PortalName;

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
}
