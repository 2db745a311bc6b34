//! What an installation costs, as a table for people and as a document for programs (docs/capacity.schema.json).

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::Result;
use schemars::JsonSchema;
use serde::Serialize;

use crate::capacity::{Capacity, Limit};
use crate::cli::output;
use crate::cli::table::Table;
use crate::snapshot::whole_seconds;

/// What `kb-exporter capacity --output json` prints. Fields may be added, and none is renamed or removed. Figures are those of all
/// processes together, unless the description says otherwise.
#[derive(Debug, Serialize, JsonSchema)]
struct Document {
    /// Requests until every folder was counted once.
    first_count_requests: f64,
    /// Seconds until every folder was counted once.
    first_count_seconds: f64,
    /// Requests in an interval in which nothing changes, without audits.
    idle_requests_per_interval: f64,
    /// Folders with files that are not done.
    pressing_folders: f64,
    /// Seconds between two counts of a folder in which nothing changes.
    quiet_folder_seconds: f64,
    /// Least seconds until a change in a folder shows.
    change_best_seconds: f64,
    /// Most seconds until a change shows that the list of folders shows.
    change_listed_worst_seconds: f64,
    /// Most seconds until a change shows that the list of folders does not show.
    change_unlisted_worst_seconds: f64,
    /// Resident memory of one process in bytes.
    process_memory_bytes: f64,
    /// Series of the folders.
    series: f64,
    /// Exposition of one process as text, in bytes.
    process_text_bytes: f64,
    /// Exposition of one process, compressed, in bytes.
    process_gzip_bytes: f64,
    /// State in bytes.
    state_bytes: f64,
    /// Most database transactions in an interval in which nothing changes.
    idle_transactions_per_interval: f64,
    /// Requests of audits in a day.
    audit_requests_per_day: f64,
    /// Seconds in which the portal must answer on average, so that the rate is reached with `collect.concurrency` requests in flight.
    answer_seconds: f64,
    /// Requests per second with which no folder waits for longer than it should.
    wanted_rate: f64,
    /// The limit that is used most: `rate`, `series`, `memory` or `rendering`.
    limit: &'static str,
    /// How far it is used: above 1, it is exceeded.
    limit_usage: f64,
    /// Processes with which none exceeds the limits of a process.
    recommended_shards: u16,
}

impl Document {
    fn of(capacity: &Capacity) -> Self {
        let usage = capacity.usage();
        let (limit, limit_usage) = usage.highest();
        Self {
            first_count_requests: capacity.first_requests(),
            first_count_seconds: capacity.first_seconds(),
            idle_requests_per_interval: capacity.idle_requests(),
            pressing_folders: capacity.pressing_folders(),
            quiet_folder_seconds: capacity.quiet_seconds(),
            change_best_seconds: capacity.change_best_seconds(),
            change_listed_worst_seconds: capacity.change_listed_seconds(),
            change_unlisted_worst_seconds: capacity.change_unlisted_seconds(),
            process_memory_bytes: capacity.process_bytes(),
            series: capacity.series(),
            process_text_bytes: capacity.text_bytes(),
            process_gzip_bytes: capacity.gzip_bytes(),
            state_bytes: capacity.state_bytes(),
            idle_transactions_per_interval: capacity.idle_transactions(),
            audit_requests_per_day: capacity.audit_requests(),
            answer_seconds: capacity.answer_seconds(),
            wanted_rate: capacity.wanted_rate(),
            limit: limit.as_str(),
            limit_usage,
            recommended_shards: capacity.recommended_shards().get(),
        }
    }
}

/// Writes the document.
pub(super) fn json(capacity: &Capacity) -> Result<String> {
    output::document(&Document::of(capacity))
}

/// Writes the table, and below it what the limit is.
pub(super) fn text(capacity: &Capacity, width: Option<u16>) -> String {
    let it = Document::of(capacity);
    let mut table = Table::new("cost, #value", width);
    let mut add = |cost: &str, value: String| table.add(&[&cost, &value]);
    add(
        "requests of the first count",
        number(it.first_count_requests),
    );
    add("time of the first count", time(it.first_count_seconds));
    add(
        "requests per interval, when idle",
        number(it.idle_requests_per_interval),
    );
    add(
        "folders with failed files, counted in each interval",
        number(it.pressing_folders),
    );
    add(
        "time between two counts of another folder",
        time(it.quiet_folder_seconds),
    );
    add(
        "time until a change shows: best",
        time(it.change_best_seconds),
    );
    add(
        "worst, if the list of folders shows it",
        time(it.change_listed_worst_seconds),
    );
    add(
        "worst, if it does not",
        time(it.change_unlisted_worst_seconds),
    );
    add("memory of a process", bytes(it.process_memory_bytes));
    add("series", number(it.series));
    add(
        "exposition of a process, text",
        bytes(it.process_text_bytes),
    );
    add(
        "exposition of a process, gzip",
        bytes(it.process_gzip_bytes),
    );
    add("state", bytes(it.state_bytes));
    add(
        "database transactions per interval, when idle, at most",
        number(it.idle_transactions_per_interval),
    );
    add(
        "requests of audits per day",
        number(it.audit_requests_per_day),
    );
    add(
        "time for an answer of the portal, at most",
        milliseconds(it.answer_seconds),
    );
    let mut text = table.to_string();
    let limit = limit(&it, capacity);
    let shards = it.recommended_shards;
    // Writing to a string cannot fail.
    let _ = writeln!(text, "limit: {limit}\nrecommended: --shard.count {shards}");
    text
}

/// A sentence about the limit that is used most.
fn limit(it: &Document, capacity: &Capacity) -> String {
    let percent = (100.0 * it.limit_usage).ceil();
    let what = match capacity.usage().highest().0 {
        Limit::Rate => "the requests that the portal is sent",
        Limit::Series => "the series that Prometheus scrapes from one process",
        Limit::Memory => "the memory of one process",
        Limit::Rendering => "the time in which one process renders its exposition",
    };
    let wanted = format!("{:.1} requests a second are needed", it.wanted_rate);
    let advice = match capacity.usage().highest().0 {
        Limit::Rate if it.limit_usage > 1.0 => {
            format!(
                "; {wanted}. More processes do not help: raise --rate if the portal allows it, or accept that folders take turns"
            )
        }
        Limit::Rate => format!("; {wanted}"),
        _ if it.limit_usage > 1.0 => "; more processes help".to_owned(),
        _ => String::new(),
    };
    format!("{what}: {percent} % used{advice}")
}

/// A whole number in groups of three digits.
fn number(number: f64) -> String {
    let digits = format!("{:.0}", number.ceil());
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<_> = groups.map(String::from_utf8_lossy).collect();
    groups.join(",")
}

fn time(seconds: f64) -> String {
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if seconds < 10.0 => format!("{:.1}s", time.as_secs_f64()),
        Ok(time) => whole_seconds(time).to_string(),
        Err(_) => "never".to_owned(),
    }
}

fn milliseconds(seconds: f64) -> String {
    format!("{} ms", number(1000.0 * seconds))
}

fn bytes(bytes: f64) -> String {
    let units = ["KiB", "MiB", "GiB"];
    let mut value = bytes / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU16;

    use super::*;
    use crate::capacity::Installation;
    use crate::config::Collect;

    #[test]
    fn the_schema_is_in_the_documents() {
        output::assert_schema_in_documents::<Document>("capacity");
    }

    const BEGIN: &str = "<!-- capacity: begin -->\n";
    const END: &str = "<!-- capacity: end -->";

    fn capacity(folders: u64, files: u64, failed: f64) -> Capacity {
        let installation = Installation {
            folders,
            files,
            failed,
            interval: Duration::from_mins(1),
            shards: NonZeroU16::MIN,
            collect: Collect::default(),
        };
        Capacity::of(installation).unwrap().unwrap()
    }

    /// What portals of some sizes cost with the default configuration.
    fn table() -> String {
        let mut table = "| Folders | Files | Time of the first count | Requests per minute, idle | A change shows after, at most | The same, if the list does not show it | Needed requests per second | The same with 0.1 % failed | Memory of one process | Series | Recommended processes |\n|---|---|---|---|---|---|---|---|---|---|---|\n".to_owned();
        let row = |folders, files| {
            let it = capacity(folders, files, 0.0);
            let failed = capacity(folders, files, 0.001);
            let cells = [
                number(integer(folders)),
                number(integer(files)),
                time(it.first_seconds()),
                number(it.idle_requests()),
                time(it.change_listed_seconds()),
                time(it.change_unlisted_seconds()),
                format!("{:.2}", it.wanted_rate()),
                format!("{:.2}", failed.wanted_rate()),
                bytes(it.process_bytes()),
                number(it.series()),
                it.recommended_shards().to_string(),
            ];
            format!("| {} |\n", cells.join(" | "))
        };
        for folders in [10, 1_000, 100_000] {
            for files in [1_000_000, 100_000_000, 1_000_000_000] {
                table.push_str(&row(folders, files));
            }
        }
        table
    }

    fn integer(number: u64) -> f64 {
        f64::from(u32::try_from(number).unwrap())
    }

    #[test]
    fn the_table_in_the_documents_is_worked_out() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/operations.md");
        let document = std::fs::read_to_string(file).unwrap();
        let (before, rest) = document.split_once(BEGIN).unwrap();
        let (_, after) = rest.split_once(END).unwrap();
        let new = [before, BEGIN, &table(), END, after].concat();
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(file, &new).unwrap();
        }
        let now = std::fs::read_to_string(file).unwrap();
        assert!(
            now == new,
            "the table is old; run the tests once with UPDATE_DOCS=1"
        );
    }

    #[test]
    fn figures_are_short() {
        assert_eq!(number(1_234_567.2), "1,234,568");
        assert_eq!([time(0.24), time(75.4)], ["0.2s", "1m 15s"]);
        assert_eq!([bytes(2_048.0), bytes(3e9)], ["2.0 KiB", "2.8 GiB"]);
        assert_eq!(milliseconds(0.4), "400 ms");
    }
}
