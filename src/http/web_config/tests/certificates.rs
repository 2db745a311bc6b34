//! Certificates for tests, in files.

use std::fs;
use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    SanType,
};

/// An authority, and certificates of a server and of clients.
pub(crate) struct Certificates {
    folder: PathBuf,
    authority: Issuer<'static, KeyPair>,
}

impl Certificates {
    /// Writes `ca.crt`, and with `.crt` and `.key`: `server` and `client`; `stranger` and `own`, which sign for themselves, `own` as an
    /// authority.
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
