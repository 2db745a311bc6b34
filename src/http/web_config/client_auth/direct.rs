//! Certificates of clients that webpki refuses, although Go accepts them: those of X.509 version 1, and those that may issue others, such as
//! one that is its own authority. They are accepted if an authority has issued them itself.

use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{WebPkiSupportedAlgorithms, verify_tls13_signature_with_raw_key};
use rustls::pki_types::{
    CertificateDer, SignatureVerificationAlgorithm, SubjectPublicKeyInfoDer, UnixTime,
};
use rustls::{CertificateError, DigitallySignedStruct, Error};
use x509_cert::Certificate;
use x509_cert::certificate::Version;
use x509_cert::der::oid::db::rfc5280::{ANY_EXTENDED_KEY_USAGE, ID_KP_CLIENT_AUTH};
use x509_cert::der::{Decode, Encode};
use x509_cert::ext::pkix::{BasicConstraints, ExtendedKeyUsage};

use super::malformed;

/// The authorities of the file.
#[derive(Debug)]
pub(super) struct Authorities {
    certificates: Vec<Certificate>,
    algorithms: WebPkiSupportedAlgorithms,
}

pub(super) fn is_first_version(certificate: &Certificate) -> bool {
    certificate.tbs_certificate.version == Version::V1
}

/// Whether webpki refuses the certificate for its form.
pub(super) fn is_needed(certificate: &Certificate) -> bool {
    let constraints = certificate.tbs_certificate.get::<BasicConstraints>();
    let is_authority = matches!(constraints, Ok(Some((_, constraints))) if constraints.ca);
    is_first_version(certificate) || is_authority
}

impl Authorities {
    pub(super) fn new(
        certificates: &[CertificateDer<'_>],
        algorithms: WebPkiSupportedAlgorithms,
    ) -> Self {
        let certificates = certificates.iter();
        let certificates = certificates.filter_map(|one| Certificate::from_der(one).ok());
        Self {
            certificates: certificates.collect(),
            algorithms,
        }
    }

    /// Accepts a certificate that is valid now, is for clients, and has the signature of an authority.
    pub(super) fn verify(&self, certificate: &Certificate, now: UnixTime) -> Result<(), Error> {
        let content = &certificate.tbs_certificate;
        let now = now.as_secs();
        if content.validity.not_after.to_unix_duration().as_secs() < now {
            return Err(CertificateError::Expired.into());
        }
        if content.validity.not_before.to_unix_duration().as_secs() > now {
            return Err(CertificateError::NotValidYet.into());
        }
        let usage = content.get::<ExtendedKeyUsage>().map_err(malformed)?;
        let usage = usage.map(|(_, usage)| usage.0);
        if usage.is_some_and(|usage| !usage.iter().any(is_for_clients)) {
            return Err(CertificateError::InvalidPurpose.into());
        }
        let signed = content.to_der().map_err(malformed)?;
        let issued = |authority: &Certificate| {
            let signature = certificate.signature.raw_bytes();
            authority.tbs_certificate.subject == content.issuer
                && is_signed(authority, self.algorithms.all, &signed, signature)
        };
        if !self.certificates.iter().any(issued) {
            return Err(CertificateError::UnknownIssuer.into());
        }
        Ok(())
    }
}

fn is_for_clients(usage: &x509_cert::der::oid::ObjectIdentifier) -> bool {
    [ID_KP_CLIENT_AUTH, ANY_EXTENDED_KEY_USAGE].contains(usage)
}

/// Whether the signature was made with the key of `signer`.
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

pub(super) fn verify_tls12_signature(
    certificate: &Certificate,
    message: &[u8],
    signature: &DigitallySignedStruct,
    algorithms: &WebPkiSupportedAlgorithms,
) -> Result<HandshakeSignatureValid, Error> {
    let mut of_schemes = algorithms.mapping.iter();
    let of_scheme = of_schemes.find(|(scheme, _)| *scheme == signature.scheme);
    let algorithms = of_scheme.map_or(&[][..], |(_, algorithms)| algorithms);
    if !is_signed(certificate, algorithms, message, signature.signature()) {
        return Err(CertificateError::BadSignature.into());
    }
    Ok(HandshakeSignatureValid::assertion())
}

pub(super) fn verify_tls13_signature(
    certificate: &Certificate,
    message: &[u8],
    signature: &DigitallySignedStruct,
    algorithms: &WebPkiSupportedAlgorithms,
) -> Result<HandshakeSignatureValid, Error> {
    let key = &certificate.tbs_certificate.subject_public_key_info;
    let key = SubjectPublicKeyInfoDer::from(key.to_der().map_err(malformed)?);
    verify_tls13_signature_with_raw_key(message, &key, signature, algorithms)
}
