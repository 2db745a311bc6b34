//! One throttle for each portal, however many clients ask it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::config::{Collect, Portal};
use crate::model::PortalAddress;
use crate::portal::throttle::Throttle;

/// The throttles by address. A client that is built anew goes on with the throttle of the one before it, and clients of one portal share
/// theirs.
#[derive(Debug, Default)]
pub struct Throttles {
    by_address: Mutex<HashMap<PortalAddress, Arc<Throttle>>>,
}

impl Throttles {
    /// The throttle of a portal, with these limits from now on.
    pub(super) fn of(&self, portal: &Portal, collect: &Collect) -> Arc<Throttle> {
        let mut throttles = self
            .by_address
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let throttle = throttles
            .entry(portal.base_url.normalised())
            .or_insert_with(|| Arc::new(Throttle::new(portal.name.clone(), collect)));
        throttle.configure(collect);
        Arc::clone(throttle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{BaseUrl, Config, HiddenPath, KeySource, Rate};
    use crate::model::PortalName;

    fn portal(name: &str, address: &str) -> Portal {
        Portal::new(
            PortalName::new(name).unwrap(),
            BaseUrl::parse(address).unwrap(),
            KeySource::File(HiddenPath::file("api_key_file", "key")),
        )
    }

    #[test]
    fn a_throttle_belongs_to_an_address() {
        let throttles = Throttles::default();
        let main = portal("main", "https://portal.example/admin");
        let collect = Config::for_portal(main.clone()).collect;
        let throttle = throttles.of(&main, &collect);
        let slower = Collect {
            max_requests_per_second: Rate::PerSecond(0.5),
            ..collect
        };
        for (name, address, is_same) in [
            ("main", "https://portal.example/admin", true),
            ("again", "https://portal.example:443/admin/", true),
            ("main", "https://portal.example/other", false),
        ] {
            let other = throttles.of(&portal(name, address), &slower);
            assert_eq!(Arc::ptr_eq(&throttle, &other), is_same, "{address}");
        }
    }
}
