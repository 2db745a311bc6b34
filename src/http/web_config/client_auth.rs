//! Certificates of clients: whether one is asked for, and which is accepted.
//!
//! webpki refuses some certificates that Go accepts: those of X.509 version 1, and those that may issue others, such as one that is its own
//! authority. They are accepted here if an authority has issued them itself.

use std::net::IpAddr;
use std::sync::Arc;

use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, verify_tls13_signature_with_raw_key,
};
use rustls::pki_types::{
    CertificateDer, SignatureVerificationAlgorithm, SubjectPublicKeyInfoDer, UnixTime,
};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{VerifierBuilderError, WebPkiClientVerifier};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error, RootCertStore,
    SignatureScheme,
};
use serde::Deserialize;
use x509_cert::Certificate;
use x509_cert::certificate::Version;
use x509_cert::der::oid::ObjectIdentifier;
use x509_cert::der::oid::db::rfc5280::{ANY_EXTENDED_KEY_USAGE, ID_KP_CLIENT_AUTH};
use x509_cert::der::{Decode, Encode};
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{BasicConstraints, ExtendedKeyUsage, SubjectAltName};

use crate::config::error::Fault;

/// What is wrong with a key for certificates that are not asked for.
const USELESS: &str = "is set without a client_auth_type that asks for a certificate";

/// `client_auth_type`, by the names of Go's `crypto/tls`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub enum ClientAuthType {
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

/// Verifies clients in a handshake: by the certificates of `client_ca`, and by names of which a certificate must have one.
pub(super) fn verifier(
    kind: ClientAuthType,
    authorities: Option<Vec<CertificateDer<'static>>>,
    allowed_names: Option<Vec<String>>,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ClientCertVerifier>, Fault> {
    let of_key = |key| Fault::about(format!("tls_server_config.{key}"), USELESS);
    if !kind.asks() {
        return match (authorities, allowed_names) {
            (Some(_), _) => Err(of_key("client_ca_file")),
            (_, Some(_)) => Err(of_key("client_allowed_sans")),
            (None, None) => Ok(WebPkiClientVerifier::no_client_auth()),
        };
    }
    let authorities = authorities.filter(|_| kind.verifies());
    let is_verified = authorities.is_some() || allowed_names.is_some();
    match kind {
        ClientAuthType::RequireAndVerifyClientCert if authorities.is_none() => {
            let advice = "is missing, as is client_ca: no certificate could be verified";
            return Err(Fault::about("tls_server_config.client_ca_file", advice));
        }
        // A certificate that nothing could verify is not asked for.
        ClientAuthType::VerifyClientCertIfGiven if !is_verified => {
            return Ok(WebPkiClientVerifier::no_client_auth());
        }
        _ => {}
    }
    let authorities = authorities.unwrap_or_default();
    Ok(Arc::new(Verifier {
        chains: chains(&authorities, provider)?,
        authorities: authorities
            .iter()
            .filter_map(|one| parse(one).ok())
            .collect(),
        // Without a certificate there is no name.
        mandatory: kind.is_mandatory() || allowed_names.is_some(),
        allowed_names,
        algorithms: provider.signature_verification_algorithms,
    }))
}

/// Verifies what webpki accepts; none if there is no authority, and any certificate is accepted.
fn chains(
    authorities: &[CertificateDer<'static>],
    provider: &Arc<CryptoProvider>,
) -> Result<Option<Arc<dyn ClientCertVerifier>>, Fault> {
    if authorities.is_empty() {
        return Ok(None);
    }
    let mut roots = RootCertStore::empty();
    for authority in authorities {
        roots.add(authority.clone())?;
    }
    let chains = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider));
    let chains = chains.build();
    let fault = |error: VerifierBuilderError| {
        Fault::about("tls_server_config.client_ca_file", error.to_string())
    };
    Ok(Some(chains.map_err(fault)?))
}

/// Whether webpki refuses a certificate for its form.
fn needs_direct(certificate: &Certificate) -> bool {
    let content = &certificate.tbs_certificate;
    let constraints = content.get::<BasicConstraints>();
    let is_authority = matches!(constraints, Ok(Some((_, constraints))) if constraints.ca);
    content.version == Version::V1 || is_authority
}

/// Whether a signature was made with the key of `signer`.
fn is_signed(
    signer: &Certificate,
    algorithms: &[&dyn SignatureVerificationAlgorithm],
    message: &[u8],
    signature: &[u8],
) -> bool {
    let key = &signer.tbs_certificate.subject_public_key_info;
    let key = key.subject_public_key.raw_bytes();
    let mut algorithms = algorithms.iter();
    algorithms.any(|algorithm| algorithm.verify_signature(key, message, signature).is_ok())
}

/// Verifies a certificate by its issuer and its names, if the file asks for it.
#[derive(Debug)]
struct Verifier {
    authorities: Vec<Certificate>,
    chains: Option<Arc<dyn ClientCertVerifier>>,
    mandatory: bool,
    allowed_names: Option<Vec<String>>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl Verifier {
    /// Accepts a certificate that is valid now, is for clients, and has the signature of an authority.
    fn verify_direct(&self, certificate: &Certificate, now: UnixTime) -> Result<(), Error> {
        let (content, now) = (&certificate.tbs_certificate, now.as_secs());
        if content.validity.not_after.to_unix_duration().as_secs() < now {
            return Err(CertificateError::Expired.into());
        }
        if content.validity.not_before.to_unix_duration().as_secs() > now {
            return Err(CertificateError::NotValidYet.into());
        }
        let usage = content.get::<ExtendedKeyUsage>().map_err(malformed)?;
        let is_for_clients =
            |usage: &ObjectIdentifier| [ID_KP_CLIENT_AUTH, ANY_EXTENDED_KEY_USAGE].contains(usage);
        if usage.is_some_and(|(_, usage)| !usage.0.iter().any(is_for_clients)) {
            return Err(CertificateError::InvalidPurpose.into());
        }
        let signed = content.to_der().map_err(malformed)?;
        let has_issued = |authority: &Certificate| {
            let signature = certificate.signature.raw_bytes();
            authority.tbs_certificate.subject == content.issuer
                && is_signed(authority, self.algorithms.all, &signed, signature)
        };
        if !self.authorities.iter().any(has_issued) {
            return Err(CertificateError::UnknownIssuer.into());
        }
        Ok(())
    }
}

impl ClientCertVerifier for Verifier {
    fn client_auth_mandatory(&self) -> bool {
        self.mandatory
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        let chains = self.chains.as_ref();
        chains.map_or(&[], |chains| chains.root_hint_subjects())
    }

    fn verify_client_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        let parsed = parse(certificate)?;
        if let Some(chains) = &self.chains {
            if needs_direct(&parsed) {
                self.verify_direct(&parsed, now)?;
            } else {
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

    /// Not by the function of rustls, which refuses version 1 of X.509.
    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let mut of_schemes = self.algorithms.mapping.iter();
        let of_scheme = of_schemes.find(|(scheme, _)| *scheme == signature.scheme);
        let algorithms = of_scheme.map_or(&[][..], |(_, algorithms)| algorithms);
        let certificate = parse(certificate)?;
        if !is_signed(&certificate, algorithms, message, signature.signature()) {
            return Err(CertificateError::BadSignature.into());
        }
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let certificate = parse(certificate)?;
        let key = certificate.tbs_certificate.subject_public_key_info;
        let key = SubjectPublicKeyInfoDer::from(key.to_der().map_err(malformed)?);
        verify_tls13_signature_with_raw_key(message, &key, signature, &self.algorithms)
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
