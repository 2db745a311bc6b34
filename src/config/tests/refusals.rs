//! Files that are refused, and the error messages.

use super::{Config, PORTAL};

fn error(text: &str) -> String {
    match Config::from_yaml("kb.yml", text) {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => error.to_string(),
    }
}

/// What is written into the file, with `|` for the end of a line, and the error.
const VALUES: &str = r#"
    collect:|  schedule: 5x => 3:13: collect.schedule: expected a duration from 1s to 7d, or a cron line of six fields, such as "0 */5 * * * *", or five
    collect:|  schedule: 60 => 3:13: collect.schedule: expected a duration from 1s to 7d, or a cron line of six fields, such as "0 */5 * * * *", or five; a number needs its unit: s, m, h or d
    collect:|  schedule: 0 0 0 30 2 * => 3:13: collect.schedule: expected a cron line that matches some date
    collect:|  schedule: => 3:11: collect.schedule: has no value
    collect:|  schedule: [1] => 3:13: collect.schedule: a single value is expected here
    collect:|  timezone: Mars/Base => 3:13: collect.timezone: expected a time zone such as UTC or Europe/Berlin
    collect: {jitter: 1s, strategy: fast} => 2:33: collect.strategy: expected one of full, sorted, auto
    collect:|  concurrency: 0 => 3:16: collect.concurrency: expected a whole number from 1 to 64
    collect:|  max_requests_per_second: 0 => 3:28: collect.max_requests_per_second: expected a number from 0.001 to 100000, such as 5 or 0.5
    request:|  timeout: 0s => 3:12: request.timeout: expected a duration of 100ms or more, such as 10m, and at most ten years
    request:|  timeout: 30 => 3:12: request.timeout: expected a duration of 100ms or more, such as 10m, and at most ten years; a number needs its unit: s, m, h or d
    request:|  timeout: 500y => 3:12: request.timeout: expected a duration of 100ms or more, such as 10m, and at most ten years
    request:|  timeout: 30s|  tiemout: hidden => 4:3: request: unknown key "tiemout": is timeout meant?; the keys here are timeout, connect_timeout, retries, max_body_bytes
    request:|  retries: 1|  retries: 2 => 4:3: request: a key is set twice; remove one
    request: 5 => 2:10: request: a section with keys is expected here
    state:|  path: '' => 3:9: state.path: expected a path, such as /var/lib/kb-exporter
    state:|  path: ~/state => 3:9: state.path: ~ and variables are not replaced here: write the whole path
    state:|  path: postgres://kb:secret@db.example/kb => 3:9: state.path: expected a path, such as /var/lib/kb-exporter
    state:|  postgres_url_file: postgres://kb:secret@db.example/kb => 3:22: state.postgres_url_file: expected the path of a file: with a /, or of one that exists
    reindex:|  windows: ['0 * * * * *'] => 3:13: reindex.windows[0]: expected a cron line that names whole minutes: six fields with "*" for the seconds, such as "* * 22-23 * * *"
    reindex:|  folders:|    - mode: off => 4:7: reindex.folders[0].match: is missing; it could be Inbox*
    reindex:|  folders:|    - {match: a, budget: {per: 1ms}} => 4:32: reindex.folders[0].budget.per: expected a duration of 1s or more, such as 10m, and at most ten years"#;

/// The same in a portal.
const PORTALS: &str = r##"
    base_url: https://p|    api_key_env: K => 3:5: portals[0].name: is missing; it could be main
    name: a|    api_key_env: K => 3:5: portals[0].base_url: is missing; it could be https://portal.example/admin
    name: a|    base_url: https://p => 2:5: portals[0]: api_key_file or api_key_env is missing; one of them is required
    name: a|    base_url: https://p|    api_key_file: /k|    api_key_env: K => 2:5: portals[0]: api_key_file and api_key_env are both set; remove one
    name: a|    base_url: http://p|    api_key_env: K => 2:5: portals[0]: base_url: http:// would send the key unencrypted: use https://, or set allow_plain_http: true in the configuration file
    name: a|    base_url: https://p|    api_key_file: '' => 4:19: portals[0].api_key_file: expected the path of a file: with a /, or of one that exists
    name: a|    base_url: https://p|    api_key_file: $HOME/key => 4:19: portals[0].api_key_file: ~ and variables are not replaced here: write the whole path
    name: a|    base_url: p.example|    api_key_env: K => 3:15: portals[0].base_url: this is not an address such as https://portal.example/admin: it begins with http:// or https://
    name: a|    base_url: https://p/?key=1|    api_key_env: K => 3:15: portals[0].base_url: the address must end with its path, without "?" and "#"
    name: a|    base_url: https://p/#key|    api_key_env: K => 3:15: portals[0].base_url: the address must end with its path, without "?" and "#"
    name: a|    base_url: https://p/api/admin/|    api_key_env: K => 3:15: portals[0].base_url: the exporter adds /api/admin/library-folders itself: end the address before it, such as https://portal.example/admin
    name: a|    base_url: https://p/admin/api/admin/library-folders/mine|    api_key_env: K => 3:15: portals[0].base_url: the exporter adds /api/admin/library-folders itself: end the address before it, such as https://portal.example/admin
    name: a|    base_url: ftp://p/|    api_key_env: K => 3:15: portals[0].base_url: this is not an address such as https://portal.example/admin: it begins with http:// or https://
    name: a|    base_url: https:///admin|    api_key_env: K => 3:15: portals[0].base_url: this is not an address such as https://portal.example/admin: it has no host
    name: a|    base_url: https://p/admin/login|    api_key_env: K => 3:15: portals[0].base_url: people log in there: end the address before /login, such as https://portal.example/admin
    name: a|    base_url: https://user:word@p|    api_key_env: K => 3:15: portals[0].base_url: this is not an address such as https://portal.example/admin: it contains a user name or a password: remove them
    name: a|    base_url: https://p|    api_key_env: K|    cert_file: /c => 2:5: portals[0]: a client certificate needs both cert_file and key_file
    name: a|    base_url: https://p|    api_key_env: K|    key_file: /c => 2:5: portals[0]: a client certificate needs both cert_file and key_file
    name: a|    base_url: https://p|    api_key_env: K|  - name: a|    base_url: https://q|    api_key_env: K => 2:3: portals: portals[0] and portals[1] have the same name; each portal needs a name of its own
    name: a|    base_url: https://p|    api_key_env: K|    allow_plain_http: maybe => 5:23: portals[0].allow_plain_http: true or false is expected here
    name: a|    base_url: https://p|    api_key_env: K|    folders: {include: []} => 5:24: portals[0].folders.include: the list is empty, so no folder would be watched: remove it to watch all
    name: a|    base_url: https://p|    api_key_env: K|    folders: {include: ['[a']} => 5:25: portals[0].folders.include[0]: expected a folder's id or a shell glob such as "Archive *": invalid range pattern"##;

/// The same in a mask.
const MASKS: &str = r"
    {name: a, match: '(open'} => 4:24: errors.masks[0].match: expected a regular expression: unclosed group
    {name: <a>, match: x} => 4:14: errors.masks[0].name: expected a name of a mask: 1 to 31 of a-z, 0-9, _ and -, a letter first
    {name: a} => 4:8: errors.masks[0].match: is missing; it could be tenant-[a-z]+";

/// The same in a rule for errors.
const RULES: &str = r"
    {match: '(open', class: a} => 4:15: errors.rules[0].match: expected a regular expression: unclosed group
    {match: '', class: a} => 4:15: errors.rules[0].match: expected a text that is not empty
    {match: a, class: other} => 4:25: errors.rules[0].class: expected a class that a rule can give: unspecified, other and unread are reserved
    {match: a, class: ' a'} => 4:25: errors.rules[0].class: expected a class: 1 to 120 characters on one line, without spaces around it
    {match: a} => 4:8: errors.rules[0].class: is missing; it could be timeout";

#[test]
fn the_error_of_what_is_wrong_has_its_position_and_what_would_be_right() {
    for (before, table) in [
        (PORTAL.to_owned(), VALUES),
        ("portals:\n  - ".to_owned(), PORTALS),
        (format!("{PORTAL}errors:\n  masks:\n    - "), MASKS),
        (format!("{PORTAL}errors:\n  rules:\n    - "), RULES),
    ] {
        for row in table.trim().lines() {
            let (lines, message) = row.trim().split_once(" => ").unwrap();
            let text = format!("{before}{}\n", lines.replace('|', "\n"));
            assert_eq!(error(&text), format!("kb.yml:{message}"));
        }
    }
}

#[test]
fn an_alias_stands_for_what_its_anchor_has_and_for_no_more_than_a_file_may_have() {
    let portals = "portals: [&a {name: a, base_url: https://p, api_key_env: K}, *a]";
    assert_eq!(
        error(portals),
        "kb.yml:1:10: portals: portals[0] and portals[1] have the same name; each portal needs a name of its own"
    );
    let aliases = ", *a".repeat(1_000);
    let wrong = format!("portals: [&a {{name: a, base_url: p, api_key_env: K}}{aliases}]");
    assert_eq!(error(&wrong).lines().count(), 1, "{}", error(&wrong));
    let tower = (0..20).fold("&x0 [a, b]".to_owned(), |text, n| {
        format!("{text}, &x{} [*x{n}, *x{n}, *x{n}]", n + 1)
    });
    let tower = error(&format!("{PORTAL}reindex: {{windows: [{tower}]}}"));
    assert!(
        tower.starts_with("kb.yml:2:25: reindex.windows[0]: "),
        "{tower}"
    );
    let deep = "portals: ".to_owned() + &"[".repeat(100_000);
    let deep = error(&deep);
    assert!(deep.ends_with("recursion limit exceeded"), "{deep}");
}

#[test]
fn a_file_that_is_no_configuration_is_refused() {
    let sections = "portals, collect, request, errors, reindex, state";
    for (text, message) in [
        ("", "1:1: the file is empty or ends too early".to_owned()),
        ("- a", "1:1: a section with keys is expected here".to_owned()),
        ("collect: {}", "1:1: portals: is missing".to_owned()),
        ("portals: a", "1:10: portals: a list is expected here".to_owned()),
        (
            "portals: []",
            "1:10: portals: at least one portal is needed, with name, base_url and api_key_file or api_key_env".to_owned(),
        ),
        ("portal: []", format!("1:1: unknown key \"portal\": is portals meant?; the keys here are {sections}")),
        ("portals: !secret a", "1:18: tags are not supported".to_owned()),
        ("portals:\n\t- a", "2:2: this is not YAML: tabs disallowed within this context (block indentation)".to_owned()),
    ] {
        assert_eq!(error(text), format!("kb.yml:{message}"));
    }
}
