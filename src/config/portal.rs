//! One portal to watch (docs/configuration.md, `portals`).

mod keys;

use std::path::PathBuf;

use crate::config::address::{BaseUrl, Proxy};
use crate::config::folders::FolderFilter;
use crate::config::key::KeySource;
use crate::config::redact::is_key;
use crate::model::PortalName;

pub(super) use keys::PortalKeys;

/// What the program calls itself to portals.
pub(super) const USER_AGENT: &str = concat!("kb-exporter/", env!("CARGO_PKG_VERSION"));

/// One portal to watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Portal {
    /// The value of the label `portal`.
    pub name: PortalName,
    /// Where it is.
    pub base_url: BaseUrl,
    /// Where the key is found.
    pub key: KeySource,
    /// Certificates to trust instead of the system's, in PEM.
    pub ca_file: Option<PathBuf>,
    /// What the program shows to prove itself in TLS.
    pub client_certificate: Option<ClientCertificate>,
    /// The way to it.
    pub proxy: Proxy,
    /// The header `User-Agent`; a valid header value.
    pub user_agent: String,
    /// Which folders are watched.
    pub folders: FolderFilter,
}

/// A client certificate and its private key, both in PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientCertificate {
    /// The certificate chain.
    pub cert_file: PathBuf,
    /// The private key.
    pub key_file: PathBuf,
}

impl Portal {
    /// A portal with nothing but what it must have; the rest has its default.
    #[must_use]
    pub fn new(name: PortalName, base_url: BaseUrl, key: KeySource) -> Self {
        Self {
            name,
            base_url,
            key,
            ca_file: None,
            client_certificate: None,
            proxy: Proxy::None,
            user_agent: USER_AGENT.to_owned(),
            folders: FolderFilter::default(),
        }
    }
}

/// Takes a portal's name; the error is a sentence.
pub(super) fn parse_name(text: &str) -> Result<PortalName, String> {
    let longest = PortalName::MAX_CHARACTERS;
    PortalName::new(text)
        .filter(|_| !is_key(text))
        .ok_or_else(|| {
            format!("a name has 1 to {longest} printable characters, without spaces around it, and is no key")
        })
}
