//! Files that are accepted and refused, as exporter-toolkit does, and how connections are accepted with them.

mod certificates;
mod changes;
mod connections;

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;
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

    /// A file in which certificate and key stand themselves.
    fn inline(&self) -> String {
        let mut text = "tls_server_config:\n".to_owned();
        for (key, file) in [("cert", "server.crt"), ("key", "server.key")] {
            text.extend(["  ", key, ": |\n"]);
            for line in fs::read_to_string(self.path(file)).unwrap().lines() {
                text.extend(["    ", line, "\n"]);
            }
        }
        text
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
    let mut text =
        "tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n".to_owned();
    for key in keys {
        text.extend(["  ", key, "\n"]);
    }
    text
}

const HASH: &str = "$2y$04$RjJi0q8CUCWLGnIYGG0WW.56D0goflRahkxslqSK8vbwu0nnBMW92";

#[test]
fn files_are_accepted() {
    let folder = Folder::new();
    let inline = folder.inline();
    let users = format!("basic_auth_users:\n  alice: {HASH}\n");
    for text in [
        "",
        "# nothing\n",
        "tls_server_config: {}\n",
        &tls(&[]),
        &inline,
        &format!("{}{users}", tls(&[])),
        &users,
        &tls(&["client_auth_type: NoClientCert"]),
        &tls(&["client_auth_type: RequestClientCert"]),
        &tls(&["client_auth_type: RequireAnyClientCert"]),
        &tls(&["client_auth_type: RequireClientCert"]),
        &tls(&["client_auth_type: VerifyClientCertIfGiven"]),
        &tls(&[
            "client_auth_type: VerifyClientCertIfGiven",
            "client_ca_file: ca.crt",
        ]),
        &tls(&[
            "client_auth_type: RequireAndVerifyClientCert",
            "client_ca_file: ca.crt",
        ]),
        &tls(&["min_version: TLS13", "max_version: TLS13"]),
        &tls(&["min_version: TLS12", "max_version: TLS12"]),
        &tls(&["cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, TLS_AES_128_GCM_SHA256]"]),
        &tls(&["prefer_server_cipher_suites: false"]),
        &tls(&["curve_preferences: [X25519, CurveP256, CurveP384]"]),
        "http_server_config:\n  http2: false\n",
        "http_server_config:\n  headers:\n    X-Frame-Options: deny\n    X-XSS-Protection: 1\n    X-Content-Type-Options: nosniff\n    Strict-Transport-Security: max-age=31536000; includeSubDomains\n    Content-Security-Policy: \"default-src 'self'\"\n",
        "rate_limit:\n  interval: 1s\n  burst: 1\n",
        "rate_limit:\n  interval: 0\n  burst: 0\n",
    ] {
        let opened = folder.open(text);
        assert!(opened.is_ok(), "{text}\n{}", opened.unwrap_err());
    }
}

/// Each file is refused with these words, and with the name of the file.
fn assert_refused(cases: &[(&str, &str)]) {
    let folder = Folder::new();
    for (text, expected) in cases {
        let error = folder
            .open(text)
            .err()
            .unwrap_or_else(|| panic!("accepted: {text}"));
        assert!(error.contains(expected), "{text}\n{error}");
        assert!(error.contains("web.yml"), "{error}");
    }
}

#[test]
fn files_are_refused_with_the_key_that_is_wrong() {
    assert_refused(&[
        ("hWkNKCp3fvIx3jKnsaBI\nTuEjdwNS8A2vYdFbiKqr\n", "web.yml"),
        (
            "tls_config:\n  cert_file: x\n",
            "web.yml:1:1: unknown key; the keys here are tls_server_config, ",
        ),
        (
            "tls_server_config:\n  cert_filename: x\n",
            "web.yml:2:3: tls_server_config: unknown key; the keys here are cert, key, ",
        ),
        (
            "tls_server_config:\n  cert_file: ''\n  key_file: server.key\n",
            "cert or cert_file is missing",
        ),
        (
            "tls_server_config:\n  key: x\n",
            "cert or cert_file is missing",
        ),
        (
            "tls_server_config:\n  cert_file: server.crt\n",
            "key or key_file is missing",
        ),
        (
            "tls_server_config:\n  cert_file: server.crt\n  key_file: ''\n",
            "key or key_file is missing",
        ),
        (
            "tls_server_config:\n  cert_file: ''\n  key_file: ''\n  client_auth_type: NoClientCert\n",
            "cert or cert_file is missing",
        ),
        (
            "tls_server_config:\n  cert_file: none.crt\n  key_file: server.key\n",
            "cert_file: ",
        ),
        (
            "tls_server_config:\n  cert_file: server.crt\n  key_file: none.key\n",
            "tls_server_config.key_file: the file cannot be read: No such file",
        ),
        (
            "tls_server_config:\n  cert_file: server.key\n  key_file: server.key\n",
            "holds no certificate in PEM form",
        ),
        (
            "tls_server_config:\n  cert_file: server.crt\n  key_file: server.crt\n",
            "holds no private key in PEM form",
        ),
        (
            "tls_server_config:\n  cert_file: server.crt\n  key_file: client.key\n",
            "tls_server_config: keys may not be consistent",
        ),
        (
            "tls_server_config:\n  cert: x\n  cert_file: server.crt\n  key_file: server.key\n",
            "cert and cert_file are both set",
        ),
        (
            "basic_auth_users:\n  john: doe\n",
            "web.yml:2:9: basic_auth_users: not a bcrypt hash",
        ),
        (
            "basic_auth_users:\n  john: a\n  john: b\n",
            "web.yml:3:3: basic_auth_users: is set twice",
        ),
        (
            "http_server_config:\n  http2: true\n",
            "HTTP/2 is not supported",
        ),
        (
            "http_server_config:\n  headers:\n    X-Frame-Options: maybe\n",
            "web.yml:3:22: http_server_config.headers: expected deny or sameorigin",
        ),
        (
            "http_server_config:\n  headers:\n    X-Content-Type-Options: sniff\n",
            "expected nosniff",
        ),
        (
            "http_server_config:\n  headers:\n    X-Powered-By: me\n",
            "http_server_config.headers: this header cannot be configured",
        ),
        ("rate_limit:\n  interval: soon\n", "expected a duration"),
        (
            "rate_limit:\n  interval: 1s\n",
            "rate_limit.burst: must be at least 1",
        ),
    ]);
}

#[test]
fn settings_of_tls_are_refused_with_the_key_that_is_wrong() {
    assert_refused(&[
        (
            &tls(&["client_ca_file: ca.crt"]),
            "client_ca_file: is set without a client_auth_type",
        ),
        (
            &tls(&[
                "client_ca_file: /dev/null",
                "client_auth_type: RequireAndVerifyClientCert",
            ]),
            "client_ca_file: the file holds no certificate",
        ),
        (
            &tls(&[
                "client_ca_file: none.crt",
                "client_auth_type: RequireAndVerifyClientCert",
            ]),
            "tls_server_config.client_ca_file: the file cannot be read",
        ),
        (
            &tls(&["client_auth_type: RequireAndVerifyClientCert"]),
            "client_ca or client_ca_file is missing",
        ),
        (&tls(&["client_auth_type: Sometimes"]), "expected one of"),
        (
            &tls(&["client_allowed_sans: [a]"]),
            "client_allowed_sans: is set without a client_auth_type",
        ),
        (
            &tls(&["cipher_suites: [TLS_RSA_WITH_RC4]"]),
            "tls_server_config.cipher_suites: expected TLS_ECDHE",
        ),
        (
            &tls(&["curve_preferences: [CurveP521]"]),
            "tls_server_config.curve_preferences: expected X25519",
        ),
        (
            &tls(&["min_version: TLS11"]),
            "expected one of TLS12, TLS13",
        ),
        (
            &tls(&["min_version: TLS13", "max_version: TLS12"]),
            "min_version: is higher than max_version",
        ),
    ]);
}

#[test]
fn an_error_shows_no_secret() {
    let folder = Folder::new();
    for text in [
        "basic_auth_users:\n  john: s3cretword\n",
        "basic_auth_users: s3cretword\n",
        "basic_auth_users:\n  john: [s3cretword]\n",
        "tls_server_config:\n  cert_file: server.crt\n  key: s3cretword\n",
        "tls_server_config:\n  key: [s3cretword]\n",
        "tls_server_config: s3cretword\n",
        "http_server_config:\n  http2: s3cretword\n",
        "http_server_config:\n  headers:\n    s3cretword: x\n",
        "s3cretword: x\n",
        "basic_auth_users:\n  s3cretword: x\n",
        "rate_limit:\n  interval: s3cretword\n",
        &tls(&["client_auth_type: s3cretword"]),
        &tls(&["cipher_suites: [s3cretword]"]),
        &tls(&["curve_preferences: [s3cretword]"]),
        "tls_server_config:\n  cert_file: server.crt\n  key_file: s3cretword\n",
        "tls_server_config:\n  cert_file: s3cretword\n  key_file: server.key\n",
        "tls_server_config:\n  cert: s3cretword\n  key_file: server.key\n",
    ] {
        let error = folder
            .open(text)
            .err()
            .unwrap_or_else(|| panic!("accepted: {text}"));
        assert!(!error.contains("s3cretword"), "{error}");
    }
}

#[test]
fn a_file_that_is_not_there_is_refused() {
    let error = WebConfigFile::open(Path::new("/nowhere/web.yml")).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("/nowhere/web.yml: cannot be read: "),
        "{error}"
    );
}
