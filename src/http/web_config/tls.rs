//! `tls_server_config`: the settings of TLS connections.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{InconsistentKeys, ServerConfig, SupportedProtocolVersion, version};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use x509_cert::Certificate;
use x509_cert::der::{Decode, Encode};

use crate::config::HiddenPath;
use crate::config::error::Fault;
use crate::config::value::section;
use crate::model::Timestamp;
use crate::pem::{Pem, PemError};

use super::client_auth::{AllowedNames, ClientAuth, verifier};

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct TlsSection {
    #[serde(deserialize_with = "no_text")]
    #[schemars(with = "String")]
    cert: (),
    #[serde(deserialize_with = "no_text")]
    #[schemars(with = "String")]
    key: (),
    #[serde(deserialize_with = "no_text")]
    #[schemars(with = "String")]
    client_ca: (),
    #[serde(deserialize_with = "section")]
    cert_file: PathBuf,
    #[serde(deserialize_with = "section")]
    key_file: PathBuf,
    #[serde(deserialize_with = "section")]
    client_ca_file: PathBuf,
    #[schemars(with = "String")]
    client_auth_type: Option<ClientAuth>,
    client_allowed_sans: Option<Vec<String>>,
    #[schemars(with = "String")]
    min_version: Option<TlsVersion>,
    #[schemars(with = "String")]
    max_version: Option<TlsVersion>,
    /// This and the next two have no effect: rustls has nothing that one would have to exclude.
    cipher_suites: Option<Vec<String>>,
    prefer_server_cipher_suites: Option<bool>,
    curve_preferences: Option<Vec<String>>,
}

/// Accepts a key without a value alone. A private key in this file would need the rights of a secret for all of it.
fn no_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(), D::Error> {
    let text: String = section(deserializer)?;
    let expected = "certificates and keys are read from files of their own; expected cert_file, key_file or client_ca_file";
    let none = text.is_empty().then_some(());
    none.ok_or_else(|| serde::de::Error::custom(expected))
}

/// A version of TLS. rustls does not have the first two.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
enum TlsVersion {
    #[serde(rename = "TLS10")]
    Tls10,
    #[serde(rename = "TLS11")]
    Tls11,
    #[serde(rename = "TLS12")]
    Tls12,
    #[serde(rename = "TLS13")]
    Tls13,
}

pub struct TlsServer {
    pub config: Arc<ServerConfig>,
    /// When the first certificate of its chain expires.
    pub expiry: Option<Timestamp>,
    /// Whether clients show certificates.
    pub client_auth: ClientAuth,
    pub(super) allowed_names: Option<AllowedNames>,
}

impl TlsServer {
    /// Whether the certificate of a client has a name that is allowed.
    pub fn admits(&self, certificate: Option<&CertificateDer<'_>>) -> bool {
        let names = self.allowed_names.as_ref();
        names.is_none_or(|names| names.admit(certificate))
    }
}

impl TlsSection {
    /// Resolves relative paths against a folder.
    pub(super) fn resolve(&mut self, folder: &Path) {
        let files = [&mut self.cert_file, &mut self.key_file];
        for file in files.into_iter().chain([&mut self.client_ca_file]) {
            if !file.as_os_str().is_empty() {
                *file = folder.join(&*file);
            }
        }
    }

    /// The files that the section names.
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let files = [&self.cert_file, &self.key_file, &self.client_ca_file].into_iter();
        files.filter(|file| !file.as_os_str().is_empty())
    }

    /// Whether TLS is wanted: one of the keys that name a certificate or ask for one is set.
    pub(super) fn is_enabled(&self) -> bool {
        self.client_auth_type.is_some()
            || self.client_allowed_sans.is_some()
            || self.files().next().is_some()
    }

    /// Reads the certificates and makes the configuration of rustls.
    pub(super) fn server(self) -> Result<TlsServer, Fault> {
        if self.cipher_suites.is_some() || self.curve_preferences.is_some() {
            tracing::warn!(
                "cipher_suites and curve_preferences have no effect: the suites and curves are those of rustls"
            );
        }
        let chain = read("cert_file", &self.cert_file, Pem::certificates)?;
        let key = read("key_file", &self.key_file, Pem::key)?;
        let provider = crate::tls::provider();
        let expiry = chain.iter().filter_map(expiry).min();
        let key = certified_key(chain, key, &provider)?;
        let client_auth = self.client_auth_type.unwrap_or_default();
        let verifier = verifier(client_auth, self.authorities()?, &provider)?;
        let mut config = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&self.versions()?)?
            .with_client_cert_verifier(verifier)
            .with_cert_resolver(Arc::new(SingleCertAndKey::from(key)));
        config.ignore_client_order = true;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let names = self.client_allowed_sans;
        let allowed_names = names.map(|names| AllowedNames::new(client_auth, names));
        Ok(TlsServer {
            config: Arc::new(config),
            expiry,
            client_auth,
            allowed_names: allowed_names.transpose()?,
        })
    }

    /// The certificates of `client_ca_file`.
    fn authorities(&self) -> Result<Option<Vec<CertificateDer<'static>>>, Fault> {
        let file = &self.client_ca_file;
        let is_set = !file.as_os_str().is_empty();
        let authorities = is_set.then(|| read("client_ca_file", file, Pem::certificates));
        authorities.transpose()
    }

    fn versions(&self) -> Result<Vec<&'static SupportedProtocolVersion>, Fault> {
        let lowest = self.min_version.unwrap_or(TlsVersion::Tls12);
        let wanted = lowest..=self.max_version.unwrap_or(TlsVersion::Tls13);
        let mut versions = Vec::new();
        for (name, version) in [
            (TlsVersion::Tls13, &version::TLS13),
            (TlsVersion::Tls12, &version::TLS12),
        ] {
            versions.extend(wanted.contains(&name).then_some(version));
        }
        if versions.is_empty() {
            let advice = "no version is left: the server has TLS12 and TLS13";
            return Err(Fault::about("tls_server_config.max_version", advice));
        }
        Ok(versions)
    }
}

/// Reads what the file of a key holds.
fn read<T>(key: &str, file: &Path, content: fn(&Pem) -> Result<T, PemError>) -> Result<T, Fault> {
    if file.as_os_str().is_empty() {
        return Err(Fault::about(
            "tls_server_config",
            format!("{key} is missing"),
        ));
    }
    let file = HiddenPath::new(key, "the file", file.to_owned());
    Pem::read(&file)
        .and_then(|pem| content(&pem))
        .map_err(|error| Fault::about(format!("tls_server_config.{key}"), error.to_string()))
}

/// A key that belongs to the first certificate. rustls compares only certificates of version 3.
fn certified_key(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    provider: &CryptoProvider,
) -> Result<CertifiedKey, Fault> {
    let key = provider.key_provider.load_private_key(key)?;
    let certificate = Certificate::from_der(&chain[0]);
    let shown = certificate.and_then(|one| one.tbs_certificate.subject_public_key_info.to_der());
    let unreadable = |_| Fault::about("tls_server_config.cert_file", "no certificate of X.509");
    let shown = shown.map_err(unreadable)?;
    if key.public_key().is_some_and(|own| *own != *shown) {
        return Err(rustls::Error::from(InconsistentKeys::KeyMismatch).into());
    }
    Ok(CertifiedKey::new(chain, key))
}

fn expiry(certificate: &CertificateDer<'_>) -> Option<Timestamp> {
    let certificate = Certificate::from_der(certificate).ok()?;
    let end = certificate.tbs_certificate.validity.not_after;
    let end = i64::try_from(end.to_unix_duration().as_millis()).ok()?;
    Some(Timestamp::from_millis(end))
}
