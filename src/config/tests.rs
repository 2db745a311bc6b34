//! Whole files that are taken, and how they are read.

mod refusals;
mod rules;
mod schema;

use regex::Regex;

use super::*;

/// The example as it is when the comment signs before its keys are removed.
pub(super) fn full_example() -> String {
    let commented_out = Regex::new(r"(?m)^( *)# ( *[a-z_]+:)").unwrap();
    commented_out.replace_all(EXAMPLE, "$1$2").into_owned()
}

/// A portal on the first line, so that the keys under test begin on the second.
const PORTAL: &str = "portals: [{name: a, base_url: https://p, api_key_env: K}]\n";

#[test]
fn the_example_changes_nothing_in_the_portal() {
    for example in [EXAMPLE, &full_example()] {
        let config = Config::from_yaml("example.yml", example).unwrap();
        assert_eq!(config.reindex.strongest_mode(), Mode::Off);
    }
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
    assert_eq!(certificate.cert_file.expose(), Path::new("/c"));
    assert_eq!(certificate.key_file.expose(), Path::new("/k"));
    assert_eq!(
        certificate.key_file.to_string(),
        "the file that portals[0].key_file names"
    );
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
    assert_eq!(read().unwrap_err(), format!("{name}: is not UTF-8 text"));

    std::fs::write(&path, vec![b'#'; 2 << 20]).unwrap();
    let large = format!("{name}: cannot be read: it is larger than 1048576 bytes");
    assert_eq!(read().unwrap_err(), large);
}
