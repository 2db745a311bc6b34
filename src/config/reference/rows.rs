//! Every key of the configuration file, in the order in which people read them.

use super::Row;
use super::Value::{Default, Optional, Required};

const fn row(key: &'static str, value: super::Value, meaning: &'static str) -> Row {
    Row {
        key,
        value,
        meaning,
    }
}

/// Every key.
pub(super) const ROWS: &[Row] = &[
    row(
        "portals[].name",
        Required("main"),
        "The value of the label `portal`; each portal has its own",
    ),
    row(
        "portals[].base_url",
        Required("https://portal.example/admin"),
        "The address of the administrator part; its path is kept",
    ),
    row(
        "portals[].api_key_file",
        Optional("/run/secrets/kb-key"),
        "The file that holds the key; this or `api_key_env` is required",
    ),
    row(
        "portals[].api_key_env",
        Optional("KB_API_KEY"),
        "The environment variable that holds the key; a key itself in this file is refused",
    ),
    row(
        "portals[].ca_file",
        Optional("/etc/ssl/portal-ca.pem"),
        "Certificates (PEM) to trust",
    ),
    row(
        "portals[].cert_file",
        Optional("/etc/ssl/client.pem"),
        "Client certificate (PEM); only together with `key_file`",
    ),
    row(
        "portals[].key_file",
        Optional("/etc/ssl/client.key"),
        "Private key (PEM) of the client certificate",
    ),
    row(
        "portals[].proxy_url",
        Default("none"),
        "Address of a proxy, `none`, or `environment` for the usual variables",
    ),
    row(
        "portals[].user_agent",
        Default("kb-exporter/VERSION"),
        "The header `User-Agent`",
    ),
    row(
        "portals[].allow_plain_http",
        Default("false"),
        "Allows `http://` beyond loopback, where the key can be read on the way",
    ),
    row(
        "portals[].folders.include",
        Default("[\"*\"]"),
        "Folders to watch: shell globs on the name (`*`, `?`, `[…]`; case matters), or ids",
    ),
    row(
        "portals[].folders.exclude",
        Default("[]"),
        "Folders to leave out of these; wins over `include`",
    ),
    row(
        "collect.schedule",
        Default("1m"),
        "When collections start: a duration from 1s to 7d, or a cron line such as `0 */5 * * * *` (six fields, seconds first, or five)",
    ),
    row(
        "collect.timezone",
        Default("UTC"),
        "The time zone of cron lines",
    ),
    row(
        "collect.jitter",
        Default("10s"),
        "Longest random delay of a start; at most a tenth of the schedule is taken",
    ),
    row(
        "collect.strategy",
        Default("auto"),
        "How a folder is counted: `full`, `sorted` or `auto`",
    ),
    row(
        "collect.full_every",
        Default("24h"),
        "With `sorted` or `auto`: how often every page is read all the same",
    ),
    row(
        "collect.quiet_every",
        Default("5m"),
        "How often a quiet folder is counted, as far as the rate allows; one that changes or holds files not done is counted in each interval",
    ),
    row(
        "collect.timeout",
        Default("10m"),
        "Ends a collection; folders that were not read come first next time",
    ),
    row(
        "collect.stale_after",
        Default("15m"),
        "After this, and after three intervals or two cycles of the folders beside `quiet_every`, old counts are withdrawn",
    ),
    row(
        "collect.concurrency",
        Default("2"),
        "Requests in flight to one portal, from 1 to 64",
    ),
    row(
        "collect.max_requests_per_second",
        Default("5"),
        "To one portal; may be a fraction, such as `0.5`",
    ),
    row(
        "collect.max_pages_per_folder",
        Default("200000"),
        "Most pages of one folder that are read",
    ),
    row(
        "collect.max_folders",
        Default("10000"),
        "Most folders of one portal that are collected",
    ),
    row(
        "request.timeout",
        Default("30s"),
        "For one request and its whole answer",
    ),
    row(
        "request.connect_timeout",
        Default("5s"),
        "For the connection alone",
    ),
    row(
        "request.retries",
        Default("4"),
        "How often a GET is repeated, from 0 to 20",
    ),
    row(
        "request.max_body_bytes",
        Default("16777216"),
        "Largest answer that is read, after decompression",
    ),
    row(
        "errors.max_classes",
        Default("50"),
        "Classes of errors per portal; what does not fit is the class `other`",
    ),
    row(
        "errors.max_classes_per_folder",
        Default("10"),
        "Classes of errors per folder",
    ),
    row(
        "errors.masks[].name",
        Required("tenant"),
        "What a mask writes into classes, as `<tenant>`; masks are tried before the built-in ones, in order",
    ),
    row(
        "errors.masks[].match",
        Required("tenant-[a-z]+"),
        "A regular expression for what is masked",
    ),
    row(
        "errors.rules[].match",
        Required("(?i)timed? ?out"),
        "A regular expression on the reason; rules are tried first, in order",
    ),
    row(
        "errors.rules[].class",
        Required("timeout"),
        "The class of the reasons that it fits; with files it always has a label",
    ),
    row(
        "reindex.mode",
        Default("off"),
        "Whether failed files are reindexed: `off` (or `false`), `dry_run` or `enforce`",
    ),
    row(
        "reindex.min_failed",
        Default("1"),
        "Failed files that make it worth an attempt",
    ),
    row(
        "reindex.max_failed_ratio",
        Default("0.5"),
        "Above this share, with 20 failed files or more, the folder is in trouble of its own: hold",
    ),
    row(
        "reindex.min_age",
        Default("10m"),
        "How long a file must have been seen failed",
    ),
    row(
        "reindex.cooldown",
        Default("1h"),
        "Pause of a folder after an attempt; doubles after each one without effect",
    ),
    row("reindex.max_cooldown", Default("24h"), "Longest pause"),
    row(
        "reindex.max_attempts",
        Default("3"),
        "Attempts per file; a file past it is exhausted",
    ),
    row(
        "reindex.max_ride_along",
        Default("100"),
        "Exhausted and never-class files that one attempt may take along",
    ),
    row(
        "reindex.budget.actions",
        Default("100"),
        "Attempts per portal in the time `per`",
    ),
    row(
        "reindex.budget.files",
        Default("5000"),
        "Files sent per portal in the time `per`",
    ),
    row(
        "reindex.budget.per",
        Default("24h"),
        "The sliding window of the budget",
    ),
    row(
        "reindex.max_backlog",
        Default("100"),
        "Pending and processing files allowed in the folder",
    ),
    row(
        "reindex.windows",
        Default("[]"),
        "Cron lines whose minutes allow attempts, such as `* * 22-23,0-5 * * *`; always when empty",
    ),
    row(
        "reindex.retry_classes",
        Default("[]"),
        "When not empty, only these classes count towards `min_failed`",
    ),
    row(
        "reindex.never_classes",
        Default("[]"),
        "These classes never count",
    ),
    row(
        "reindex.verify_after",
        Default("2h"),
        "By then an attempt is judged",
    ),
    row(
        "reindex.breaker.no_effect",
        Default("3"),
        "Attempts in a row without effect that stop all attempts",
    ),
    row("reindex.breaker.open_for", Default("6h"), "For how long"),
    row(
        "reindex.kill_switch_file",
        Optional("/etc/kb-exporter/stop-reindex"),
        "While it exists, or cannot be checked, nothing is sent",
    ),
    row(
        "reindex.folders[].match",
        Required("Inbox*"),
        "A shell glob on the name, or an id; beside it any key of `reindex` but `folders` can stand, for these folders; the first match wins",
    ),
    row(
        "state.path",
        Default("/var/lib/kb-exporter"),
        "The folder where counters are kept across restarts",
    ),
    row(
        "state.postgres_url_file",
        Optional("/run/secrets/kb-db"),
        "Instead of `path`, when several processes share the ledger",
    ),
];
