//! How many connections a listener has, and of these one client.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Weak};

use super::Limits;

/// The addresses that one client can have: an IPv4 address, or the /64 in which an IPv6 host chooses its address itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Network(IpAddr);

impl Network {
    pub(super) fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
            address @ IpAddr::V4(_) => address,
        })
    }
}

/// The networks of the connections that are open.
#[derive(Default)]
pub(super) struct Open(Vec<Weak<Network>>);

impl Open {
    /// Counts a connection until the answer is dropped; `None` if it is one too many.
    pub(super) fn admit(&mut self, network: Network, limits: Limits) -> Option<Arc<Network>> {
        self.0.retain(|one| one.strong_count() > 0);
        let own = self.0.iter().filter_map(Weak::upgrade);
        let own = own.filter(|one| **one == network).count();
        if self.0.len() >= limits.connections || own >= limits.from_one_network {
            return None;
        }
        let admitted = Arc::new(network);
        self.0.push(Arc::downgrade(&admitted));
        Some(admitted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_addresses_of_one_client_are_one_network() {
        let network = |address: &str| Network::of(address.parse().unwrap());
        for (one, other, same) in [
            ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2", true),
            ("2001:db8:0:1::1", "2001:db8:0:2::1", false),
            ("192.0.2.1", "192.0.2.2", false),
            ("::ffff:192.0.2.1", "192.0.2.1", true),
            ("::ffff:192.0.2.1", "::ffff:192.0.2.2", false),
        ] {
            assert_eq!(network(one) == network(other), same, "{one} {other}");
        }
    }
}
