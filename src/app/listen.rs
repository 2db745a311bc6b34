//! Binds addresses.

use std::net::{Ipv4Addr, SocketAddr};

use anyhow::{Context, Result};
use tokio::net::{TcpListener, TcpSocket};

/// Listens on all addresses.
pub(super) async fn on_all(addresses: &[SocketAddr]) -> Result<Vec<TcpListener>> {
    let mut listeners = Vec::new();
    for address in addresses {
        let is_everywhere = address.is_ipv6() && address.ip().is_unspecified();
        // On a machine without IPv6, every address is every one of IPv4.
        let bound = match TcpSocket::new_v6() {
            Err(_) if is_everywhere => (Ipv4Addr::UNSPECIFIED, address.port()).into(),
            _ => *address,
        };
        let listener = TcpListener::bind(bound).await;
        listeners.push(listener.with_context(|| format!("cannot listen on {address}"))?);
    }
    Ok(listeners)
}
