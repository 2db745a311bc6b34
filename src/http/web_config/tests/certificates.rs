//! Certificates for tests, in files.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    SanType,
};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair};
use x509_cert::Certificate;
use x509_cert::certificate::Version;
use x509_cert::der::asn1::BitString;
use x509_cert::der::{Decode, Encode};

/// An authority, and certificates of a server and of clients.
pub(crate) struct Certificates {
    folder: PathBuf,
    authority: Issuer<'static, KeyPair>,
}

impl Certificates {
    /// Writes `ca.crt`, and with `.crt` and `.key`: `server` and `client`; `first`, of X.509 version 1; `stranger` and `own`, which sign for
    /// themselves, `own` as an authority.
    pub(crate) fn in_folder(folder: &Path) -> Self {
        let mut parameters = CertificateParams::new(Vec::new()).unwrap();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let authority = parameters.self_signed(&key).unwrap();
        fs::write(folder.join("ca.crt"), authority.pem()).unwrap();
        let this = Self {
            folder: folder.to_owned(),
            authority: Issuer::new(parameters, key),
        };
        this.issue("server", |_| {});
        this.issue("client", |_| {});
        this.issue_first_version("first");
        for (name, is_ca) in [
            ("stranger", IsCa::NoCa),
            ("own", IsCa::Ca(BasicConstraints::Unconstrained)),
        ] {
            let key = KeyPair::generate().unwrap();
            let mut parameters = parameters_of(name);
            parameters.is_ca = is_ca;
            let certificate = parameters.self_signed(&key).unwrap();
            this.write(name, &certificate.pem(), &key);
        }
        this
    }

    /// Issues a certificate with changed parameters, in place of the one before.
    pub(crate) fn issue(&self, name: &str, change: impl FnOnce(&mut CertificateParams)) {
        let key = KeyPair::generate().unwrap();
        let mut parameters = parameters_of(name);
        change(&mut parameters);
        let certificate = parameters.signed_by(&key, &self.authority).unwrap();
        self.write(name, &certificate.pem(), &key);
    }

    /// Issues a certificate of X.509 version 1, which has no extensions.
    fn issue_first_version(&self, name: &str) {
        let key = KeyPair::generate().unwrap();
        let issued = parameters_of(name).signed_by(&key, &self.authority);
        let mut certificate = Certificate::from_der(issued.unwrap().der()).unwrap();
        certificate.tbs_certificate.version = Version::V1;
        certificate.tbs_certificate.extensions = None;
        let random = SystemRandom::new();
        let authority = self.authority.key().serialize_der();
        let algorithm = &ECDSA_P256_SHA256_ASN1_SIGNING;
        let authority = EcdsaKeyPair::from_pkcs8(algorithm, &authority, &random).unwrap();
        let content = certificate.tbs_certificate.to_der().unwrap();
        let signature = authority.sign(&random, &content).unwrap();
        certificate.signature = BitString::from_bytes(signature.as_ref()).unwrap();
        let text = BASE64_STANDARD.encode(certificate.to_der().unwrap());
        let pem = format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n");
        self.write(name, &pem, &key);
    }

    fn write(&self, name: &str, certificate: &str, key: &KeyPair) {
        fs::write(self.folder.join(format!("{name}.crt")), certificate).unwrap();
        fs::write(self.folder.join(format!("{name}.key")), key.serialize_pem()).unwrap();
    }
}

fn parameters_of(name: &str) -> CertificateParams {
    let mut parameters = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    parameters
        .subject_alt_names
        .push(SanType::IpAddress([127, 0, 0, 1].into()));
    let own = format!("{name}.example").try_into().unwrap();
    parameters.subject_alt_names.push(SanType::DnsName(own));
    let mail = format!("{name}@example").try_into().unwrap();
    let uri = format!("spiffe://example/{name}").try_into().unwrap();
    let names = [SanType::Rfc822Name(mail), SanType::URI(uri)];
    parameters.subject_alt_names.extend(names);
    let address = SanType::IpAddress(std::net::Ipv6Addr::LOCALHOST.into());
    parameters.subject_alt_names.push(address);
    // OpenSSL takes a certificate that is named like its authority for one that signs itself.
    parameters.distinguished_name.push(DnType::CommonName, name);
    parameters.extended_key_usages = vec![
        ExtendedKeyUsagePurpose::ServerAuth,
        ExtendedKeyUsagePurpose::ClientAuth,
    ];
    parameters
}
