//! Certificates of clients: whether one is asked for, and which is accepted.

use std::net::IpAddr;
use std::sync::Arc;

use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error, RootCertStore,
    SignatureScheme,
};
use serde::Deserialize;
use x509_cert::Certificate;
use x509_cert::der::Decode;
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;

use crate::config::error::Fault;

/// `client_auth_type`, by the names of Go's `crypto/tls`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub(super) enum ClientAuthType {
    #[default]
    #[serde(alias = "")]
    NoClientCert,
    /// A certificate is asked for, and anything is accepted, also none.
    RequestClientCert,
    /// A certificate is required, and any is accepted.
    #[serde(alias = "RequireClientCert")]
    RequireAnyClientCert,
    /// A certificate must be one of the authorities', if there is one.
    VerifyClientCertIfGiven,
    /// A certificate is required and must be one of the authorities'.
    RequireAndVerifyClientCert,
}

/// The settings of the file for client certificates.
pub(super) struct ClientAuth {
    pub(super) kind: ClientAuthType,
    /// The certificates of `client_ca`.
    pub(super) authorities: Option<Vec<CertificateDer<'static>>>,
    /// Names of which a certificate must have one.
    pub(super) allowed_names: Option<Vec<String>>,
}

impl ClientAuth {
    /// Verifies clients in a handshake.
    pub(super) fn verifier(
        self,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Arc<dyn ClientCertVerifier>, Fault> {
        let (asks, mandatory, verifies) = match self.kind {
            ClientAuthType::NoClientCert => (false, false, false),
            ClientAuthType::RequestClientCert => (true, false, false),
            ClientAuthType::RequireAnyClientCert => (true, true, false),
            ClientAuthType::VerifyClientCertIfGiven => (true, false, true),
            ClientAuthType::RequireAndVerifyClientCert => (true, true, true),
        };
        let issuer = match self.authorities {
            Some(_) if !asks => {
                let advice = "is set without a client_auth_type that asks for a certificate";
                return Err(Fault::about("tls_server_config.client_ca_file", advice));
            }
            Some(authorities) if verifies => Some(issuer_verifier(authorities, provider)?),
            None if verifies && mandatory => {
                let advice =
                    "client_ca or client_ca_file is missing: no certificate could be verified";
                return Err(Fault::about("tls_server_config", advice));
            }
            _ => None,
        };
        if self.allowed_names.is_some() && !asks {
            let advice = "is set without a client_auth_type that asks for a certificate";
            return Err(Fault::about(
                "tls_server_config.client_allowed_sans",
                advice,
            ));
        }
        // A certificate that nothing could verify is not asked for.
        if !asks || verifies && issuer.is_none() {
            return Ok(WebPkiClientVerifier::no_client_auth());
        }
        Ok(Arc::new(Verifier {
            issuer,
            mandatory,
            allowed_names: self.allowed_names,
            provider: Arc::clone(provider),
        }))
    }
}

fn issuer_verifier(
    authorities: Vec<CertificateDer<'static>>,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ClientCertVerifier>, Fault> {
    let mut roots = RootCertStore::empty();
    for authority in authorities {
        roots.add(authority)?;
    }
    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
        .build()
        .map_err(|error| Fault::about("tls_server_config.client_ca_file", error.to_string()))
}

/// Verifies a certificate by its issuer and its names, if the file asks for it.
#[derive(Debug)]
struct Verifier {
    issuer: Option<Arc<dyn ClientCertVerifier>>,
    mandatory: bool,
    allowed_names: Option<Vec<String>>,
    provider: Arc<CryptoProvider>,
}

impl ClientCertVerifier for Verifier {
    fn client_auth_mandatory(&self) -> bool {
        self.mandatory
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.issuer
            .as_ref()
            .map_or(&[], |issuer| issuer.root_hint_subjects())
    }

    fn verify_client_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        if let Some(issuer) = &self.issuer {
            issuer.verify_client_cert(certificate, intermediates, now)?;
        }
        if let Some(allowed) = &self.allowed_names
            && !names(certificate)?
                .iter()
                .any(|name| allowed.contains(name))
        {
            return Err(CertificateError::ApplicationVerificationFailure.into());
        }
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

/// The subject alternative names of a certificate: DNS names, e-mail addresses, URIs, IP addresses.
fn names(certificate: &CertificateDer<'_>) -> Result<Vec<String>, Error> {
    let malformed = |_| Error::InvalidCertificate(CertificateError::BadEncoding);
    let certificate = Certificate::from_der(certificate).map_err(malformed)?;
    let extension = certificate.tbs_certificate.get::<SubjectAltName>();
    let names = extension.map_err(malformed)?.map(|(_, names)| names.0);
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
