//! `tls_server_config`: the settings of TLS connections.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::{CryptoProvider, SupportedKxGroup, ring};
use rustls::pki_types::CertificateDer;
use rustls::{ServerConfig, SupportedCipherSuite, SupportedProtocolVersion, version};
use schemars::JsonSchema;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer};

use crate::config::HiddenPath;
use crate::config::error::Fault;
use crate::pem::{Pem, PemError};

use super::client_auth::{ClientAuth, ClientAuthType};

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct TlsSection {
    cert: String,
    #[serde(deserialize_with = "secret")]
    #[schemars(with = "String")]
    key: SecretString,
    client_ca: String,
    cert_file: PathBuf,
    key_file: PathBuf,
    client_ca_file: PathBuf,
    #[schemars(with = "String")]
    client_auth_type: Option<ClientAuthType>,
    client_allowed_sans: Option<Vec<String>>,
    #[schemars(with = "String")]
    min_version: Option<TlsVersion>,
    #[schemars(with = "String")]
    max_version: Option<TlsVersion>,
    cipher_suites: Vec<String>,
    prefer_server_cipher_suites: Option<bool>,
    curve_preferences: Vec<String>,
}

fn secret<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SecretString, D::Error> {
    String::deserialize(deserializer).map(SecretString::from)
}

/// A version of TLS. There is no older one: rustls does not have them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
enum TlsVersion {
    #[serde(rename = "TLS12")]
    Tls12,
    #[serde(rename = "TLS13")]
    Tls13,
}

pub(super) struct TlsServer {
    pub(super) config: ServerConfig,
    /// The first certificate of its chain: its own.
    pub(super) certificate: CertificateDer<'static>,
}

impl TlsVersion {
    const ALL: [(Self, &'static SupportedProtocolVersion); 2] = [
        (Self::Tls13, &version::TLS13),
        (Self::Tls12, &version::TLS12),
    ];
}

impl TlsSection {
    /// Resolves relative paths against a folder.
    pub(super) fn resolve(&mut self, folder: &Path) {
        for file in [
            &mut self.cert_file,
            &mut self.key_file,
            &mut self.client_ca_file,
        ] {
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
        let inline = [&self.cert, &self.client_ca];
        self.client_auth_type.is_some()
            || self.client_allowed_sans.is_some()
            || self.files().next().is_some()
            || inline.iter().any(|text| !text.is_empty())
            || !self.key.expose_secret().is_empty()
    }

    /// The keys that are set and protect the server.
    pub(super) fn protections(&self) -> impl Iterator<Item = &'static str> {
        let asks = self
            .client_auth_type
            .is_some_and(|kind| kind != ClientAuthType::NoClientCert);
        let keys = [
            ("tls_server_config", self.is_enabled()),
            ("tls_server_config.client_auth_type", asks),
            (
                "tls_server_config.client_allowed_sans",
                self.client_allowed_sans.is_some(),
            ),
        ];
        keys.into_iter()
            .filter(|(_, is_set)| *is_set)
            .map(|(key, _)| key)
    }

    /// Whether a certificate of a client is verified if there is one.
    pub(super) fn verifies_if_given(&self) -> bool {
        self.client_auth_type == Some(ClientAuthType::VerifyClientCertIfGiven)
    }

    /// Reads the certificates and makes the configuration of rustls.
    pub(super) fn server(&self) -> Result<TlsServer, Fault> {
        let certificates = read("cert", &self.cert, &self.cert_file, Pem::certificates)?;
        let certificate = certificates[0].clone();
        let key = read("key", self.key.expose_secret(), &self.key_file, Pem::key)?;
        let provider = Arc::new(self.provider()?);
        let mut config = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&self.versions()?)?
            .with_client_cert_verifier(self.client_auth()?.verifier(&provider)?)
            .with_single_cert(certificates, key)?;
        config.ignore_client_order = self.prefer_server_cipher_suites.unwrap_or(true);
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsServer {
            config,
            certificate,
        })
    }

    fn client_auth(&self) -> Result<ClientAuth, Fault> {
        let (text, file) = (&self.client_ca, &self.client_ca_file);
        let is_set = !text.is_empty() || !file.as_os_str().is_empty();
        let authorities = is_set.then(|| read("client_ca", text, file, Pem::certificates));
        Ok(ClientAuth {
            kind: self.client_auth_type.unwrap_or_default(),
            authorities: authorities.transpose()?,
            allowed_names: self.client_allowed_sans.clone(),
        })
    }

    fn versions(&self) -> Result<Vec<&'static SupportedProtocolVersion>, Fault> {
        let lowest = self.min_version.unwrap_or(TlsVersion::Tls12);
        let wanted = lowest..=self.max_version.unwrap_or(TlsVersion::Tls13);
        let versions = TlsVersion::ALL.iter();
        let versions: Vec<_> = versions
            .filter(|(version, _)| wanted.contains(version))
            .map(|(_, version)| *version)
            .collect();
        if versions.is_empty() {
            let advice = "is higher than max_version";
            return Err(Fault::about("tls_server_config.min_version", advice));
        }
        Ok(versions)
    }

    fn provider(&self) -> Result<CryptoProvider, Fault> {
        let mut provider = ring::default_provider();
        if !self.cipher_suites.is_empty() {
            provider.cipher_suites = cipher_suites(&self.cipher_suites)?;
        }
        if !self.curve_preferences.is_empty() {
            provider.kx_groups = curves(&self.curve_preferences)?;
        }
        Ok(provider)
    }
}

/// Reads what the value of `key`, or else the file of `{key}_file`, holds.
fn read<T>(
    key: &str,
    inline: &str,
    file: &Path,
    content: fn(&Pem) -> Result<T, PemError>,
) -> Result<T, Fault> {
    let file_key = format!("{key}_file");
    let (key, pem) = match (inline.is_empty(), file.as_os_str().is_empty()) {
        (false, true) => (key, Ok(Pem::inline(inline))),
        (true, false) => {
            let file = HiddenPath::new("the file", file.to_owned());
            (file_key.as_str(), Pem::read(&file))
        }
        (true, true) => {
            let advice = format!("{key} or {file_key} is missing");
            return Err(Fault::about("tls_server_config", advice));
        }
        (false, false) => {
            let advice = format!("{key} and {file_key} are both set; remove one");
            return Err(Fault::about("tls_server_config", advice));
        }
    };
    pem.and_then(|pem| content(&pem))
        .map_err(|error| Fault::about(format!("tls_server_config.{key}"), error.to_string()))
}

/// The suites of these names. As in Go, the list limits TLS 1.2 alone: the suites of TLS 1.3 are always offered.
fn cipher_suites(names: &[String]) -> Result<Vec<SupportedCipherSuite>, Fault> {
    let (all_13, all_12): (Vec<_>, Vec<_>) = ring::ALL_CIPHER_SUITES
        .iter()
        .copied()
        .partition(|suite| suite.tls13().is_some());
    let mut suites = all_13.clone();
    for name in names {
        let is_named = |suite: &&SupportedCipherSuite| suite_name(suite) == *name;
        match all_12.iter().find(is_named) {
            Some(suite) => suites.push(*suite),
            None if all_13.iter().any(|suite| suite_name(suite) == *name) => {}
            None => {
                let known: Vec<_> = all_12.iter().chain(&all_13).map(suite_name).collect();
                let advice = format!("expected {}", known.join(", "));
                return Err(Fault::about("tls_server_config.cipher_suites", advice));
            }
        }
    }
    Ok(suites)
}

/// The name that Go gives to a suite.
fn suite_name(suite: &SupportedCipherSuite) -> String {
    let name = suite.suite().as_str().unwrap_or_default();
    name.replacen("TLS13_", "TLS_", 1)
}

fn curves(names: &[String]) -> Result<Vec<&'static dyn SupportedKxGroup>, Fault> {
    let known = [
        ("X25519", ring::kx_group::X25519),
        ("CurveP256", ring::kx_group::SECP256R1),
        ("CurveP384", ring::kx_group::SECP384R1),
    ];
    let curve = |name: &String| {
        let found = known.iter().find(|(known, _)| known == name);
        found.map(|(_, group)| *group).ok_or_else(|| {
            let known = known.map(|(name, _)| name).join(", ");
            let advice = format!("expected {known}");
            Fault::about("tls_server_config.curve_preferences", advice)
        })
    };
    names.iter().map(curve).collect()
}
