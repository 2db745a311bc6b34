//! `tls_server_config`: the settings of TLS connections.

use std::path::PathBuf;
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{InconsistentKeys, ServerConfig, SupportedProtocolVersion, version};
use schemars::JsonSchema;
use serde::Deserialize;
use x509_cert::Certificate;
use x509_cert::der::Decode;

use crate::config::ConfigError;
use crate::config::value::section;
use crate::model::Timestamp;
use crate::pem::Pem;

use super::client_auth::{AllowedNames, ClientAuth, verifier};
use super::file::Files;

const INLINE: &str = "certificates and keys are read from files of their own; expected cert_file, key_file or client_ca_file";

#[derive(Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct TlsKeys {
    /// A private key in this file would need the rights of a secret for all of it: this and the next two are refused.
    cert: Inline,
    key: Inline,
    client_ca: Inline,
    cert_file: Option<PathBuf>,
    key_file: Option<PathBuf>,
    client_ca_file: Option<PathBuf>,
    #[serde(deserialize_with = "section")]
    client_auth_type: ClientAuth,
    client_allowed_sans: Option<AllowedNames>,
    min_version: Option<TlsVersion>,
    max_version: Option<TlsVersion>,
    /// This and the next two have no effect: rustls has nothing that one would have to exclude.
    cipher_suites: Option<Vec<String>>,
    prefer_server_cipher_suites: Option<bool>,
    curve_preferences: Option<Vec<String>>,
}

/// A certificate or key in the file itself.
#[derive(Default, PartialEq, Deserialize, JsonSchema)]
#[serde(try_from = "Option<String>")]
struct Inline;

impl TryFrom<Option<String>> for Inline {
    type Error = &'static str;

    fn try_from(text: Option<String>) -> Result<Self, Self::Error> {
        match text {
            Some(text) if !text.is_empty() => Err(INLINE),
            _ => Ok(Self),
        }
    }
}

/// A version of TLS. rustls does not have the first two.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
enum TlsVersion {
    Tls10,
    Tls11,
    Tls12,
    Tls13,
}

pub struct TlsServer {
    pub config: Arc<ServerConfig>,
    /// When the first certificate of its chain expires.
    pub expiry: Option<Timestamp>,
    /// Whether clients show certificates.
    pub client_auth: ClientAuth,
    pub(super) allowed_names: Option<AllowedNames>,
    /// Whether it refuses what TLS 1.3 replaced.
    pub(super) needs_tls13: bool,
}

impl TlsServer {
    /// Whether the certificate of a client has a name that is allowed.
    pub fn admits(&self, certificate: Option<&CertificateDer<'_>>) -> bool {
        let names = self.allowed_names.as_ref();
        names.is_none_or(|names| names.admit(certificate))
    }
}

impl TlsKeys {
    /// Reads the certificates and makes the configuration of rustls, if one of the keys is set.
    pub(super) fn server(self, files: &mut Files) -> Result<Option<TlsServer>, ConfigError> {
        if self == Self::default() {
            return Ok(None);
        }
        if self.cipher_suites.is_some() || self.curve_preferences.is_some() {
            tracing::warn!(
                "cipher_suites and curve_preferences have no effect: the suites and curves are those of rustls"
            );
        }
        let versions = self.versions()?;
        let missing =
            |key| move || ConfigError::about("tls_server_config", format!("{key} is missing"));
        let chain = files.read("cert_file", self.cert_file, Pem::certificates)?;
        let chain = chain.ok_or_else(missing("cert_file"))?;
        let key = files.read("key_file", self.key_file, Pem::key)?;
        let key = key.ok_or_else(missing("key_file"))?;
        let authorities = files.read("client_ca_file", self.client_ca_file, Pem::certificates)?;
        let (client_auth, allowed_names) = (self.client_auth_type, self.client_allowed_sans);
        let provider = crate::tls::provider();
        let verifier = verifier(client_auth, authorities, allowed_names.is_some(), &provider)?;
        let expiry = chain.iter().filter_map(expiry).min();
        let key = certified_key(chain, key, &provider)?;
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&versions)?
            .with_client_cert_verifier(verifier)
            .with_cert_resolver(Arc::new(SingleCertAndKey::from(key)));
        config.ignore_client_order = true;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Some(TlsServer {
            config: Arc::new(config),
            expiry,
            client_auth,
            allowed_names,
            needs_tls13: !versions.contains(&&version::TLS12),
        }))
    }

    fn versions(&self) -> Result<Vec<&'static SupportedProtocolVersion>, ConfigError> {
        let lowest = self.min_version.unwrap_or(TlsVersion::Tls12);
        let wanted = lowest..=self.max_version.unwrap_or(TlsVersion::Tls13);
        let versions = [
            (TlsVersion::Tls13, &version::TLS13),
            (TlsVersion::Tls12, &version::TLS12),
        ];
        let versions = versions.iter().filter(|(name, _)| wanted.contains(name));
        let versions: Vec<_> = versions.map(|(_, version)| *version).collect();
        if versions.is_empty() {
            let advice = "no version is left: the server has TLS12 and TLS13";
            return Err(ConfigError::about("tls_server_config.max_version", advice));
        }
        Ok(versions)
    }
}

/// A key that belongs to the first certificate, as far as rustls can tell: of certificates of version 1 it cannot.
fn certified_key(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    provider: &CryptoProvider,
) -> Result<CertifiedKey, ConfigError> {
    let key = provider.key_provider.load_private_key(key)?;
    let certified = CertifiedKey::new(chain, key);
    match certified.keys_match() {
        Err(rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch)) => {
            let why =
                "the private key in key_file is not that of the first certificate in cert_file";
            Err(ConfigError::about("tls_server_config", why))
        }
        _ => Ok(certified),
    }
}

fn expiry(certificate: &CertificateDer<'_>) -> Option<Timestamp> {
    let certificate = Certificate::from_der(certificate).ok()?;
    let end = certificate.tbs_certificate.validity.not_after;
    let end = i64::try_from(end.to_unix_duration().as_millis()).ok()?;
    Some(Timestamp::from_millis(end))
}
