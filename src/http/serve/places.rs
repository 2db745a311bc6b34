//! The connections of a listener: how many there may be, and which one leaves when there are too many.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::clock::Moment;
use crate::http::serve::Limits;

/// The addresses that one client can have: an IPv4 address, or the /64 in which an IPv6 host chooses its address itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Network(IpAddr);

impl Network {
    pub(super) fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => {
                let prefix = address.to_bits() >> 64 << 64;
                Ipv6Addr::from_bits(prefix).into()
            }
            address @ IpAddr::V4(_) => address,
        })
    }
}

pub(super) struct Places {
    limits: Limits,
    /// In the order in which they were accepted.
    taken: Vec<Weak<Place>>,
}

/// The place of a connection, until this is dropped or closed.
pub(super) struct Place {
    network: Network,
    pub(super) only_probes: bool,
    /// Since when it has no request; `None` while one is answered.
    idle_since: Mutex<Option<Instant>>,
    /// Cancelled when the connection is to leave.
    pub(super) close: CancellationToken,
}

/// The connection has a request, until this is dropped.
pub(super) struct Answering(Arc<Place>);

impl Places {
    pub(super) const fn new(limits: Limits) -> Self {
        Self {
            limits,
            taken: Vec::new(),
        }
    }

    /// A place for a new connection. If there are too many, the one leaves that has had no request for the longest time. If all have
    /// requests, the new one is for probes alone; `None` if it is also one too many of these.
    pub(super) fn take(&mut self, network: Network, now: Instant) -> Option<Arc<Place>> {
        let taken: Vec<_> = self.taken.iter().filter_map(Weak::upgrade).collect();
        let open = taken.iter().filter(|one| !one.close.is_cancelled());
        let general = open.clone().filter(|one| !one.only_probes);
        let own = general.clone().filter(|one| one.network == network);
        let only_probes =
            !has_room(own, self.limits.share) || !has_room(general, self.limits.connections);
        let probes = open.clone().filter(|one| one.only_probes);
        if only_probes && !has_room(probes, self.limits.probes) {
            return None;
        }
        let place = Arc::new(Place {
            network,
            only_probes,
            idle_since: Mutex::new(Some(now)),
            close: CancellationToken::new(),
        });
        self.taken = open.chain([&place]).map(Arc::downgrade).collect();
        Some(place)
    }
}

/// Whether there are fewer than `most`. If not, the one is closed that has had no request for the longest time, unless all have requests.
fn has_room<'p>(places: impl Iterator<Item = &'p Arc<Place>> + Clone, most: usize) -> bool {
    if places.clone().count() < most {
        return true;
    }
    let idle = places.filter_map(|place| Some((place.idle_since()?, place)));
    let oldest = idle.min_by_key(|(since, _)| *since);
    if let Some((_, place)) = oldest {
        place.close.cancel();
    }
    oldest.is_some()
}

impl Place {
    pub(super) fn answering(self: &Arc<Self>) -> Answering {
        self.set_idle(None);
        Answering(Arc::clone(self))
    }

    fn idle_since(&self) -> Option<Instant> {
        *self
            .idle_since
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn set_idle(&self, since: Option<Instant>) {
        *self
            .idle_since
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = since;
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.set_idle(Some(Moment::now().steady));
    }
}

#[cfg(test)]
mod tests;
