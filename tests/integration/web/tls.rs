//! Which versions of TLS are spoken, and which certificates of clients are accepted.

use std::sync::Arc;

use rcgen::{BasicConstraints, ExtendedKeyUsagePurpose, IsCa, date_time_ymd};
use reqwest::Client;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion, version};

use super::{CLIENTS, Secured, tls};

type Version = &'static SupportedProtocolVersion;

const BOTH: [Version; 2] = [&version::TLS13, &version::TLS12];

impl Secured {
    /// What a client gets that speaks some versions, and shows a certificate, whatever the server asks for.
    async fn ask(&self, versions: &[Version], certificate: Option<&str>) -> Result<u16, String> {
        let mut roots = RootCertStore::empty();
        let authority = CertificateDer::from_pem_file(self.workspace.path("ca.crt")).unwrap();
        roots.add(authority).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(versions)
            .unwrap()
            .with_root_certificates(roots);
        let config = match certificate {
            None => config.with_no_client_auth(),
            Some(name) => {
                let file = |ending| self.workspace.path(&format!("{name}.{ending}"));
                let certificate = CertificateDer::from_pem_file(file("crt")).unwrap();
                let key = PrivateKeyDer::from_pem_file(file("key")).unwrap();
                let key = ring::sign::any_supported_type(&key).unwrap();
                let shown = CertifiedKey::new(vec![certificate], key);
                config.with_client_cert_resolver(Arc::new(SingleCertAndKey::from(shown)))
            }
        };
        let client = Client::builder()
            .no_proxy()
            .tls_backend_preconfigured(config);
        let request = client.build().unwrap().get(self.url("/livez"));
        let answer = request.send().await.map_err(|error| error.to_string())?;
        Ok(answer.status().as_u16())
    }
}

#[tokio::test]
async fn versions_outside_the_range_are_refused() {
    for keys in ["min_version: TLS13", "max_version: TLS12"] {
        let secured = Secured::start(&tls(&format!("  {keys}\n")), &[]).await;
        for version in BOTH {
            let answer = secured.ask(&[version], None).await;
            let is_newer = *version == version::TLS13;
            let expected = is_newer == keys.contains("TLS13");
            assert_eq!(answer.is_ok(), expected, "{keys} {version:?} {answer:?}");
        }
    }
}

#[tokio::test]
async fn certificates_of_clients_are_asked_for_and_verified_as_the_type_says() {
    let if_given = "  client_auth_type: VerifyClientCertIfGiven\n  client_ca_file: ca.crt\n";
    // A certificate that is its own authority is none of a client.
    let own = CLIENTS.replace("ca.crt", "own.crt");
    let names = ["client", "stranger", "own"].map(Some);
    // Whether a client is served that has no certificate, or one of these.
    for (keys, without, with) in [
        ("", true, [true; 3]),
        (if_given, true, [true, false, false]),
        (CLIENTS, false, [true, false, false]),
        (&own, false, [false; 3]),
    ] {
        let secured = Secured::start(&tls(keys), &[]).await;
        for (name, served) in names.into_iter().zip(with).chain([(None, without)]) {
            for version in BOTH {
                let answer = secured.ask(&[version], name).await;
                let case = format!("{keys} {name:?} {version:?} {answer:?}");
                assert_eq!(answer.is_ok(), served, "{case}");
            }
        }
    }
}

#[tokio::test]
async fn a_certificate_that_is_over_is_not_for_clients_or_may_issue_others_is_refused() {
    let secured = Secured::start(&tls(CLIENTS), &[]).await;
    let [clients, servers] = [
        ExtendedKeyUsagePurpose::ClientAuth,
        ExtendedKeyUsagePurpose::ServerAuth,
    ];
    for (until, usage, is_ca, served) in [
        (2040, &clients, IsCa::NoCa, true),
        (2020, &clients, IsCa::NoCa, false),
        (2040, &servers, IsCa::NoCa, false),
        (
            2040,
            &clients,
            IsCa::Ca(BasicConstraints::Unconstrained),
            false,
        ),
    ] {
        secured.certificates.issue("client", |parameters| {
            parameters.not_after = date_time_ymd(until, 1, 1);
            parameters.extended_key_usages = vec![usage.clone()];
            parameters.is_ca = is_ca;
        });
        let answer = secured.ask(&BOTH, Some("client")).await;
        let case = format!("{until} {usage:?} {is_ca:?} {answer:?}");
        assert_eq!(answer.is_ok(), served, "{case}");
    }
}
