//! TLS, passwords and certificates of clients, as the web configuration file asks for them.

mod clients;
mod tls;

use std::fs;
use std::net::SocketAddr;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use kb_exposition::Exposition;
use rcgen::{CertificateParams, date_time_ymd};
use reqwest::{Certificate, Client, ClientBuilder, Identity, StatusCode};
use serde_json::{Value, json};

use crate::support::certificates::Certificates;
use crate::support::exporter::{Exporter, client};
use crate::support::portal::Portal;
use crate::support::process::run;
use crate::support::prometheus::{Prometheus, scraping};
use crate::support::wait::{until, wait_for};
use crate::support::workspace::{Workspace, program};

/// A user's password, and its bcrypt hash of the lowest cost.
const PASSWORD: &str = "correct horse";
const HASH: &str = "$2y$04$RjJi0q8CUCWLGnIYGG0WW.56D0goflRahkxslqSK8vbwu0nnBMW92";

const EXPIRY: &str = "kb_exporter_certificate_expiry_timestamp_seconds";

/// In seconds since 1970.
const BEGIN_OF_2090: f64 = 3_786_912_000.0;

/// An exporter with a web configuration, and the files that this names.
struct Secured {
    _portal: Portal,
    workspace: Workspace,
    certificates: Certificates,
    exporter: Exporter,
}

impl Secured {
    async fn start(text: &str, flags: &[&str]) -> Self {
        let portal = Portal::start().await;
        let workspace = Workspace::new(&[("main", portal.base_url())]);
        let certificates = Certificates::in_folder(&workspace.path(""));
        let file = workspace.path("web.yml");
        fs::write(&file, text).unwrap();
        let mut command = workspace.command();
        command
            .arg("run")
            .arg("--web.config.file")
            .arg(&file)
            .args(flags);
        let exporter = Exporter::launch(&mut command).await;
        Self {
            _portal: portal,
            workspace,
            certificates,
            exporter,
        }
    }

    fn address(&self) -> SocketAddr {
        self.exporter.address()
    }

    fn url(&self, path: &str) -> String {
        format!("https://localhost:{}{path}", self.address().port())
    }

    /// Trusts the authority of the tests alone.
    fn client(&self) -> ClientBuilder {
        let authority = fs::read(self.workspace.path("ca.crt")).unwrap();
        let authority = Certificate::from_pem(&authority).unwrap();
        kb_exporter::tls::install_provider();
        Client::builder().no_proxy().tls_certs_only([authority])
    }

    /// Has a certificate of the authority of the tests.
    fn identified(&self) -> Client {
        let file = |name: &str| fs::read(self.workspace.path(name)).unwrap();
        let identity = [file("client.crt"), file("client.key")].concat();
        let identity = Identity::from_pem(&identity).unwrap();
        self.client().identity(identity).build().unwrap()
    }

    /// What `kb-exporter healthcheck` prints, and whether it exits with 0.
    fn healthcheck(&self, flags: &[&str]) -> (String, bool) {
        let mut command = program();
        command
            .arg("healthcheck")
            .arg("--web.config.file")
            .arg(self.workspace.path("web.yml"));
        healthcheck(&mut command, self.address(), flags)
    }
}

fn healthcheck(command: &mut Command, address: SocketAddr, flags: &[&str]) -> (String, bool) {
    let address = format!(":{}", address.port());
    let output = run(
        command.args(["--web.listen-address", &address]).args(flags),
        "",
    );
    let line = String::from_utf8(output.stdout).unwrap();
    assert_eq!(line.lines().count(), 1, "{line:?}");
    (line, output.status.success())
}

/// What a user gets who has the password.
async fn known(client: &Client, url: &str) -> String {
    let request = client.get(url).basic_auth("alice", Some(PASSWORD));
    request.send().await.unwrap().text().await.unwrap()
}

fn tls(keys: &str) -> String {
    format!("tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n{keys}")
}

fn users() -> String {
    format!("basic_auth_users:\n  alice: {HASH}\n")
}

const CLIENTS: &str = "  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: ca.crt\n";

#[tokio::test]
async fn a_real_prometheus_scrapes_over_tls_with_a_password_and_a_certificate_and_is_refused_without()
 {
    let secured = Secured::start(&format!("{}{}", tls(CLIENTS), users()), &[]).await;
    let file = |name: &str| secured.workspace.path(name);
    let certificate = json!({"cert_file": file("client.crt"), "key_file": file("client.key")});
    let trusted = json!({"ca_file": file("ca.crt"), "server_name": "localhost"});
    let mut both = trusted.clone();
    both.as_object_mut()
        .unwrap()
        .extend(certificate.as_object().unwrap().clone());
    let password = |password: &str| json!({"username": "alice", "password": password});
    let target = |job: &str, tls: &Value, password: Option<Value>| {
        let mut target = scraping(secured.address())["scrape_configs"][0].clone();
        target["job_name"] = job.into();
        target["scheme"] = "https".into();
        target["tls_config"] = tls.clone();
        if let Some(password) = password {
            target["basic_auth"] = password;
        }
        target
    };
    let config = json!({"scrape_configs": [
        target("both", &both, Some(password(PASSWORD))),
        target("no-password", &both, None),
        target("wrong-password", &both, Some(password("guess"))),
        target("no-certificate", &trusted, Some(password(PASSWORD))),
    ]});
    let folder = tempfile::tempdir().unwrap();
    let prometheus = Prometheus::start(&config, folder, &[]).await;
    let up = wait_for("every job was scraped", async || {
        let highest = "max by (job) (max_over_time(up[1m]))";
        let result = prometheus.query(highest).await;
        let up = |job: &Value| {
            let of = |series: &&Value| series["metric"]["job"] == job["job_name"];
            Some(result.iter().find(of)?["value"][1] == "1")
        };
        let jobs = config["scrape_configs"].as_array().unwrap().iter();
        let all: Option<Vec<_>> = jobs.map(up).collect();
        all.filter(|all| all[0])
    })
    .await;
    assert_eq!(up, [true, false, false, false]);
}

#[tokio::test]
async fn certificates_are_exchanged_under_load_without_a_failed_scrape() {
    let secured = Secured::start(&tls(""), &[]).await;
    let (stop, scrapes) = (AtomicBool::new(false), AtomicUsize::new(0));
    let ask = async |path| {
        while !stop.load(Ordering::Relaxed) {
            // Each request makes a connection of its own.
            let client = secured.client().build().unwrap();
            let response = client.get(secured.url(path)).send().await.unwrap();
            assert_eq!(response.status(), StatusCode::OK);
            response.bytes().await.unwrap();
            scrapes.fetch_add(usize::from(path == "/metrics"), Ordering::Relaxed);
        }
    };
    let exchange = async {
        for _ in 0..20 {
            secured.certificates.issue("server", |_| {});
            let enough = scrapes.load(Ordering::Relaxed) + 3;
            let are_enough = async || scrapes.load(Ordering::Relaxed) >= enough;
            until("some scrapes", are_enough).await;
        }
        let end =
            |parameters: &mut CertificateParams| parameters.not_after = date_time_ymd(2090, 1, 1);
        secured.certificates.issue("server", end);
        until("the last certificate is in use", async || {
            let client = secured.client().build().unwrap();
            let answer = client.get(secured.url("/metrics")).send().await.unwrap();
            let metrics = Exposition::parse(&answer.text().await.unwrap()).unwrap();
            metrics.value(EXPIRY, &[]) == Some(BEGIN_OF_2090)
        })
        .await;
        stop.store(true, Ordering::Relaxed);
    };
    tokio::join!(ask("/metrics"), ask("/livez"), exchange);
}

#[tokio::test]
async fn every_path_needs_the_password_and_probes_may_be_exempt() {
    for (flags, probe) in [(vec![], 401), (vec!["--web.open-probes"], 200)] {
        let flags = [flags, vec!["--web.enable-lifecycle"]].concat();
        let secured = Secured::start(&users(), &flags).await;
        for path in ["/", "/metrics", "/health", "/nowhere"] {
            let response = secured.exporter.get(path).await;
            assert_eq!(response.status(), 401, "{path}");
            let challenge = response.headers()["www-authenticate"].to_str().unwrap();
            assert!(challenge.starts_with("Basic realm="), "{challenge}");
        }
        assert_eq!(secured.exporter.status("/livez").await, probe);
        assert_eq!(secured.exporter.status("/healthz").await, probe);
        let url = format!("http://{}", secured.address());
        let client = crate::support::exporter::client();
        let reload = || client.post(format!("{url}/-/reload"));
        assert_eq!(reload().send().await.unwrap().status(), 401);
        let answer = reload()
            .basic_auth("alice", Some(PASSWORD))
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 200);
        let changed = users().replace("alice", "'a:b'");
        fs::write(secured.workspace.path("web.yml"), changed).unwrap();
        let answer = reload().basic_auth("alice", Some(PASSWORD)).send();
        let answer = answer.await.unwrap();
        assert_eq!(answer.status(), 500);
        let answer = answer.text().await.unwrap();
        assert!(answer.contains("have no colon"), "{answer}");
        let stranger = client
            .get(format!("{url}/metrics"))
            .basic_auth("bob", Some(PASSWORD));
        assert_eq!(stranger.send().await.unwrap().status(), 401, "no such user");
    }
}

#[tokio::test]
async fn a_certificate_without_an_allowed_name_opens_nothing() {
    for (names, is_served) in [
        ("client.example", true),
        ("127.0.0.1", true),
        ("'::1'", true),
        ("other.example, client@example", true),
        ("'spiffe://example/client'", true),
        ("other.example", false),
        ("", false),
    ] {
        let keys = format!("{CLIENTS}  client_allowed_sans: [{names}]\n");
        let secured = Secured::start(&tls(&keys), &["--web.open-probes"]).await;
        let client = secured.identified();
        for path in ["/metrics", "/livez"] {
            let answer = client.get(secured.url(path)).send().await;
            assert_eq!(answer.is_ok(), is_served, "{names} {path}");
        }
        let is_said = secured.exporter.lines_with("client_allowed_sans") > 0;
        assert_ne!(is_said, is_served, "{names}");
    }
}

#[tokio::test]
async fn headers_and_the_rate_limit_of_the_file_hold() {
    let text = "http_server_config:\n  headers:\n    X-Frame-Options: deny\nrate_limit:\n  interval: 1h\n  burst: 2\n";
    let secured = Secured::start(text, &["--web.open-probes"]).await;
    // Neither the rate limit nor a password concerns the probes.
    let is_ready = async || secured.exporter.status("/readyz").await == 200;
    until("ready", is_ready).await;
    for (path, expected) in [
        ("/livez", 200),
        ("/health", 200),
        ("/config", 200),
        ("/metrics", 429),
        ("/readyz", 200),
        ("/livez", 200),
        ("/nowhere", 429),
    ] {
        let response = secured.exporter.get(path).await;
        assert_eq!(response.status(), expected);
        assert_eq!(response.headers()["x-frame-options"], "deny");
    }
}

#[tokio::test]
async fn requests_without_a_password_use_up_nothing_of_the_rate_limit() {
    let text = format!("{}rate_limit:\n  interval: 1h\n  burst: 1\n", users());
    let secured = Secured::start(&text, &[]).await;
    let client = client();
    let url = format!("http://{}/livez", secured.exporter.address());
    for _ in 0..20 {
        let stranger = client.get(&url).send().await.unwrap();
        assert_eq!(stranger.status(), 401);
    }
    for expected in [200, 429] {
        let known = client.get(&url).basic_auth("alice", Some(PASSWORD));
        assert_eq!(known.send().await.unwrap().status(), expected);
    }
}

#[tokio::test]
async fn a_name_that_another_site_gave_our_address_is_misdirected() {
    let portal = Portal::start().await;
    let workspace = Workspace::new(&[("main", portal.base_url())]);
    let mut command = workspace.command();
    let exporter =
        Exporter::launch(command.args(["run", "--web.external-url", "http://kb.example/x"])).await;
    let url = format!("http://{}/livez", exporter.address());
    for (host, expected) in [
        ("attacker.example", 421),
        ("kb.example", 200),
        ("localhost:15732", 200),
        ("kb-exporter.monitoring.svc:15732", 200),
    ] {
        let asked = client().get(&url).header("host", host);
        assert_eq!(asked.send().await.unwrap().status(), expected, "{host}");
    }
}

#[tokio::test]
async fn an_emptied_file_opens_nothing_and_is_shown() {
    let secured = Secured::start(&format!("{}{}", tls(""), users()), &[]).await;
    let client = secured.client().build().unwrap();
    let metrics = async || {
        let url = secured.url("/metrics");
        assert_eq!(client.get(&url).send().await.unwrap().status(), 401);
        let text = known(&client, &url).await;
        let metrics = Exposition::parse(&text).unwrap();
        metrics.value("kb_exporter_web_config_last_reload_successful", &[])
    };
    assert_eq!(metrics().await, Some(1.0));
    let text = known(&client, &secured.url("/metrics")).await;
    let shown = Exposition::parse(&text).unwrap();
    let expiry = shown.value(EXPIRY, &[]);
    let read = shown.value(
        "kb_exporter_web_config_last_reload_success_timestamp_seconds",
        &[],
    );
    assert!(expiry > read && read > Some(0.0), "{expiry:?} {read:?}");
    let file = secured.workspace.path("web.yml");
    let text = fs::read(&file).unwrap();
    fs::write(&file, "").unwrap();
    assert_eq!(metrics().await, Some(0.0));
    let reason = "tls_server_config: would protect less than what is in use";
    assert!(secured.exporter.lines_with(reason) > 0);
    fs::write(&file, text).unwrap();
    assert_eq!(metrics().await, Some(1.0));
    assert_eq!(metrics().await, Some(1.0));
    let reloads = "the web configuration was reloaded";
    assert_eq!(secured.exporter.lines_with(reloads), 1, "it changed once");
}

#[tokio::test]
async fn the_health_check_reports_whether_the_process_is_live() {
    let plain = Secured::start("", &[]).await;
    assert_eq!(plain.healthcheck(&[]), ("live\n".to_owned(), true));
    let address = plain.address();
    plain.exporter.stop().await;
    let (printed, is_live) = healthcheck(program().arg("healthcheck"), address, &[]);
    assert!(!is_live && printed.contains("does not answer"), "{printed}");

    let with_password = Secured::start(&format!("{}{}", tls(""), users()), &[]).await;
    let (printed, is_live) = with_password.healthcheck(&[]);
    assert!(
        !is_live && printed.contains("--web.open-probes"),
        "{printed}"
    );

    let secured = Secured::start(
        &format!("{}{}", tls(CLIENTS), users()),
        &["--web.open-probes"],
    )
    .await;
    assert!(!secured.healthcheck(&[]).1, "it shows no certificate");
    let file = |name: &str| secured.workspace.path(name).to_str().unwrap().to_owned();
    let flags = [
        "--healthcheck.cert-file",
        &file("client.crt"),
        "--healthcheck.key-file",
        &file("client.key"),
    ];
    assert_eq!(secured.healthcheck(&flags), ("live\n".to_owned(), true));
    // The process goes on with the file that it read.
    fs::write(secured.workspace.path("web.yml"), "bogus: 1").unwrap();
    assert_eq!(secured.healthcheck(&flags), ("live\n".to_owned(), true));
}
