//! The connections of a listener: how many there may be, and which one leaves when there are too many.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::clock::Moment;
use crate::http::client::Network;

/// How many connections there may be at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    pub connections: usize,
    /// Of these, how many one client may have.
    pub share: usize,
    /// Further ones on which only probes are answered.
    pub probes: usize,
}

#[derive(Clone)]
pub(super) struct Places {
    capacity: Capacity,
    taken: Arc<Mutex<Taken>>,
}

#[derive(Default)]
struct Taken {
    next: u64,
    /// In the order in which they were accepted.
    connections: BTreeMap<u64, Connection>,
}

struct Connection {
    network: Network,
    only_probes: bool,
    /// Since when it has no request; `None` while one is answered.
    idle_since: Option<Instant>,
    close: CancellationToken,
}

/// The place of a connection, until this is dropped.
pub(super) struct Place {
    id: u64,
    places: Places,
    pub(super) only_probes: bool,
    /// Cancelled when the connection is to leave.
    pub(super) close: CancellationToken,
}

/// The connection has a request, until this is dropped.
pub(super) struct Answering(u64, Places);

impl Places {
    pub(super) fn new(capacity: Capacity) -> Self {
        let taken = Arc::default();
        Self { capacity, taken }
    }

    /// A place for a new connection. If there are too many, the one leaves that has had no request for the longest time. If all have
    /// requests, the new one is for probes alone; `None` if it is also one too many of these.
    pub(super) fn take(&self, network: Network, now: Instant) -> Option<Place> {
        let mut taken = self.taken();
        let is_full = taken.count(|one| !one.only_probes) >= self.capacity.connections;
        let own = |one: &Connection| !one.only_probes && one.network == network;
        let has_share = taken.count(own) >= self.capacity.share;
        let only_probes = match (has_share, is_full) {
            (true, _) => !taken.close_oldest(own),
            (false, true) => !taken.close_oldest(|one| !one.only_probes),
            (false, false) => false,
        };
        let probes = taken.count(|one| one.only_probes);
        if only_probes
            && probes >= self.capacity.probes
            && !taken.close_oldest(|one| one.only_probes)
        {
            return None;
        }
        let id = taken.next;
        taken.next += 1;
        let connection = Connection {
            network,
            only_probes,
            idle_since: Some(now),
            close: CancellationToken::new(),
        };
        let close = connection.close.clone();
        taken.connections.insert(id, connection);
        Some(Place {
            id,
            places: self.clone(),
            only_probes,
            close,
        })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_idle(&self, id: u64, since: Option<Instant>) {
        if let Some(connection) = self.taken().connections.get_mut(&id) {
            connection.idle_since = since;
        }
    }
}

impl Taken {
    fn count(&self, is_counted: impl Fn(&Connection) -> bool) -> usize {
        let counted = |connection: &&Connection| is_counted(connection);
        self.connections.values().filter(counted).count()
    }

    /// Closes the one of these that has had no request for the longest time; false if all have requests.
    fn close_oldest(&mut self, is_one: impl Fn(&Connection) -> bool) -> bool {
        let ones = self.connections.iter().filter(|(_, one)| is_one(one));
        let idle = ones.filter_map(|(id, one)| Some((one.idle_since?, *id)));
        let oldest = idle.min().and_then(|(_, id)| self.connections.remove(&id));
        if let Some(connection) = &oldest {
            connection.close.cancel();
        }
        oldest.is_some()
    }
}

impl Place {
    pub(super) fn answering(&self) -> Answering {
        self.places.set_idle(self.id, None);
        Answering(self.id, self.places.clone())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.taken().connections.remove(&self.id);
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.1.set_idle(self.0, Some(Moment::now().steady));
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::time::Duration;

    use super::*;

    const CAPACITY: Capacity = Capacity {
        connections: 4,
        share: 3,
        probes: 1,
    };

    /// Takes places for clients, one each second.
    fn take(places: &Places, clients: &[u32]) -> Vec<Option<Place>> {
        let start = Moment::now().steady;
        let network = |client: u32| Network::of(Ipv4Addr::from_bits(client).into());
        let take = |(second, client): (u64, &u32)| {
            places.take(network(*client), start + Duration::from_secs(second))
        };
        (0..).zip(clients).map(take).collect()
    }

    /// Which of them are open.
    fn open(taken: &[Option<Place>]) -> Vec<bool> {
        let is_open = |place: &Place| !place.close.is_cancelled() && !place.only_probes;
        let taken = taken.iter();
        taken
            .map(|place| place.as_ref().is_some_and(is_open))
            .collect()
    }

    #[test]
    fn a_client_takes_its_share_and_then_its_own_oldest_leaves() {
        let places = Places::new(CAPACITY);
        let taken = take(&places, &[2, 1, 1, 1, 1]);
        assert_eq!(open(&taken), [true, false, true, true, true]);
    }

    #[test]
    fn when_all_places_are_taken_the_oldest_of_all_leaves() {
        let places = Places::new(CAPACITY);
        let taken = take(&places, &[1, 2, 1, 2, 3]);
        assert_eq!(open(&taken), [false, true, true, true, true]);
    }

    #[test]
    fn a_connection_with_a_request_stays_and_probes_have_places_of_their_own() {
        let places = Places::new(CAPACITY);
        let taken = take(&places, &[1, 2, 1, 2]);
        let mut answering: Vec<_> = taken.iter().flatten().map(Place::answering).collect();
        let late = take(&places, &[3]).remove(0).unwrap();
        assert!(late.only_probes);
        let replaced = take(&places, &[4]).remove(0).unwrap();
        assert!(late.close.is_cancelled() && replaced.only_probes);
        let busy = replaced.answering();
        assert!(take(&places, &[5])[0].is_none(), "no place at all");
        drop(busy);
        answering.remove(1);
        assert!(!take(&places, &[5]).remove(0).unwrap().only_probes);
        assert_eq!(open(&taken), [true, false, true, true]);
        drop((taken, answering, late, replaced));
        assert!(places.taken().connections.is_empty());
    }
}
