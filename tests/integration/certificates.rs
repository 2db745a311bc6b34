//! Certificates of a portal that come, and are replaced, while the exporter runs.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use rcgen::CertifiedKey;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::support::exporter::Exporter;
use crate::support::portal::Portal;
use crate::support::workspace::Workspace;
use kb_simulator::Status;

/// A certificate that is its own authority.
fn certificate() -> CertifiedKey<rcgen::KeyPair> {
    rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap()
}

fn acceptor(own: &CertifiedKey<rcgen::KeyPair>) -> TlsAcceptor {
    let key = PrivateKeyDer::try_from(own.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![own.cert.der().clone()], key);
    TlsAcceptor::from(Arc::new(config.unwrap()))
}

/// Serves a portal over TLS, until it is dropped.
async fn front(listener: Arc<TcpListener>, acceptor: TlsAcceptor, portal: SocketAddr) {
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        let acceptor = acceptor.clone();
        connections.spawn(async move {
            if let Ok(mut client) = acceptor.accept(client).await {
                let mut portal = TcpStream::connect(portal).await.unwrap();
                let _ended = copy_bidirectional(&mut client, &mut portal).await;
            }
        });
    }
}

fn write(file: &Path, certificate: &CertifiedKey<rcgen::KeyPair>) {
    std::fs::write(file, certificate.cert.pem()).unwrap();
}

#[tokio::test]
async fn an_authority_that_comes_or_is_replaced_on_disk_is_used_without_a_reload() {
    let portal = Portal::start().await;
    let folder = portal.folder("Inbox");
    portal.file(folder, "a.pdf", Status::Done);
    let address = portal.base_url();
    let address = address.trim_start_matches("http://").trim_end_matches('/');
    let address: SocketAddr = address.parse().unwrap();
    let listener = Arc::new(TcpListener::bind("127.0.0.1:0").await.unwrap());
    let base_url = format!("https://{}", listener.local_addr().unwrap());
    let mut workspace = Workspace::each_second(&[("main", base_url)]);
    let authority = workspace.path("ca.pem");
    workspace.change(|config| {
        config["portals"][0]["ca_file"] = serde_json::json!(authority);
    });
    let (first, second) = (certificate(), certificate());
    let mut served = JoinSet::new();
    served.spawn(front(Arc::clone(&listener), acceptor(&first), address));
    let exporter = Exporter::start(&workspace).await;
    exporter.collected().await;
    exporter.until_value("kb_portal_up", &[], 0.0).await;
    let health = exporter.json("/health").await.to_string();
    let named = "the file that ca_file names cannot be read";
    assert!(health.contains(named), "{health}");
    write(&authority, &first);
    exporter.until_value("kb_portal_up", &[], 1.0).await;

    served.shutdown().await;
    served.spawn(front(Arc::clone(&listener), acceptor(&second), address));
    exporter.until_value("kb_portal_up", &[], 0.0).await;
    // What is written half, as it may be for a moment, changes nothing.
    std::fs::write(&authority, "-----BEGIN CERT").unwrap();
    exporter.collected_again().await;
    write(&authority, &second);
    exporter.until_value("kb_portal_up", &[], 1.0).await;
}
