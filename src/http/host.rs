//! The host names that are ours. A page of another site can give its own name our address (DNS rebinding), and would then read what we serve without
//! a password; its requests have that name in their header `Host`.

use std::net::IpAddr;

use url::Url;

/// Names that end so are given by a machine, a cluster or a local network, and by nobody else (RFC 6761, RFC 6762).
const LOCAL: [&str; 4] = [".localhost", ".local", ".internal", ".svc"];

#[derive(Debug, Clone, Default)]
pub struct HostNames {
    /// The name of the machine, with its domain where it has one.
    machine: String,
    /// The host of `--web.external-url`.
    external: Option<String>,
}

impl HostNames {
    pub fn new(external_url: Option<&str>) -> Self {
        let machine = rustix::system::uname();
        let machine = machine.nodename().to_string_lossy().to_lowercase();
        let external = external_url.and_then(|url| Url::parse(url).ok());
        Self {
            machine,
            external: external.and_then(|url| url.host_str().map(str::to_owned)),
        }
    }

    /// Whether a header `Host` is an address, or one of our names. A name without a dot is one: nobody can register it.
    pub(super) fn are_of(&self, host: &str) -> bool {
        let name = host.to_ascii_lowercase();
        if let Some((address, _)) = name.strip_prefix('[').and_then(|name| name.split_once(']')) {
            return address.parse::<IpAddr>().is_ok();
        }
        let name = name.split(':').next().unwrap_or_default();
        let name = name.trim_end_matches('.');
        !name.contains('.')
            || name.parse::<IpAddr>().is_ok()
            || LOCAL.iter().any(|end| name.ends_with(end))
            || self.machine == name
            || self.external.as_deref() == Some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_names_that_nobody_else_can_have_are_ours() {
        let names = HostNames {
            machine: "kb-1.corp.example".to_owned(),
            external: Some("kb.example".to_owned()),
        };
        for (host, is_ours) in [
            ("127.0.0.1:15732", true),
            ("10.0.0.7", true),
            ("[::1]:15732", true),
            ("localhost:15732", true),
            ("kb-exporter:15732", true),
            ("kb-exporter.monitoring.svc:15732", true),
            ("kb-exporter.monitoring.svc.cluster.local", true),
            ("KB.example", true),
            ("kb-1.corp.example", true),
            ("attacker.example", false),
            ("kb-1.attacker.example", false),
            ("kb.example.attacker.example:15732", false),
            ("localhost.attacker.example", false),
            ("127.0.0.1.attacker.example", false),
            ("[attacker.example]:80", false),
        ] {
            assert_eq!(names.are_of(host), is_ours, "{host}");
        }
    }
}
