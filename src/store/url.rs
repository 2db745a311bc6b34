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

/// The URL for each host, in the order in which they are tried. A message about it has no part of it: what seems to be an option may be the
/// end of a password.
pub fn parse(text: &str) -> Result<Vec<Url>, String> {
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
        url_of(&given, host, port.unwrap_or(DEFAULT_PORT))
    });
    let urls: Vec<_> = hosts.collect::<Result<_, _>>()?;
    if urls.is_empty() {
        return Err(FORM.to_owned());
    }
    if !given.contains_key("user") {
        return Err(format!("the URL has no user; {FORM}"));
    }
    Ok(urls)
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

/// The URL of one host, in the form that the client library reads.
fn url_of(given: &Options, host: &str, port: u16) -> Result<Url, String> {
    let mode = match given.get("sslmode").map(String::as_str) {
        None if is_local(host) => "disable",
        None | Some("require" | "verify-ca" | "verify-full") => "verify-full",
        Some("disable") => "disable",
        Some(_) => return Err("sslmode must be disable or verify-full".to_owned()),
    };
    let mut options = given.clone();
    options.remove("target_session_attrs");
    options
        .entry("application_name")
        .or_insert("kb-exporter".to_owned());
    // Without statements that have names, a proxy may give each transaction another connection.
    options.insert("statement-cache-capacity", "0".to_owned());
    // The host is an option, so that it may be a directory.
    options.insert("host", host.to_owned());
    options.insert("port", port.to_string());
    options.insert("sslmode", mode.to_owned());
    let mut url = Url::parse("postgres:///").map_err(|error| error.to_string())?;
    url.query_pairs_mut().extend_pairs(options);
    Ok(url)
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
    use super::*;

    /// What the client library is told.
    fn told(url: &str, option: &str) -> Vec<String> {
        let urls = parse(url).unwrap();
        let value = |url: &Url| {
            let found = url.query_pairs().find(|(name, _)| name == option);
            found.map(|(_, value)| value.into_owned())
        };
        urls.iter().filter_map(value).collect()
    }

    #[test]
    fn connections_to_other_machines_are_encrypted_unless_the_url_says_otherwise() {
        for (url, mode) in [
            ("postgres://kb:secret@db.example/kb", "verify-full"),
            ("postgresql://kb@db.example/kb?sslmode=disable", "disable"),
            ("postgres://kb@db.example/kb?sslmode=require", "verify-full"),
            ("postgres://kb@127.0.0.1:5433/kb", "disable"),
            ("postgres://kb@[::1]/kb", "disable"),
            (
                "postgres://kb@localhost/kb?sslmode=verify-full",
                "verify-full",
            ),
            ("postgres:///kb?host=/run/postgresql&user=kb", "disable"),
        ] {
            assert_eq!(told(url, "sslmode"), [mode], "{url}");
        }
    }

    #[test]
    fn several_hosts_are_tried_one_after_the_other() {
        let url = "postgres:///kb?user=kb&password=a%3F%26b&host=one,two&port=5433,5434&target_session_attrs=read-write";
        assert_eq!(told(url, "host"), ["one", "two"]);
        assert_eq!(told(url, "port"), ["5433", "5434"]);
        assert_eq!(told(url, "password"), ["a?&b"; 2]);
        assert_eq!(told("postgres://kb@one,two/kb", "port"), ["5432"; 2]);
        assert_eq!(told("postgres://kb@[::1]/kb", "host"), ["::1"]);
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
