//! Who sends a request.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// The client of a connection, in the extensions of its requests.
#[derive(Debug, Clone, Copy)]
pub(super) struct Client {
    pub(super) peer: SocketAddr,
    pub(super) showed_certificate: bool,
    /// Whether the connection is one too many, so that only probes are answered.
    pub(super) only_probes: bool,
}

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
