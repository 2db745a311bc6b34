//! Whole files that are taken, and how they are read.

mod refusals;
mod rules;

use super::*;
use crate::classify::Rule;

/// Every key, nearly all with their defaults.
pub(super) const EXAMPLE: &str = r#"
portals:
  - name: main
    base_url: https://portal.example/admin
    api_key_file: /run/secrets/kb-key
    ca_file: /etc/ssl/portal-ca.pem
    proxy_url: none
    user_agent: kb-exporter/VERSION
    allow_plain_http: false
    folders:
      include: ["*"]
      exclude: ["Archive *"]
collect:
  schedule: 1m
  timezone: UTC
  jitter: 10s
  strategy: auto
  full_every: 24h
  quiet_every: 5m
  timeout: 10m
  stale_after: 15m
  concurrency: 2
  max_requests_per_second: 5
  max_pages_per_folder: 200000
  max_folders: 10000
request:
  timeout: 30s
  connect_timeout: 5s
  retries: 4
  max_body_bytes: 16777216
errors:
  max_classes: 50
  max_classes_per_folder: 10
  masks: []
  rules:
    - match: "(?i)timed? ?out"
      class: timeout
reindex:
  mode: off
  min_failed: 1
  max_failed_ratio: 0.5
  min_age: 10m
  cooldown: 1h
  max_cooldown: 24h
  max_attempts: 3
  max_ride_along: 100
  budget: { actions: 100, files: 5000, per: 24h }
  max_backlog: 100
  windows: ["* * 22-23,0-5 * * *"]
  retry_classes: []
  never_classes: []
  verify_after: 2h
  breaker: { no_effect: 3, open_for: 6h }
  kill_switch_file: /etc/kb-exporter/stop-reindex
  folders:
    - match: "Inbox*"
      mode: enforce
state:
  path: /var/lib/kb-exporter
"#;

/// A portal on the first line, so that the keys under test begin on the second.
const PORTAL: &str = "portals: [{name: a, base_url: https://p, api_key_env: K}]\n";

#[test]
fn the_example_is_what_the_defaults_say() {
    let config = Config::from_yaml("kb.yml", EXAMPLE).unwrap();
    assert_eq!(config.collect, Collect::default());
    assert_eq!(config.request, Request::default());
    let rule = Rule {
        pattern: "(?i)timed? ?out".parse().unwrap(),
        class: "timeout".parse().unwrap(),
    };
    let errors = Errors {
        rules: vec![rule],
        ..Errors::default()
    };
    assert_eq!(config.errors, errors);
    assert_eq!(config.state, State::default());
    let rules = ReindexRules {
        windows: config.reindex.rules.windows.clone(),
        kill_switch_file: Some("/etc/kb-exporter/stop-reindex".into()),
        ..ReindexRules::default()
    };
    assert_eq!(config.reindex.rules, rules);
    assert_eq!(
        rules.windows,
        [Window::parse("* * 22-23,0-5 * * *").unwrap()]
    );
    let portal = &config.portals[0];
    assert_eq!(portal.key, KeySource::File("/run/secrets/kb-key".into()));
    assert_eq!(
        portal.ca_file.as_deref(),
        Some("/etc/ssl/portal-ca.pem".as_ref())
    );
}

#[test]
fn what_is_left_out_has_its_default() {
    let config = Config::from_yaml("kb.yml", PORTAL).unwrap();
    let portal = &config.portals[0];
    assert_eq!(
        portal.user_agent,
        format!("kb-exporter/{}", env!("CARGO_PKG_VERSION"))
    );
    assert_eq!(
        (&portal.proxy, &portal.client_certificate),
        (&Proxy::None, &None)
    );
    assert_eq!(config.collect, Collect::default());
    assert_eq!(config.state, State::Path("/var/lib/kb-exporter".into()));
    let commented_out = format!("{PORTAL}collect:\n  # schedule: 1m\nreindex:\nstate:\n");
    let config = Config::from_yaml("kb.yml", &commented_out).unwrap();
    assert_eq!(config.collect, Collect::default());
}

#[test]
fn what_the_file_has_is_used() {
    let text = "
portals:
  - name: a
    base_url: http://portal.example
    allow_plain_http: true
    api_key_env: KB_KEY
    cert_file: /c
    key_file: /k
    proxy_url: http://proxy.example:3128
  - {name: b, base_url: https://b.example, api_key_env: KB_KEY, proxy_url: environment}
collect: {schedule: '0 */5 * * * *', timezone: Europe/Berlin, max_requests_per_second: 0.5, strategy: full}
";
    let config = Config::from_yaml("kb.yml", text).unwrap();
    let [a, b] = config.portals.as_slice() else {
        panic!("two portals");
    };
    let certificate = a.client_certificate.as_ref().unwrap();
    assert_eq!(certificate.cert_file, Path::new("/c"));
    assert_eq!(certificate.key_file, Path::new("/k"));
    assert!(matches!(&a.proxy, Proxy::Address(url) if url.port() == Some(3128)));
    assert_eq!(b.proxy, Proxy::Environment);
    assert_eq!(config.collect.max_requests_per_second, Rate::PerSecond(0.5));
    assert_eq!(config.collect.strategy, Strategy::Full);
    let Schedule::Cron(line) = &config.collect.schedule else {
        panic!("a cron line");
    };
    assert_eq!(line.to_string(), "0 */5 * * * *");
}

#[test]
fn a_file_is_read_and_named_in_its_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kb.yml");
    let name = path.display().to_string();
    let read = || Config::from_file(&path).map_err(|error| error.to_string());

    let missing = read().unwrap_err();
    assert!(
        missing.starts_with(&format!("{name}: cannot be read: ")),
        "{missing}"
    );

    std::fs::write(&path, PORTAL).unwrap();
    assert_eq!(read().unwrap().portals.len(), 1);

    std::fs::write(&path, b"portals:\n  - name: \xff").unwrap();
    assert_eq!(
        read().unwrap_err(),
        format!("{name}:2:11: is not UTF-8 text from here on")
    );

    std::fs::write(&path, vec![b'#'; 2 << 20]).unwrap();
    let large = format!("{name}: is larger than 1048576 bytes, too much for a configuration");
    assert_eq!(read().unwrap_err(), large);
}
