//! `tls_server_config`: what TLS connections are accepted with.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::{CryptoProvider, SupportedKxGroup, aws_lc_rs};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, SupportedCipherSuite, SupportedProtocolVersion, version};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer};

use super::client_auth::{ClientAuth, ClientAuthType};
use super::error::Fault;

/// The keys of the section.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct TlsSection {
    cert: String,
    #[serde(deserialize_with = "secret")]
    key: SecretString,
    client_ca: String,
    cert_file: PathBuf,
    key_file: PathBuf,
    client_ca_file: PathBuf,
    client_auth_type: Option<ClientAuthType>,
    client_allowed_sans: Option<Vec<String>>,
    min_version: TlsVersion,
    max_version: TlsVersion,
    cipher_suites: Vec<String>,
    prefer_server_cipher_suites: bool,
    curve_preferences: Vec<String>,
}

fn secret<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SecretString, D::Error> {
    String::deserialize(deserializer).map(SecretString::from)
}

impl Default for TlsSection {
    fn default() -> Self {
        Self {
            cert: String::new(),
            key: SecretString::default(),
            client_ca: String::new(),
            cert_file: PathBuf::new(),
            key_file: PathBuf::new(),
            client_ca_file: PathBuf::new(),
            client_auth_type: None,
            client_allowed_sans: None,
            min_version: TlsVersion::Tls12,
            max_version: TlsVersion::Tls13,
            cipher_suites: Vec::new(),
            prefer_server_cipher_suites: true,
            curve_preferences: Vec::new(),
        }
    }
}

/// A version of TLS. There is no older one: rustls does not have them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
enum TlsVersion {
    #[serde(rename = "TLS12")]
    Tls12,
    #[serde(rename = "TLS13")]
    Tls13,
}

/// What a TLS server needs.
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

    /// Whether a certificate of a client is verified if there is one.
    pub(super) fn verifies_if_given(&self) -> bool {
        self.client_auth_type == Some(ClientAuthType::VerifyClientCertIfGiven)
    }

    /// Reads the certificates and makes the configuration of rustls.
    pub(super) fn server(&self) -> Result<TlsServer, Fault> {
        let certificate = pem("cert", &self.cert, "cert_file", &self.cert_file)?;
        let key = pem("key", self.key.expose_secret(), "key_file", &self.key_file)?;
        let certificates = certificates("tls_server_config.cert_file", &certificate)?;
        let certificate = certificates[0].clone();
        let key = PrivateKeyDer::from_pem_slice(&key).map_err(|_| {
            Fault::value(
                "tls_server_config.key_file",
                "holds no private key in PEM form",
            )
        })?;
        let provider = Arc::new(self.provider()?);
        let mut config = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&self.versions()?)?
            .with_client_cert_verifier(self.client_auth()?.verifier(&provider)?)
            .with_single_cert(certificates, key)?;
        config.ignore_client_order = self.prefer_server_cipher_suites;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsServer {
            config,
            certificate,
        })
    }

    fn client_auth(&self) -> Result<ClientAuth, Fault> {
        let authorities = if self.client_ca.is_empty() && self.client_ca_file.as_os_str().is_empty()
        {
            None
        } else {
            let text = pem(
                "client_ca",
                &self.client_ca,
                "client_ca_file",
                &self.client_ca_file,
            )?;
            Some(certificates("tls_server_config.client_ca_file", &text)?)
        };
        Ok(ClientAuth {
            kind: self.client_auth_type.unwrap_or_default(),
            authorities,
            allowed_names: self.client_allowed_sans.clone(),
        })
    }

    fn versions(&self) -> Result<Vec<&'static SupportedProtocolVersion>, Fault> {
        let wanted = self.min_version..=self.max_version;
        let versions = TlsVersion::ALL.iter();
        let versions: Vec<_> = versions
            .filter(|(version, _)| wanted.contains(version))
            .map(|(_, version)| *version)
            .collect();
        if versions.is_empty() {
            let advice = "is higher than max_version";
            return Err(Fault::value("tls_server_config.min_version", advice));
        }
        Ok(versions)
    }

    fn provider(&self) -> Result<CryptoProvider, Fault> {
        let mut provider = aws_lc_rs::default_provider();
        if !self.cipher_suites.is_empty() {
            provider.cipher_suites = cipher_suites(&self.cipher_suites)?;
        }
        if !self.curve_preferences.is_empty() {
            provider.kx_groups = curves(&self.curve_preferences)?;
        }
        Ok(provider)
    }
}

/// The text of a certificate or key: inline or from a file.
fn pem(inline_key: &str, inline: &str, key: &'static str, file: &Path) -> Result<Vec<u8>, Fault> {
    match (inline.is_empty(), file.as_os_str().is_empty()) {
        (false, true) => Ok(inline.as_bytes().to_vec()),
        (true, false) => fs::read(file).map_err(|error| Fault::File {
            key,
            file: file.to_owned(),
            error,
        }),
        (true, true) => {
            let advice = format!("{inline_key} or {key} is missing");
            Err(Fault::value("tls_server_config", advice))
        }
        (false, false) => {
            let advice = format!("{inline_key} and {key} are both set; leave one out");
            Err(Fault::value("tls_server_config", advice))
        }
    }
}

fn certificates(key: &str, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, Fault> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match read {
        Ok(certificates) if !certificates.is_empty() => Ok(certificates),
        _ => Err(Fault::value(key, "holds no certificate in PEM form")),
    }
}

/// The suites of these names. As in Go, the list limits TLS 1.2 alone: the suites of TLS 1.3 are always offered.
fn cipher_suites(names: &[String]) -> Result<Vec<SupportedCipherSuite>, Fault> {
    let (all_13, all_12): (Vec<_>, Vec<_>) = aws_lc_rs::ALL_CIPHER_SUITES
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
                let advice = format!(
                    "{name} is not supported; supported are {}",
                    known.join(", ")
                );
                return Err(Fault::value("tls_server_config.cipher_suites", advice));
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
        ("X25519", aws_lc_rs::kx_group::X25519),
        ("CurveP256", aws_lc_rs::kx_group::SECP256R1),
        ("CurveP384", aws_lc_rs::kx_group::SECP384R1),
    ];
    let curve = |name: &String| {
        let found = known.iter().find(|(known, _)| known == name);
        found.map(|(_, group)| *group).ok_or_else(|| {
            let known = known.map(|(name, _)| name).join(", ");
            let advice = format!("{name} is not supported; supported are {known}");
            Fault::value("tls_server_config.curve_preferences", advice)
        })
    };
    names.iter().map(curve).collect()
}
