//! Binds addresses.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use anyhow::{Context, Result};
use socket2::SockRef;
use tokio::net::{TcpListener, TcpSocket};

/// Connections that wait to be accepted.
const BACKLOG: u32 = 1024;

/// Listens on all addresses.
pub(super) fn on_all(addresses: &[SocketAddr]) -> Result<Vec<TcpListener>> {
    let listen = |address: &SocketAddr| {
        let listener = match on(*address) {
            // A machine without IPv6.
            Err(_) if is_everywhere(*address) && !has_ipv6() => {
                on((Ipv4Addr::UNSPECIFIED, address.port()).into())
            }
            listener => listener,
        };
        listener.with_context(|| format!("cannot listen on {address}"))
    };
    addresses.iter().map(listen).collect()
}

fn is_everywhere(address: SocketAddr) -> bool {
    address.is_ipv6() && address.ip().is_unspecified()
}

fn has_ipv6() -> bool {
    TcpSocket::new_v6().is_ok()
}

/// Listens on an address. All addresses of IPv6 include those of IPv4, whatever the machine's default is.
fn on(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv6() {
        TcpSocket::new_v6()?
    } else {
        TcpSocket::new_v4()?
    };
    if is_everywhere(address) {
        SockRef::from(&socket).set_only_v6(false)?;
    }
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
