//! Certificates of clients: whether one is asked for, and which is accepted.

mod direct;

use std::net::IpAddr;
use std::sync::Arc;

use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature,
};
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
use direct::Authorities;

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

impl ClientAuthType {
    pub(super) fn asks(self) -> bool {
        self != Self::NoClientCert
    }

    const fn is_mandatory(self) -> bool {
        matches!(
            self,
            Self::RequireAnyClientCert | Self::RequireAndVerifyClientCert
        )
    }

    const fn verifies(self) -> bool {
        matches!(
            self,
            Self::VerifyClientCertIfGiven | Self::RequireAndVerifyClientCert
        )
    }
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
        let kind = self.kind;
        self.check()?;
        let authorities = self.authorities.filter(|_| kind.verifies());
        // A certificate that nothing could verify is not asked for.
        if !kind.asks() || kind.verifies() && authorities.is_none() && self.allowed_names.is_none()
        {
            return Ok(WebPkiClientVerifier::no_client_auth());
        }
        let algorithms = provider.signature_verification_algorithms;
        let issuers = authorities.map(|authorities| Issuers::new(authorities, provider));
        Ok(Arc::new(Verifier {
            issuers: issuers.transpose()?,
            // Without a certificate there is no name.
            mandatory: kind.is_mandatory() || self.allowed_names.is_some(),
            allowed_names: self.allowed_names,
            algorithms,
        }))
    }

    fn check(&self) -> Result<(), Fault> {
        let needs_type = "is set without a client_auth_type that asks for a certificate";
        let (key, advice) = if self.authorities.is_some() && !self.kind.asks() {
            ("client_ca_file", needs_type)
        } else if self.allowed_names.is_some() && !self.kind.asks() {
            ("client_allowed_sans", needs_type)
        } else if self.authorities.is_none()
            && self.kind == ClientAuthType::RequireAndVerifyClientCert
        {
            (
                "client_ca_file",
                "is missing, as is client_ca: no certificate could be verified",
            )
        } else {
            return Ok(());
        };
        Err(Fault::about(format!("tls_server_config.{key}"), advice))
    }
}

/// Who issues the certificates of clients.
#[derive(Debug)]
struct Issuers {
    chains: Arc<dyn ClientCertVerifier>,
    authorities: Authorities,
}

impl Issuers {
    fn new(
        certificates: Vec<CertificateDer<'static>>,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Self, Fault> {
        let algorithms = provider.signature_verification_algorithms;
        let authorities = Authorities::new(&certificates, algorithms);
        let mut roots = RootCertStore::empty();
        for certificate in certificates {
            roots.add(certificate)?;
        }
        let chains =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider));
        let chains = chains
            .build()
            .map_err(|error| Fault::about("tls_server_config.client_ca_file", error.to_string()))?;
        Ok(Self {
            chains,
            authorities,
        })
    }
}

/// Verifies a certificate by its issuer and its names, if the file asks for it.
#[derive(Debug)]
struct Verifier {
    issuers: Option<Issuers>,
    mandatory: bool,
    allowed_names: Option<Vec<String>>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ClientCertVerifier for Verifier {
    fn client_auth_mandatory(&self) -> bool {
        self.mandatory
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        let issuers = self.issuers.as_ref();
        issuers.map_or(&[], |issuers| issuers.chains.root_hint_subjects())
    }

    fn verify_client_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        let parsed = parse(certificate)?;
        if let Some(issuers) = &self.issuers {
            if direct::is_needed(&parsed) {
                issuers.authorities.verify(&parsed, now)?;
            } else {
                let chains = &issuers.chains;
                chains.verify_client_cert(certificate, intermediates, now)?;
            }
        }
        if let Some(allowed) = &self.allowed_names
            && !names(&parsed)?.iter().any(|name| allowed.contains(name))
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
        let parsed = parse(certificate)?;
        if direct::is_first_version(&parsed) {
            return direct::verify_tls12_signature(&parsed, message, signature, &self.algorithms);
        }
        verify_tls12_signature(message, certificate, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let parsed = parse(certificate)?;
        if direct::is_first_version(&parsed) {
            return direct::verify_tls13_signature(&parsed, message, signature, &self.algorithms);
        }
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

fn malformed(_: x509_cert::der::Error) -> Error {
    CertificateError::BadEncoding.into()
}

fn parse(certificate: &CertificateDer<'_>) -> Result<Certificate, Error> {
    Certificate::from_der(certificate).map_err(malformed)
}

/// The subject alternative names of a certificate: DNS names, e-mail addresses, URIs, IP addresses.
fn names(certificate: &Certificate) -> Result<Vec<String>, Error> {
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
