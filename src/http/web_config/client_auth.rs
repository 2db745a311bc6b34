//! Certificates of clients: whether one is asked for, and which is accepted.

use std::net::IpAddr;
use std::sync::Arc;

use rustls::RootCertStore;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use schemars::JsonSchema;
use serde::Deserialize;
use x509_cert::Certificate;
use x509_cert::der::{self, Decode};
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{BasicConstraints, SubjectAltName};

use crate::config::ConfigError;

const USELESS: &str = "is set without a client_auth_type that asks for a certificate";

const MISSING: &str = "is missing: without it no certificate could be verified";

const NO_AUTHORITY: &str = "holds a certificate that is no authority and could only vouch for itself; expected that of the authority which issues those of clients";

/// `client_auth_type`, by the names of Go's `crypto/tls`: what protects less comes first. Those that accept anybody's certificate are refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum ClientAuth {
    #[default]
    #[serde(rename = "NoClientCert", alias = "")]
    None,
    #[serde(rename = "VerifyClientCertIfGiven")]
    IfGiven,
    #[serde(rename = "RequireAndVerifyClientCert")]
    Required,
}

/// Verifies in a handshake that an authority issued the certificate of a client. Names may be asked for only where a certificate is.
pub(super) fn verifier(
    auth: ClientAuth,
    authorities: Option<Vec<CertificateDer<'static>>>,
    has_names: bool,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ClientCertVerifier>, ConfigError> {
    let fault = |key, what: &str| ConfigError::about(format!("tls_server_config.{key}"), what);
    if auth == ClientAuth::None {
        return match authorities {
            Some(_) => Err(fault("client_ca_file", USELESS)),
            None if has_names => Err(fault("client_allowed_sans", USELESS)),
            None => Ok(WebPkiClientVerifier::no_client_auth()),
        };
    }
    let authorities = authorities.ok_or_else(|| fault("client_ca_file", MISSING))?;
    let mut roots = RootCertStore::empty();
    for authority in authorities {
        if !is_authority(&authority) {
            return Err(fault("client_ca_file", NO_AUTHORITY));
        }
        roots.add(authority)?;
    }
    let roots = Arc::new(roots);
    let mut clients = WebPkiClientVerifier::builder_with_provider(roots, Arc::clone(provider));
    if auth == ClientAuth::IfGiven {
        clients = clients.allow_unauthenticated();
    }
    let clients = clients.build();
    clients.map_err(|error| fault("client_ca_file", &error.to_string()))
}

/// Whether a certificate may issue others. One that is trusted without that is its own authority.
fn is_authority(certificate: &CertificateDer<'_>) -> bool {
    let certificate = Certificate::from_der(certificate);
    let constraints = certificate.and_then(|one| one.tbs_certificate.get::<BasicConstraints>());
    matches!(constraints, Ok(Some((_, constraints))) if constraints.ca)
}

/// The names that a certificate may have, of which each client needs one (`client_allowed_sans`). Without a certificate there is no name.
#[derive(PartialEq, Deserialize, JsonSchema)]
pub(super) struct AllowedNames(Vec<String>);

impl AllowedNames {
    pub fn admit(&self, certificate: Option<&CertificateDer<'_>>) -> bool {
        let names = certificate.and_then(|one| names(one).ok());
        let mut names = names.iter().flatten().filter_map(text);
        names.any(|name| self.0.contains(&name))
    }
}

/// The subject alternative names of a certificate.
fn names(certificate: &CertificateDer<'_>) -> der::Result<Vec<GeneralName>> {
    let certificate = Certificate::from_der(certificate)?;
    let names = certificate.tbs_certificate.get::<SubjectAltName>()?;
    Ok(names.map_or_else(Vec::new, |(_, names)| names.0))
}

/// A DNS name, an e-mail address, a URI or an IP address, as it is written.
fn text(name: &GeneralName) -> Option<String> {
    match name {
        GeneralName::DnsName(text)
        | GeneralName::Rfc822Name(text)
        | GeneralName::UniformResourceIdentifier(text) => Some(text.to_string()),
        GeneralName::IpAddress(bytes) => {
            let bytes = bytes.as_bytes();
            let address = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
            let address = address.or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from));
            address.ok().map(|address| address.to_string())
        }
        _ => None,
    }
}
