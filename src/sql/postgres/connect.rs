//! The URL of a database, and a connection to it.
//!
//! `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full&sslrootcert=FILE`, or
//! `postgres:///DATABASE?host=DIRECTORY` for a Unix socket. A connection to another machine is encrypted and the certificate is checked,
//! unless `sslmode=disable` says otherwise.

use std::net::IpAddr;
use std::str::FromStr;
use std::time::Duration;

use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio::time::timeout;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};
use tokio_postgres::{Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;
use url::Url;

use crate::config::HiddenPath;
use crate::pem::Pem;
use crate::sql::error::SqlError;
use crate::sql::postgres::connection::{Connection, explain};

/// A server that takes longer to accept a connection cannot be used.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug)]
struct Address {
    config: Config,
    encrypted: bool,
    /// The certificates of the authorities that are trusted; the system's if there is none.
    root_certificates: Option<HiddenPath>,
}

/// Connects to the database whose URL a file has.
pub(super) fn connect(url_file: &HiddenPath) -> Result<Connection, SqlError> {
    let refused = |why: String| SqlError::Away(format!("{url_file} cannot be used: {why}"));
    let url = url_file
        .read()
        .map_err(|error| SqlError::Away(error.to_string()))?;
    let address = parse(String::from_utf8_lossy(&url).trim()).map_err(refused)?;
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
        let tls = tls(address.root_certificates.as_ref()).map_err(SqlError::Away)?;
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

/// Reads a URL. The error does not have any part of it: what seems to be an option may be the end of a password.
fn parse(url: &str) -> Result<Address, String> {
    let form = "it must have a URL such as postgres://USER:PASSWORD@HOST/DATABASE";
    let mut url = Url::parse(url).map_err(|_| form.to_owned())?;
    if !matches!(url.scheme(), "postgres" | "postgresql") {
        return Err(form.to_owned());
    }
    let (mut mode, mut root_certificates, mut options) = (None, None, Vec::new());
    for (name, value) in url.query_pairs() {
        match &*name {
            "sslmode" => mode = Some(value.into_owned()),
            "sslrootcert" => {
                root_certificates = Some(HiddenPath::file("sslrootcert", value.into_owned()));
            }
            _ => options.push((name.into_owned(), value.into_owned())),
        }
    }
    url.query_pairs_mut().clear().extend_pairs(options);
    let unknown = "the URL has an option that is not known, or whose value cannot be used; is each special character of the password escaped?";
    let mut config = Config::from_str(url.as_str()).map_err(|_| unknown.to_owned())?;
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
    // Of several hosts, one that is no standby.
    config.target_session_attrs(TargetSessionAttrs::ReadWrite);
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
fn tls(root_certificates: Option<&HiddenPath>) -> Result<ClientConfig, String> {
    let builder = ClientConfig::builder_with_provider(crate::tls::provider())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let Some(file) = root_certificates else {
        let builder = builder.with_platform_verifier();
        let builder = builder.map_err(|error| error.to_string())?;
        return Ok(builder.with_no_client_auth());
    };
    let certificates = Pem::read(file).and_then(|pem| pem.certificates());
    let mut roots = RootCertStore::empty();
    for certificate in certificates.map_err(|error| error.to_string())? {
        let added = roots.add(certificate);
        added.map_err(|error| format!("{file} holds no usable certificate: {error}"))?;
    }
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
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
            (
                "postgres://kb:secret?secret@db.example/kb",
                Err("must have a URL"),
            ),
            (
                "postgres://db.example/kb?user=kb&password=a?&secret",
                Err("an option that is not known"),
            ),
            (
                "postgres://kb@db.example/kb?connect_timeout=secret",
                Err("whose value cannot be used"),
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
