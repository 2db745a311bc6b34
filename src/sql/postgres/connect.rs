//! The URL of a database, and a connection to it.
//!
//! `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full&sslrootcert=FILE`, or
//! `postgres:///DATABASE?host=DIRECTORY` for a Unix socket. A connection to another machine is encrypted and the certificate is checked,
//! unless `sslmode=disable` says otherwise.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio::time::timeout;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::{Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;
use url::Url;

use crate::sql::error::SqlError;
use crate::sql::postgres::connection::{Connection, explain, with_causes};

/// A server that takes longer to accept a connection cannot be used.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a URL says.
#[derive(Debug)]
struct Address {
    config: Config,
    /// Whether the connection is encrypted.
    encrypted: bool,
    /// The certificates of the authorities that are trusted; the system's where there is none.
    root_certificates: Option<PathBuf>,
}

/// Connects to the database whose URL a file has.
pub(super) fn connect(url_file: &Path) -> Result<Connection, SqlError> {
    let refused = |why: String| SqlError::Away(format!("{}: {why}", url_file.display()));
    let url = std::fs::read_to_string(url_file).map_err(|cause| refused(cause.to_string()))?;
    let address = parse(url.trim()).map_err(refused)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|cause| refused(cause.to_string()))?;
    let client = runtime.block_on(async { timeout(PATIENCE, open(&address)).await });
    let late = || {
        SqlError::Away(format!(
            "no connection within {} seconds",
            PATIENCE.as_secs()
        ))
    };
    let client = client.unwrap_or_else(|_| Err(late()))?;
    Ok(Connection { client, runtime })
}

async fn open(address: &Address) -> Result<tokio_postgres::Client, SqlError> {
    // The task that moves the bytes ends with the client; its error is the client's, too.
    if address.encrypted {
        let tls = tls(address.root_certificates.as_deref()).map_err(SqlError::Away)?;
        let connected = address.config.connect(MakeRustlsConnect::new(tls)).await;
        let (client, connection) = connected.map_err(|error| explain(&error))?;
        tokio::spawn(connection);
        return Ok(client);
    }
    let connected = address.config.connect(NoTls).await;
    let (client, connection) = connected.map_err(|error| explain(&error))?;
    tokio::spawn(connection);
    Ok(client)
}

/// Reads a URL. The error does not have any part of it but the names of its options.
fn parse(url: &str) -> Result<Address, String> {
    let form = "the file must have a URL such as postgres://USER:PASSWORD@HOST/DATABASE";
    let mut url = Url::parse(url).map_err(|_| form.to_owned())?;
    if !matches!(url.scheme(), "postgres" | "postgresql") {
        return Err(form.to_owned());
    }
    let (mut mode, mut root_certificates, mut options) = (None, None, Vec::new());
    for (name, value) in url.query_pairs() {
        match &*name {
            "sslmode" => mode = Some(value.into_owned()),
            "sslrootcert" => root_certificates = Some(PathBuf::from(value.into_owned())),
            _ => options.push((name.into_owned(), value.into_owned())),
        }
    }
    url.query_pairs_mut().clear().extend_pairs(options);
    let mut config = Config::from_str(url.as_str()).map_err(|error| with_causes(&error))?;
    let encrypted = match mode.as_deref() {
        None => !config.get_hosts().iter().all(is_local),
        Some("disable") => false,
        Some("require" | "verify-ca" | "verify-full") => true,
        Some(_) => return Err("sslmode must be disable or verify-full".to_owned()),
    };
    config.ssl_mode(if encrypted {
        SslMode::Require
    } else {
        SslMode::Disable
    });
    config.keepalives_idle(Duration::from_secs(30));
    if config.get_application_name().is_none() {
        config.application_name("kb-exporter");
    }
    Ok(Address {
        config,
        encrypted,
        root_certificates,
    })
}

fn is_local(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost"
                || name
                    .parse::<IpAddr>()
                    .is_ok_and(|address| address.is_loopback())
        }
        Host::Unix(_) => true,
    }
}

/// Checks the certificate of the server, and its name.
fn tls(root_certificates: Option<&Path>) -> Result<ClientConfig, String> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let Some(path) = root_certificates else {
        let builder = builder.with_platform_verifier();
        let builder = builder.map_err(|error| error.to_string())?;
        return Ok(builder.with_no_client_auth());
    };
    let refused = |why: String| format!("sslrootcert {}: {why}", path.display());
    let mut roots = rustls::RootCertStore::empty();
    for certificate in certificates(path).map_err(refused)? {
        roots
            .add(certificate)
            .map_err(|error| refused(error.to_string()))?;
    }
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

fn certificates(path: &Path) -> Result<Vec<rustls::pki_types::CertificateDer<'static>>, String> {
    use rustls::pki_types::pem::PemObject as _;
    let certificates = rustls::pki_types::CertificateDer::pem_file_iter(path);
    let certificates = certificates.map_err(|error| error.to_string())?;
    let certificates: Result<Vec<_>, _> = certificates.collect();
    let certificates = certificates.map_err(|error| error.to_string())?;
    if certificates.is_empty() {
        return Err("no certificate".to_owned());
    }
    Ok(certificates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_to_other_machines_are_encrypted_unless_the_url_says_otherwise() {
        for (url, encrypted) in [
            ("postgres://kb:secret@db.example/kb", Ok(true)),
            ("postgresql://kb@db.example/kb?sslmode=disable", Ok(false)),
            ("postgres://kb@db.example/kb?sslmode=require", Ok(true)),
            ("postgres://kb@127.0.0.1:5433/kb", Ok(false)),
            ("postgres://kb@localhost/kb?sslmode=verify-full", Ok(true)),
            ("postgres:///kb?host=/run/postgresql&user=kb", Ok(false)),
            (
                "postgres://kb@db.example/kb?sslmode=prefer",
                Err("sslmode must be"),
            ),
            ("https://kb:secret@db.example/kb", Err("must have a URL")),
            ("kb:secret@db.example", Err("must have a URL")),
            ("", Err("must have a URL")),
        ] {
            match (parse(url), encrypted) {
                (Ok(address), Ok(encrypted)) => assert_eq!(address.encrypted, encrypted, "{url}"),
                (Err(error), Err(says)) => {
                    assert!(error.contains(says), "{url}: {error}");
                    assert!(!error.contains("secret"), "{error}");
                }
                (found, expected) => panic!("{url}: {found:?}, not {expected:?}"),
            }
        }
    }
}
