//! Which clients get an answer.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use rcgen::{BasicConstraints, ExtendedKeyUsagePurpose, IsCa, date_time_ymd};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion, version};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{Folder, tls};
use crate::http::serve::{Limits, serve};

/// A server with a web configuration.
struct Server {
    folder: Folder,
    address: SocketAddr,
    _stop: DropGuard,
}

struct Client {
    versions: Vec<&'static SupportedProtocolVersion>,
    certificate: Option<&'static str>,
}

impl Default for Client {
    fn default() -> Self {
        Self {
            versions: vec![&version::TLS13, &version::TLS12],
            certificate: None,
        }
    }
}

async fn serve_with(text: &str) -> Server {
    let folder = Folder::new();
    let file = Arc::new(folder.open(text).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let router = Router::new().route("/", get(async || "hello"));
    let limits = Limits::default();
    tokio::spawn(serve(listener, router, limits, Some(file), stop.clone()));
    Server {
        folder,
        address,
        _stop: stop.drop_guard(),
    }
}

impl Server {
    /// What a client gets.
    async fn get(&self, client: Client) -> Result<String, String> {
        self.ask(client).await.map_err(|error| error.to_string())
    }

    async fn ask(&self, client: Client) -> Result<String, Box<dyn std::error::Error>> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(self.folder.path("ca.crt"))?)?;
        let config = ClientConfig::builder_with_provider(crate::tls::provider())
            .with_protocol_versions(&client.versions)?
            .with_root_certificates(roots);
        let config = match client.certificate {
            None => config.with_no_client_auth(),
            Some(name) => {
                let file = |ending| self.folder.path(&format!("{name}.{ending}"));
                let certificate = CertificateDer::from_pem_file(file("crt"))?;
                let key = PrivateKeyDer::from_pem_file(file("key"))?;
                let key = ring::sign::any_supported_type(&key)?;
                // As other clients, it shows any certificate.
                let shown = CertifiedKey::new(vec![certificate], key);
                config.with_client_cert_resolver(Arc::new(SingleCertAndKey::from(shown)))
            }
        };
        let stream = TcpStream::connect(self.address).await?;
        let name = ServerName::try_from("localhost")?;
        let mut stream = TlsConnector::from(Arc::new(config))
            .connect(name, stream)
            .await?;
        stream
            .write_all(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
            .await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        Ok(answer)
    }
}

fn with_certificate(name: &'static str) -> Client {
    Client {
        certificate: Some(name),
        ..Client::default()
    }
}

#[tokio::test]
async fn versions_outside_the_range_are_refused() {
    let one = ["min_version: TLS13", "max_version: TLS13"];
    let other = ["min_version: TLS12", "max_version: TLS12"];
    for (keys, offered, served) in [
        (one, &version::TLS12, false),
        (one, &version::TLS13, true),
        (other, &version::TLS12, true),
        (other, &version::TLS13, false),
    ] {
        let server = serve_with(&tls(&keys)).await;
        let client = Client {
            versions: vec![offered],
            ..Client::default()
        };
        let answer = server.get(client).await;
        assert_eq!(answer.is_ok(), served, "{keys:?} {offered:?} {answer:?}");
    }
}

#[tokio::test]
async fn certificates_of_clients_are_asked_for_and_verified_as_the_type_says() {
    let ca = "client_ca_file: ca.crt";
    let if_given = "client_auth_type: VerifyClientCertIfGiven";
    let required = "client_auth_type: RequireAndVerifyClientCert";
    // The keys, and whether a client without a certificate and those of the tests' certificates are served.
    let [yes, no] = [true, false];
    let names = [
        None,
        Some("client"),
        Some("first"),
        Some("stranger"),
        Some("own"),
    ];
    for (keys, expected) in [
        (&[][..], [yes, yes, yes, yes, yes]),
        (&[if_given, ca], [yes, yes, no, no, no]),
        (&[required, ca], [no, yes, no, no, no]),
        // A certificate that is its own authority is none of a client.
        (&[required, "client_ca_file: own.crt"], [no, no, no, no, no]),
    ] {
        let server = serve_with(&tls(keys)).await;
        for (name, served) in names.into_iter().zip(expected) {
            for version in [&version::TLS13, &version::TLS12] {
                let client = Client {
                    certificate: name,
                    versions: vec![version],
                };
                let answer = server.get(client).await;
                assert_eq!(
                    answer.is_ok(),
                    served,
                    "{keys:?} {name:?} {version:?} {answer:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_certificate_that_is_over_is_not_for_clients_or_may_issue_others_is_refused() {
    let required = "client_auth_type: RequireAndVerifyClientCert";
    let server = serve_with(&tls(&[required, "client_ca_file: ca.crt"])).await;
    let issue = |until, usage: ExtendedKeyUsagePurpose, is_ca: IsCa| {
        server.folder.certificates.issue("client", |parameters| {
            parameters.not_after = date_time_ymd(until, 1, 1);
            parameters.extended_key_usages = vec![usage];
            parameters.is_ca = is_ca;
        });
    };
    for is_ca in [IsCa::NoCa, IsCa::Ca(BasicConstraints::Unconstrained)] {
        for (until, usage, served) in [
            (2020, ExtendedKeyUsagePurpose::ClientAuth, false),
            (2040, ExtendedKeyUsagePurpose::ServerAuth, false),
            (
                2040,
                ExtendedKeyUsagePurpose::ClientAuth,
                is_ca == IsCa::NoCa,
            ),
        ] {
            issue(until, usage.clone(), is_ca);
            let answer = server.get(with_certificate("client")).await;
            assert_eq!(
                answer.is_ok(),
                served,
                "{is_ca:?} {until} {usage:?} {answer:?}"
            );
        }
    }
}

#[test]
fn a_name_of_any_kind_may_be_allowed() {
    let folder = Folder::new();
    let certificate = CertificateDer::from_pem_file(folder.path("client.crt")).unwrap();
    let keys = [
        "client_auth_type: RequireAndVerifyClientCert",
        "client_ca_file: ca.crt",
    ];
    for (names, expected) in [
        ("client.example", true),
        ("127.0.0.1", true),
        ("'::1'", true),
        ("other.example, client@example", true),
        ("'spiffe://example/client'", true),
        ("other.example", false),
        ("", false),
    ] {
        let names = format!("client_allowed_sans: [{names}]");
        let config = folder.open(&tls(&[&keys[..], &[&names]].concat()));
        let config = config.unwrap().current();
        let server = config.tls.as_ref().unwrap();
        assert_eq!(server.admits(Some(&certificate)), expected, "{names}");
        assert!(!server.admits(None), "{names}");
    }
}
