//! Files that are accepted and refused, as exporter-toolkit does.

mod certificates;
mod changes;

use std::fs;
use std::path::{Path, PathBuf};

use rcgen::{CertificateParams, date_time_ymd};
use tempfile::TempDir;

use super::*;
use crate::model::Timestamp;
use certificates::Certificates;

/// A folder with certificates and a web configuration file.
pub(super) struct Folder {
    folder: TempDir,
    pub(super) certificates: Certificates,
}

impl Folder {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let certificates = Certificates::in_folder(folder.path());
        Self {
            folder,
            certificates,
        }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes the file and opens it.
    pub(super) fn open(&self, text: &str) -> Result<WebConfigFile, String> {
        let path = self.path("web.yml");
        fs::write(&path, text).unwrap();
        WebConfigFile::open(&path).map_err(|error| error.to_string())
    }
}

/// A section that serves TLS, and further keys of it.
pub(super) fn tls(keys: &[&str]) -> String {
    let keys = [&["cert_file: server.crt", "key_file: server.key"], keys].concat();
    format!("tls_server_config:\n  {}\n", keys.join("\n  "))
}

const HASH: &str = "$2y$04$RjJi0q8CUCWLGnIYGG0WW.56D0goflRahkxslqSK8vbwu0nnBMW92";

/// Files that exporter-toolkit accepts, or our own tests of keys that it has; `SERVER` stands for a certificate and its key.
const ACCEPTED: &str = "
    # nothing
    ---
    {}
    tls_server_config: {}
    tls_server_config:
    http_server_config:
    basic_auth_users:
    rate_limit:
    tls_server_config: {cert_file: , key_file: , client_ca_file: , key: , cipher_suites: , client_allowed_sans: }
    http_server_config: {headers: , http2: }
    rate_limit: {interval: , burst: }
    tls_server_config: {SERVER}
    tls_server_config: {SERVER, client_auth_type: ''}
    tls_server_config: {SERVER, client_auth_type: NoClientCert}
    tls_server_config: {SERVER, client_auth_type: VerifyClientCertIfGiven, client_ca_file: ca.crt}
    tls_server_config: {SERVER, client_auth_type: RequireAndVerifyClientCert, client_ca_file: own.crt}
    tls_server_config: {SERVER, client_auth_type: RequireAndVerifyClientCert, client_ca_file: own.crt, client_allowed_sans: [one, two]}
    tls_server_config: {SERVER, min_version: TLS13, max_version: TLS13}
    tls_server_config: {SERVER, min_version: TLS10, max_version: TLS12}
    tls_server_config: {SERVER, cipher_suites: [TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384], max_version: TLS12}
    tls_server_config: {SERVER, cipher_suites: [TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA], prefer_server_cipher_suites: false}
    tls_server_config: {SERVER, curve_preferences: [CurveP256, CurveP384, CurveP521, X25519]}
    http_server_config: {http2: true}
    http_server_config: {http2: false}
    http_server_config: {headers: {X-Frame-Options: deny, X-XSS-Protection: 1, X-Content-Type-Options: nosniff}}
    http_server_config: {headers: {Strict-Transport-Security: max-age=31536000; includeSubDomains}}
    http_server_config: {headers: {Content-Security-Policy: \"default-src 'self' *.test.example.net\", X-XSS-Protection: ''}}
    rate_limit: {interval: 1s, burst: 1}
    rate_limit: {interval: 0, burst: 0}
    basic_auth_users: {}
    basic_auth_users: {alice: $2y$12$1DpfPeqF9HzHJt.EWswy1exHluGfbhnn3yXhR7Xes6m3WJqFg0Wby}
    basic_auth_users: {bob: $2y$18$4VeFDzXIoPHKnKTU3O3GH.N.vZu06CVqczYZ8WvfzrddFU6tGqjR.}
    basic_auth_users: {dave: $2a$10$2UXri9cIDdgeKjBo4Rlpx.U3ZLDV8X1IxKmsfOvhcM5oXQt/mLmXq}";

#[test]
fn files_are_accepted() {
    let folder = Folder::new();
    let rows = ACCEPTED.trim().lines().map(|row| {
        let row = row.trim();
        row.replace("SERVER", "cert_file: server.crt, key_file: server.key")
    });
    for text in rows.chain([String::new()]) {
        let opened = folder.open(&text);
        assert_eq!(opened.err(), None, "{text}");
    }
}

/// Files that are refused, and what the error says; `SERVER` stands for a certificate and its key, `VERIFY` for the type
/// that needs an authority.
const REFUSED: &str = "
    tls_server_config: {cert_file: '', key_file: server.key} => the file that cert_file names cannot be read
    tls_server_config: {cert: '', key_file: server.key} => cert_file is missing
    tls_server_config: {SERVER, client_ca: x} => tls_server_config.client_ca: certificates and keys are read from files
    tls_server_config: {cert_file: server.crt} => key_file is missing
    tls_server_config: {cert_file: server.crt, key_file: ''} => the file that key_file names cannot be read
    tls_server_config: {cert_file: server.crt, key: ''} => key_file is missing
    tls_server_config: {cert_file: x, key_file: x, client_auth_type: x} => client_auth_type: expected one of NoClientCert, 
    tls_server_config: {cert_file: none.crt, key_file: server.key} => tls_server_config: the file that cert_file names cannot be read
    tls_server_config: {cert_file: none.crt, key_file: none.key} => tls_server_config: the file that cert_file names cannot be read
    tls_server_config: {cert_file: server.crt, key_file: none.key} => tls_server_config: the file that key_file names cannot be read: No such file
    tls_server_config: {cert_file: server.key, key_file: server.key} => holds no certificate in PEM form
    tls_server_config: {cert_file: server.crt, key_file: server.crt} => holds no private key in PEM form
    tls_server_config: {cert_file: server.crt, key_file: client.key} => tls_server_config: the private key in key_file is not that of the first certificate in cert_file
    tls_server_config: {cert: x, key_file: server.key} => tls_server_config.cert: certificates and keys are read from files of their own; expected cert_file
    http_server_config: {http2: yes please} => http2
    http_server_config: {headers: {X-Content-Type-Options: sniff}} => http_server_config.headers: X-Content-Type-Options: expected nosniff
    http_server_config: {headers: {X-Frame-Options: foo}} => expected deny or sameorigin
    http_server_config: {headers: {Content-Type: foo}} => http_server_config.headers: this header cannot be configured
    rate_limit: {interval: soon} => expected a duration
    rate_limit: {interval: 1s} => rate_limit: burst must be at least 1
    rate_limit: {interval: 1000y, burst: 1} => rate_limit: interval, times burst, must be at most a year
    rate_limit: {interval: 1s, burst: many} => rate_limit.burst: a whole number is expected here
    rate_limit: {interval: 1s, burst: 5000000000} => rate_limit.burst: a whole number is expected here
    rate_limit: {interval: 1s, burst: [1]} => rate_limit.burst: a single value is expected here
    rate_limit: {interval: 1d, burst: 4000000000} => rate_limit: interval, times
    tls_server_config: {SERVER, client_ca_file: ca.crt} => client_ca_file: is set without a client_auth_type
    tls_server_config: {SERVER, client_ca_file: /dev/null} => tls_server_config: the file that client_ca_file names holds no certificate
    tls_server_config: {SERVER, client_ca_file: none.crt} => tls_server_config: the file that client_ca_file names cannot be read
    tls_server_config: {SERVER, VERIFY, client_ca_file: stranger.crt} => tls_server_config.client_ca_file: holds a certificate that is no authority
    tls_server_config: {SERVER, VERIFY} => client_ca_file: is missing
    tls_server_config: {SERVER, client_auth_type: VerifyClientCertIfGiven} => client_ca_file: is missing
    tls_server_config: {SERVER, client_auth_type: RequestClientCert, client_ca_file: ca.crt} => client_auth_type: expected one of NoClientCert, 
    tls_server_config: {SERVER, client_auth_type: RequireAnyClientCert} => expected one of NoClientCert, 
    tls_server_config: {SERVER, client_auth_type: RequireClientCert, client_allowed_sans: [a]} => expected one of NoClientCert, 
    tls_server_config: {SERVER, client_auth_type: Sometimes} => expected one of NoClientCert, 
    tls_server_config: {SERVER, client_allowed_sans: [a]} => client_allowed_sans: is set without a client_auth_type
    tls_server_config: {SERVER, min_version: TLS111} => expected one of TLS10, TLS11, TLS12, TLS13
    tls_server_config: {SERVER, min_version: TLS13, max_version: TLS12} => max_version: no version is left
    tls_server_config: {SERVER, max_version: TLS11} => max_version: no version is left
    basic_auth_users: {'a:b': $2y$10$RjJi0q8CUCWLGnIYGG0WW.56D0goflRahkxslqSK8vbwu0nnBMW92} => basic_auth_users: expected names that are not empty and have no colon
    basic_auth_users: {'': $2y$10$RjJi0q8CUCWLGnIYGG0WW.56D0goflRahkxslqSK8vbwu0nnBMW92} => basic_auth_users: expected names that are not empty
    basic_auth_users: {john: doe} => basic_auth_users: not a bcrypt hash
    basic_auth_users: {john: $2y$03$RjJi0q8CUCWLGnIYGG0WW.56D0goflRahkxslqSK8vbwu0nnBMW92} => basic_auth_users: a hash whose cost is not from 4 to 20
    basic_auth_users: {john: $2y$21$RjJi0q8CUCWLGnIYGG0WW.56D0goflRahkxslqSK8vbwu0nnBMW92} => basic_auth_users: a hash whose cost is not from 4 to 20
    tls_server_config: {cert_filse: server.crt} => tls_server_config: unknown key";

#[test]
fn files_are_refused_with_the_key_that_is_wrong() {
    let folder = Folder::new();
    let refused = |text: &str, expected: &str| {
        let opened = folder.open(text).err();
        let error = opened.unwrap_or_else(|| panic!("accepted: {text}"));
        assert!(error.contains(expected), "{text}\n{error}");
        assert!(error.contains("web.yml"), "{error}");
    };
    for row in REFUSED.trim().lines() {
        let row = row.replace("SERVER", "cert_file: server.crt, key_file: server.key");
        let row = row.replace("VERIFY", "client_auth_type: RequireAndVerifyClientCert");
        let (text, expected) = row.trim().split_once(" => ").unwrap();
        refused(text, expected);
    }
    let unknown = "web.yml:1:1: unknown key; the keys here are tls_server_config, ";
    refused("tls_config:\n  cert_file: x\n", unknown);
    let unknown = "web.yml:2:3: tls_server_config: unknown key; the keys here are cert, key, ";
    refused("tls_server_config:\n  cert_filename: x\n", unknown);
    let hash = "web.yml:2:9: basic_auth_users: not a bcrypt hash";
    refused("basic_auth_users:\n  john: doe\n", hash);
    let names = "web.yml:1:19: basic_auth_users: a section with keys is expected here";
    refused("basic_auth_users: hidden\n", names);
    let twice = "web.yml:3:3: basic_auth_users: a key is set twice";
    refused(
        &format!("basic_auth_users:\n  john: {HASH}\n  john: {HASH}\n"),
        twice,
    );
    let header =
        "web.yml:3:5: http_server_config.headers: X-Frame-Options: expected deny or sameorigin";
    let headers = "http_server_config:\n  headers:\n    X-Frame-Options: maybe\n";
    refused(headers, header);
    refused("hWkNKCp3fvIx3jKnsaBI\nTuEjdwNS8A2vYdFbiKqr\n", "web.yml");
}

#[test]
fn the_first_end_of_a_chain_is_shown() {
    let folder = Folder::new();
    let facts = folder.open(&tls(&[])).unwrap().facts();
    let server = facts.certificate_expiry.unwrap();
    let end = |parameters: &mut CertificateParams| parameters.not_after = date_time_ymd(2030, 1, 1);
    folder.certificates.issue("short", end);
    let chain = ["server.crt", "short.crt"].map(|name| fs::read(folder.path(name)).unwrap());
    fs::write(folder.path("server.crt"), chain.concat()).unwrap();
    let chain = folder.open(&tls(&[])).unwrap().facts();
    let expected = Timestamp::parse("2030-01-01T00:00:00Z").unwrap();
    assert_eq!(chain.certificate_expiry, Some(expected));
    assert!(server.since(expected) > std::time::Duration::from_hours(24));
    assert_eq!(folder.open("").unwrap().facts().certificate_expiry, None);
}

#[test]
fn a_file_that_is_not_there_is_refused() {
    let opened = WebConfigFile::open(Path::new("/nowhere/web.yml"));
    let error = opened.err().unwrap();
    assert!(
        error
            .to_string()
            .starts_with("/nowhere/web.yml: cannot be read: "),
        "{error}"
    );
}
