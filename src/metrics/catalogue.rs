//! The names, help texts and labels of all families (docs/metrics.md, All metrics).

use std::fmt::Write as _;

use prometheus::proto::MetricType;

/// A family of series.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// Its HELP text.
    pub help: &'static str,
    /// Gauge, counter or histogram.
    pub kind: MetricType,
    /// Its labels, in the order in which they are written.
    pub labels: &'static [&'static str],
}

/// The families as a Markdown table, with a line break at its end: the table in docs/metrics.md.
#[must_use]
pub fn catalogue_markdown() -> String {
    let mut table = "| Metric | Kind | Labels | Meaning |\n|---|---|---|---|\n".to_owned();
    for family in ALL {
        let kind = match family.kind {
            MetricType::COUNTER => "counter",
            MetricType::HISTOGRAM => "histogram",
            _ => "gauge",
        };
        let labels = match family.labels {
            [] => String::new(),
            labels => format!("`{}`", labels.join("`, `")),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            table,
            "| `{}` | {kind} | {labels} | {} |",
            family.name, family.help
        );
    }
    table
}

const PORTAL: &[&str] = &["portal"];
const PORTAL_ENDPOINT: &[&str] = &["portal", "endpoint"];
const FOLDER: &[&str] = &["portal", "folder_id", "folder"];
const FOLDER_STATUS: &[&str] = &["portal", "folder_id", "folder", "status"];

/// Declares the families and a list of all of them.
macro_rules! families {
    ($($constant:ident = $kind:ident $name:literal $labels:expr, $help:literal;)*) => {
        $(
            #[doc = $help]
            pub const $constant: Family = Family {
                name: $name,
                help: $help,
                kind: MetricType::$kind,
                labels: $labels,
            };
        )*

        /// Every family, in the order of docs/metrics.md.
        pub const ALL: &[&Family] = &[$(&$constant),*];
    };
}

families! {
    FOLDER_FILES = GAUGE "kb_folder_files" FOLDER_STATUS,
        "Files in the folder by indexStatus.";
    FOLDER_FILE_ERRORS = GAUGE "kb_folder_file_errors" &["portal", "folder_id", "folder", "status", "error"],
        "Failed and flagged files by class of indexError.";
    FOLDER_SIZE_BYTES = GAUGE "kb_folder_size_bytes" FOLDER_STATUS,
        "Size of the files in the folder by indexStatus, as of the last full read.";
    FOLDER_REPORTED_FILES = GAUGE "kb_folder_reported_files" FOLDER,
        "File count reported by the folder list.";
    FOLDER_OLDEST_FILE = GAUGE "kb_folder_oldest_file_timestamp_seconds" FOLDER_STATUS,
        "Time at which the oldest file in this status entered it.";
    FOLDER_STATUS_ENTRIES = COUNTER "kb_folder_status_entries_total" FOLDER_STATUS,
        "Total number of files that entered this status.";
    FOLDER_INDEXING_SECONDS = HISTOGRAM "kb_folder_indexing_seconds" FOLDER,
        "Time from upload to the first count in which the file was done.";
    FOLDER_UP = GAUGE "kb_folder_up" FOLDER,
        "Whether the last read of the folder succeeded.";
    FOLDER_COUNT_INTERVAL = GAUGE "kb_folder_count_interval_seconds" FOLDER,
        "Time between the last two counts of the folder.";
    FOLDER_LAST_FULL_READ = GAUGE "kb_folder_last_full_read_timestamp_seconds" FOLDER,
        "Time of the last full read of the folder.";
    FOLDER_FULL_READ_DIFFERENCE = GAUGE "kb_folder_full_read_difference" FOLDER_STATUS,
        "Difference between the last full read and the boundary count before it.";
    FOLDER_UNAVAILABLE = GAUGE "kb_folder_unavailable" &["portal", "folder_id", "folder", "reason"],
        "Reason why the folder cannot be counted. Kept for 24 hours after a folder was removed.";
    FOLDER_LAST_SUCCESS = GAUGE "kb_folder_last_success_timestamp_seconds" FOLDER,
        "Time of the last successful count of the folder.";
    FOLDER_COLLECTION_DURATION = GAUGE "kb_folder_collection_duration_seconds" FOLDER,
        "Duration of the last count of the folder.";
    FOLDER_COLLECTION_REQUESTS = GAUGE "kb_folder_collection_requests" &["portal", "folder_id", "folder", "strategy"],
        "Number of requests used by the last count of the folder.";
    FOLDER_CONSISTENT = GAUGE "kb_folder_consistent" FOLDER,
        "Whether the last count of the folder was consistent.";
    PORTAL_UP = GAUGE "kb_portal_up" PORTAL,
        "Whether the last read of the folder list succeeded.";
    PORTAL_UNAVAILABLE = GAUGE "kb_portal_unavailable" &["portal", "reason"],
        "Reason why the folder list cannot be read.";
    PORTAL_FOLDERS = GAUGE "kb_portal_folders" PORTAL,
        "Number of folders that the key may use.";
    PORTAL_SORTING = GAUGE "kb_portal_sorting" &["portal", "state"],
        "Whether sorting by status is shown by rows, assumed from the interface, or refuted by rows.";
    PORTAL_REQUESTS = COUNTER "kb_portal_requests_total" &["portal", "endpoint", "code"],
        "Total number of requests to the portal by response code, or error without a response.";
    PORTAL_REQUEST_DURATION = HISTOGRAM "kb_portal_request_duration_seconds" PORTAL_ENDPOINT,
        "Time from sending a request to the end of its response.";
    PORTAL_RETRIES = COUNTER "kb_portal_retries_total" &["portal", "endpoint", "reason"],
        "Total number of retried requests by reason.";
    PORTAL_THROTTLE = COUNTER "kb_portal_throttle_seconds_total" PORTAL,
        "Total time that requests waited for the rate limit.";
    COLLECTION_LAST_SUCCESS = GAUGE "kb_collection_last_success_timestamp_seconds" PORTAL,
        "Time at which the last successful collection ended.";
    COLLECTION_LAST_RUN = GAUGE "kb_collection_last_run_timestamp_seconds" PORTAL,
        "Time at which the last collection ended.";
    COLLECTION_DURATION = GAUGE "kb_collection_duration_seconds" PORTAL,
        "Duration of the last collection.";
    COLLECTION_RUNS = COUNTER "kb_collection_runs_total" &["portal", "result"],
        "Total number of collections by result.";
    COLLECTION_PANICS = COUNTER "kb_collection_panics_total" PORTAL,
        "Total number of panics in this program that ended a read or a collection.";
    COLLECTION_INTERVAL = GAUGE "kb_collection_interval_seconds" PORTAL,
        "Longest expected time between the ends of two collections.";
    ERROR_CLASSES = GAUGE "kb_error_classes" PORTAL,
        "Number of error classes in use.";
    ERROR_OVERFLOW_FILES = GAUGE "kb_error_overflow_files" PORTAL,
        "Files whose class did not fit into the limits of error classes.";
    REINDEX_MODE = GAUGE "kb_reindex_mode" &["portal", "folder_id", "folder", "mode"],
        "Reindexing mode of the folder.";
    REINDEX_ELIGIBLE_FILES = GAUGE "kb_reindex_eligible_files" FOLDER,
        "Number of failed files that an attempt may help now.";
    REINDEX_HOLD = GAUGE "kb_reindex_hold" &["portal", "folder_id", "folder", "reason"],
        "Reason why no attempt is made in the folder.";
    REINDEX_DECISIONS = COUNTER "kb_reindex_decisions_total" &["portal", "decision", "reason"],
        "Total number of reindexing decisions by decision and reason.";
    REINDEX_ATTEMPTS = COUNTER "kb_reindex_attempts_total" &["portal", "folder_id", "folder", "result"],
        "Total number of reindexing attempts by result of the request.";
    REINDEX_FILES_REQUEUED = COUNTER "kb_reindex_files_requeued_total" FOLDER,
        "Total number of files requeued, as reported by the portal.";
    REINDEX_OUTCOMES = COUNTER "kb_reindex_outcomes_total" &["portal", "folder_id", "folder", "outcome"],
        "Judged attempts by outcome.";
    REINDEX_FILES_RECOVERED = COUNTER "kb_reindex_files_recovered_total" FOLDER,
        "Total number of files that were done after an attempt.";
    REINDEX_FILES_REFAILED = COUNTER "kb_reindex_files_refailed_total" FOLDER,
        "Total number of files that failed again after an attempt.";
    REINDEX_CLASS_FILES = COUNTER "kb_reindex_class_files_total" &["portal", "error", "outcome"],
        "Total number of files after an attempt by error class and outcome.";
    REINDEX_EXHAUSTED_FILES = GAUGE "kb_reindex_exhausted_files" FOLDER,
        "Number of failed files that have used up their attempts.";
    REINDEX_BUDGET_REMAINING = GAUGE "kb_reindex_budget_remaining" &["portal", "kind"],
        "Remaining budget of attempts and of files.";
    REINDEX_NEXT_ALLOWED = GAUGE "kb_reindex_next_allowed_timestamp_seconds" FOLDER,
        "Time at which the cooldown of the folder ends, 0 without one.";
    REINDEX_BREAKER_OPEN = GAUGE "kb_reindex_breaker_open" PORTAL,
        "Whether the breaker has stopped attempts in the portal.";
    REINDEX_KILL_SWITCH = GAUGE "kb_reindex_kill_switch" &[],
        "Whether the kill switch stops all attempts.";
    BUILD_INFO = GAUGE "kb_exporter_build_info" &["version", "revision", "rustc"],
        "Version, revision and compiler of the exporter, constant 1.";
    CONFIG_RELOAD_SUCCESSFUL = GAUGE "kb_exporter_config_last_reload_successful" &[],
        "Whether the last configuration reload succeeded.";
    CONFIG_RELOAD_TIMESTAMP = GAUGE "kb_exporter_config_last_reload_success_timestamp_seconds" &[],
        "Time at which the configuration in use was loaded.";
    SHARD_INFO = GAUGE "kb_exporter_shard_info" &["index", "count", "ledger"],
        "Shard index, shard count and kind of ledger, constant 1.";
}
