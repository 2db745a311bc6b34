//! Certificates of clients: whether one is asked for, and which is accepted.

use std::net::IpAddr;
use std::sync::Arc;

use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{VerifierBuilderError, WebPkiClientVerifier};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error, RootCertStore,
    SignatureScheme,
};
use serde::Deserialize;
use x509_cert::Certificate;
use x509_cert::der::{self, Decode};
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;

use crate::config::error::Fault;

/// What is wrong with a key for certificates that are not asked for.
const USELESS: &str = "is set without a client_auth_type that asks for a certificate";

/// What is wrong with a type that protects nothing.
const ACCEPTS_ANYBODY: &str = "RequestClientCert and RequireAnyClientCert accept anybody's certificate; expected VerifyClientCertIfGiven or RequireAndVerifyClientCert, with client_ca_file";

/// `client_auth_type`, by the names of Go's `crypto/tls`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub enum ClientAuthType {
    #[default]
    #[serde(alias = "")]
    NoClientCert,
    RequestClientCert,
    #[serde(alias = "RequireClientCert")]
    RequireAnyClientCert,
    VerifyClientCertIfGiven,
    RequireAndVerifyClientCert,
}

/// Whether clients show certificates of the authorities: what protects less comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClientAuth {
    None,
    IfGiven,
    Required,
}

/// Verifies clients in a handshake: by the certificates of `client_ca`, and by names of which a certificate must have one. Without a certificate
/// there is no name, so that names require one.
pub(super) fn verifier(
    kind: ClientAuthType,
    authorities: Option<Vec<CertificateDer<'static>>>,
    allowed_names: Option<Vec<String>>,
    provider: &Arc<CryptoProvider>,
) -> Result<(ClientAuth, Arc<dyn ClientCertVerifier>), Fault> {
    let fault = |key, what| Err(Fault::about(format!("tls_server_config.{key}"), what));
    let auth = match kind {
        ClientAuthType::NoClientCert if authorities.is_some() => {
            return fault("client_ca_file", USELESS);
        }
        ClientAuthType::NoClientCert if allowed_names.is_some() => {
            return fault("client_allowed_sans", USELESS);
        }
        ClientAuthType::NoClientCert => {
            return Ok((ClientAuth::None, WebPkiClientVerifier::no_client_auth()));
        }
        ClientAuthType::RequestClientCert | ClientAuthType::RequireAnyClientCert => {
            return fault("client_auth_type", ACCEPTS_ANYBODY);
        }
        ClientAuthType::VerifyClientCertIfGiven if allowed_names.is_none() => ClientAuth::IfGiven,
        ClientAuthType::VerifyClientCertIfGiven | ClientAuthType::RequireAndVerifyClientCert => {
            ClientAuth::Required
        }
    };
    let Some(authorities) = authorities else {
        let what = "is missing: without it no certificate could be verified";
        return fault("client_ca_file", what);
    };
    let chains = chains(authorities, auth, provider)?;
    Ok(match allowed_names {
        None => (auth, chains),
        Some(allowed) => (auth, Arc::new(NamedClients { chains, allowed })),
    })
}

fn chains(
    authorities: Vec<CertificateDer<'static>>,
    auth: ClientAuth,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ClientCertVerifier>, Fault> {
    let mut roots = RootCertStore::empty();
    for authority in authorities {
        roots.add(authority)?;
    }
    let roots = Arc::new(roots);
    let mut chains = WebPkiClientVerifier::builder_with_provider(roots, Arc::clone(provider));
    if auth == ClientAuth::IfGiven {
        chains = chains.allow_unauthenticated();
    }
    chains.build().map_err(|error: VerifierBuilderError| {
        Fault::about("tls_server_config.client_ca_file", error.to_string())
    })
}

/// Verifies certificates of the authorities, which must have one of some names as well.
#[derive(Debug)]
struct NamedClients {
    chains: Arc<dyn ClientCertVerifier>,
    allowed: Vec<String>,
}

impl ClientCertVerifier for NamedClients {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.chains.root_hint_subjects()
    }

    fn verify_client_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        let verified = self
            .chains
            .verify_client_cert(certificate, intermediates, now)?;
        let names = names(certificate).map_err(|_| CertificateError::BadEncoding)?;
        if !names.iter().any(|name| self.allowed.contains(name)) {
            return Err(CertificateError::ApplicationVerificationFailure.into());
        }
        Ok(verified)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.chains
            .verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.chains
            .verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.chains.supported_verify_schemes()
    }
}

/// The subject alternative names of a certificate: DNS names, e-mail addresses, URIs, IP addresses.
fn names(certificate: &CertificateDer<'_>) -> der::Result<Vec<String>> {
    let certificate = Certificate::from_der(certificate)?;
    let extension = certificate.tbs_certificate.get::<SubjectAltName>()?;
    let names = extension.map(|(_, names)| names.0);
    Ok(names.iter().flatten().filter_map(name).collect())
}

fn name(name: &GeneralName) -> Option<String> {
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
