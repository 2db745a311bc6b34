//! Addresses of arguments: to listen on, as the Prometheus family writes them, and for links.

use std::net::SocketAddr;
use std::str::FromStr;

use url::Url;

use crate::config::http_url;

/// An address with a port; without a host (`:15732`), every address of the machine, IPv6 and IPv4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ListenAddress(pub SocketAddr);

impl FromStr for ListenAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let address = match text.strip_prefix(':') {
            Some(port) => format!("[::]:{port}"),
            None => text.replacen("localhost:", "127.0.0.1:", 1),
        };
        address.parse().map(Self).map_err(|_| {
            "expected an IP address and a port, such as 127.0.0.1:15732 or :15732".to_owned()
        })
    }
}

/// An address that can stand in an annotation: Prometheus reads `{{` there as the begin of a template, and YAML `'` as an end.
pub(super) fn linked(text: &str) -> Result<Url, String> {
    let url = http_url(text).map_err(|why| format!("this is not an address: {why}"))?;
    if url.as_str().contains(['\'', '{', '}']) {
        return Err("write `'` as %27, `{` as %7B and `}` as %7D".to_owned());
    }
    Ok(url)
}

/// The address of a site, to which paths are added.
pub(super) fn site(text: &str) -> Result<String, String> {
    let url = linked(text)?;
    if url.query().or(url.fragment()).is_some() {
        return Err("a path is added: remove `?` and `#`".to_owned());
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_lack_its_host_and_never_its_port() {
        let parse = |text: &str| {
            text.parse::<ListenAddress>()
                .ok()
                .map(|address| address.0.to_string())
        };
        for (text, address) in [
            (":15732", Some("[::]:15732")),
            (":0", Some("[::]:0")),
            ("127.0.0.1:1", Some("127.0.0.1:1")),
            ("localhost:1", Some("127.0.0.1:1")),
            ("[::1]:1", Some("[::1]:1")),
            ("127.0.0.1", None),
            (":99999", None),
            ("portal.localhost:1", None),
            ("", None),
        ] {
            assert_eq!(parse(text).as_deref(), address, "{text}");
        }
    }
}
