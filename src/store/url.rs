//! The URL of a PostgreSQL database.
//!
//! `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full&sslrootcert=FILE`, or `postgres:///DATABASE?host=DIRECTORY` for a Unix
//! socket. `host` and `port` may have several values with commas between them, as libpq reads them: the first host that takes writes is used.
//! A connection to another machine is encrypted and the certificate is checked, unless `sslmode=disable` says otherwise.

use std::collections::BTreeMap;
use std::fs;
use std::net::IpAddr;

use percent_encoding::percent_decode_str;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use sqlx::ConnectOptions as _;
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use url::Url;

const FORM: &str = "it must have a URL such as postgres://USER:PASSWORD@HOST/DATABASE";

/// The options of libpq that are known.
const KNOWN: [&str; 9] = [
    "application_name",
    "dbname",
    "host",
    "password",
    "port",
    "sslmode",
    "sslrootcert",
    "target_session_attrs",
    "user",
];

const DEFAULT_PORT: u16 = 5432;

/// The options of a URL by their names, those that it has in its other parts included.
type Options = BTreeMap<&'static str, String>;

/// How to connect to each host, in the order in which they are tried. A message about the URL has no part of it: what seems to be an option may
/// be the end of a password.
pub fn parse(text: &str) -> Result<Vec<PgConnectOptions>, String> {
    if text.contains(char::is_whitespace) {
        return Err("it must have one line, with the URL and without spaces".to_owned());
    }
    let mut escapes = text.split('%').skip(1).map(|rest| rest.as_bytes().get(..2));
    if !escapes.all(|digits| digits.is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit))) {
        return Err("a % in the URL begins no escape: write %25 instead".to_owned());
    }
    let url = Url::parse(text).map_err(|_| FORM.to_owned())?;
    if !matches!(url.scheme(), "postgres" | "postgresql") {
        return Err(FORM.to_owned());
    }
    let given = read(&url)?;
    // Only a host that takes writes is of use, whatever the option says.
    match given.get("target_session_attrs").map(String::as_str) {
        None | Some("any" | "primary" | "read-write") => {}
        Some(_) => return Err("target_session_attrs must be read-write".to_owned()),
    }
    if let Some(file) = given.get("sslrootcert") {
        has_certificates(file)?;
    }
    let hosts: Vec<_> = list(&given, "host").collect();
    let ports = ports(&given, hosts.len())?;
    let hosts = hosts.into_iter().enumerate().map(|(at, host)| {
        // One port is that of all hosts.
        let port = ports.get(at).or(ports.first()).copied();
        options_of(&given, host, port.unwrap_or(DEFAULT_PORT))
    });
    let hosts: Vec<_> = hosts.collect::<Result<_, _>>()?;
    if hosts.is_empty() {
        return Err(FORM.to_owned());
    }
    if !given.contains_key("user") {
        return Err(format!("the URL has no user; {FORM}"));
    }
    Ok(hosts)
}

fn read(url: &Url) -> Result<Options, String> {
    let port = url.port().map(|port| port.to_string());
    // Only a URL has brackets around an IPv6 address.
    let host = url
        .host_str()
        .map(|host| host.trim_start_matches('[').trim_end_matches(']'));
    let database = url.path().trim_start_matches('/');
    let given = [
        ("host", host),
        ("port", port.as_deref()),
        ("user", Some(url.username())),
        ("password", url.password()),
        ("dbname", Some(database)),
    ];
    let given = given.into_iter();
    let given =
        given.filter_map(|(name, part)| Some((name, part.filter(|part| !part.is_empty())?)));
    let mut given: Options = given.map(|(name, part)| (name, decoded(part))).collect();
    for (name, value) in url.query_pairs() {
        let Some(name) = KNOWN.into_iter().find(|known| *known == name) else {
            let known = KNOWN.join(", ");
            return Err(format!(
                "the URL has an option that is not known (known are {known}); is each special character of the password escaped?"
            ));
        };
        given.insert(name, value.into_owned());
    }
    Ok(given)
}

fn list<'p>(given: &'p Options, name: &str) -> impl Iterator<Item = &'p str> {
    let items = given.get(name).into_iter().flat_map(|text| text.split(','));
    items.filter(|item| !item.is_empty())
}

fn ports(given: &Options, hosts: usize) -> Result<Vec<u16>, String> {
    let number = |port: &str| port.parse().ok().filter(|port| *port > 0);
    let ports: Option<Vec<u16>> = list(given, "port").map(number).collect();
    let ports = ports.ok_or("the port must be a number from 1 to 65535")?;
    if ports.len() > 1 && ports.len() != hosts {
        return Err("there must be one port, or one for each host".to_owned());
    }
    Ok(ports)
}

fn options_of(given: &Options, host: &str, port: u16) -> Result<PgConnectOptions, String> {
    let mode = match given.get("sslmode").map(String::as_str) {
        None if is_local(host) => PgSslMode::Disable,
        None | Some("require" | "verify-ca" | "verify-full") => PgSslMode::VerifyFull,
        Some("disable") => PgSslMode::Disable,
        Some(_) => return Err("sslmode must be disable or verify-full".to_owned()),
    };
    let of = |name: &str| given.get(name).map(String::as_str);
    let options = PgConnectOptions::new_without_pgpass()
        .port(port)
        .ssl_mode(mode)
        .username(of("user").unwrap_or_default())
        .application_name(of("application_name").unwrap_or("kb-exporter"))
        // Without statements that have names, a proxy may give each transaction another connection.
        .statement_cache_capacity(0)
        // Statements have what portals sent.
        .disable_statement_logging();
    let options = if host.starts_with('/') {
        options.socket(host)
    } else {
        options.host(host)
    };
    let set = |options: PgConnectOptions,
               name: &str,
               with: fn(PgConnectOptions, &str) -> PgConnectOptions| match of(name) {
        Some(value) => with(options, value),
        None => options,
    };
    let options = set(options, "password", PgConnectOptions::password);
    let options = set(options, "dbname", PgConnectOptions::database);
    let options = set(options, "sslrootcert", |options, text| {
        options.ssl_root_cert(text)
    });
    Ok(options)
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

fn is_local(host: &str) -> bool {
    let is_loopback = |address: IpAddr| address.is_loopback();
    host.starts_with('/') || host == "localhost" || host.parse().is_ok_and(is_loopback)
}

fn has_certificates(file: &str) -> Result<(), String> {
    let refused = |why: &str| format!("the file that sslrootcert names {why}");
    let text = fs::read(file).map_err(|cause| refused(&format!("cannot be read: {cause}")))?;
    let mut certificates = CertificateDer::pem_slice_iter(&text);
    let first = certificates.next().and_then(Result::ok);
    first
        .map(drop)
        .ok_or_else(|| refused("holds no certificate in PEM form"))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn only(url: &str) -> PgConnectOptions {
        let mut hosts = parse(url).unwrap();
        assert_eq!(hosts.len(), 1, "{url}");
        hosts.remove(0)
    }

    #[test]
    fn connections_to_other_machines_are_encrypted_unless_the_url_says_otherwise() {
        for (url, encrypted) in [
            ("postgres://kb:secret@db.example/kb", true),
            ("postgresql://kb@db.example/kb?sslmode=disable", false),
            ("postgres://kb@db.example/kb?sslmode=require", true),
            ("postgres://kb@127.0.0.1:5433/kb", false),
            ("postgres://kb@[::1]/kb", false),
            ("postgres://kb@localhost/kb?sslmode=verify-full", true),
            ("postgres:///kb?host=/run/postgresql&user=kb", false),
        ] {
            let mode = only(url).get_ssl_mode();
            assert_eq!(matches!(mode, PgSslMode::VerifyFull), encrypted, "{url}");
            assert_eq!(matches!(mode, PgSslMode::Disable), !encrypted, "{url}");
        }
    }

    #[test]
    fn several_hosts_are_tried_one_after_the_other() {
        let url = "postgres:///kb?user=kb&password=a%3F%26b&host=one,two&port=5433,5434&target_session_attrs=read-write";
        let hosts = parse(url).unwrap();
        let places = hosts.iter().map(|host| (host.get_host(), host.get_port()));
        assert_eq!(places.collect::<Vec<_>>(), [("one", 5433), ("two", 5434)]);
        let one_port = parse("postgres://kb@one,two/kb").unwrap();
        assert!(one_port.iter().all(|host| host.get_port() == 5432));
        assert_eq!(only("postgres://kb@[::1]/kb").get_host(), "::1");
        let socket = only("postgres:///kb?host=/run/postgresql&user=kb");
        assert_eq!(
            socket.get_socket().map(PathBuf::as_path),
            Some(std::path::Path::new("/run/postgresql"))
        );
        assert_eq!(socket.get_database(), Some("kb"));
    }

    #[test]
    fn what_is_wrong_is_said_without_any_part_of_the_url() {
        let form = "must have a URL";
        for (url, says) in [
            (
                "postgres://kb@db.example/kb?sslmode=prefer",
                "sslmode must be",
            ),
            ("postgres://kb:secret?secret@db.example/kb", form),
            (
                "postgres://kb:12?secret@db.example/kb",
                "an option that is not known",
            ),
            (
                "postgres://db.example/kb?user=kb&password=a?&secret",
                "an option that is not known",
            ),
            (
                "postgres://db.example/kb?connect_timeout=secret",
                "an option that is not known",
            ),
            ("postgres://db.example:0/kb", "the port must be"),
            ("postgres://one,two/kb?port=1,2,3", "one for each host"),
            (
                "postgres://db.example/kb?target_session_attrs=standby",
                "read-write",
            ),
            (
                "postgres://db.example/kb?sslrootcert=/secret",
                "cannot be read",
            ),
            ("mysql://kb:secret@db.example/kb", form),
            ("postgres:///kb", form),
            ("postgres://db.example/kb", "has no user"),
            ("postgres://:secret@db.example/kb", "has no user"),
            ("postgres://kb:100%secret@db.example/kb", "begins no escape"),
            ("postgres://kb:secret%4@db.example/kb", "begins no escape"),
            ("kb:secret@db.example", form),
            ("", form),
            ("postgres://kb:pw@db.example/kb\nsecret", "one line"),
        ] {
            let error = parse(url).unwrap_err();
            assert!(error.contains(says), "{url}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
