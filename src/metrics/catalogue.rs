//! The names, help texts and labels of all families (contract, Metrics).

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

/// The families as a Markdown table, with a line break at its end: the README's metrics table.
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

        /// Every family, in the order of the contract.
        pub const ALL: &[&Family] = &[$(&$constant),*];
    };
}

families! {
    FOLDER_FILES = GAUGE "kb_folder_files" FOLDER_STATUS,
        "Files in the folder by indexStatus.";
    FOLDER_FILE_ERRORS = GAUGE "kb_folder_file_errors" &["portal", "folder_id", "folder", "status", "error"],
        "Failed and flagged files by class of indexError.";
    FOLDER_SIZE_BYTES = GAUGE "kb_folder_size_bytes" FOLDER_STATUS,
        "Sum of fileSize by indexStatus, as of the last full read.";
    FOLDER_REPORTED_FILES = GAUGE "kb_folder_reported_files" FOLDER,
        "The fileCount that the list of folders tells.";
    FOLDER_OLDEST_FILE = GAUGE "kb_folder_oldest_file_timestamp_seconds" FOLDER_STATUS,
        "Since when the longest-waiting file is in this status, of the rows read.";
    FOLDER_STATUS_ENTRIES = COUNTER "kb_folder_status_entries_total" FOLDER_STATUS,
        "Files that entered this status since the folder was first counted.";
    FOLDER_INDEXING_SECONDS = HISTOGRAM "kb_folder_indexing_seconds" FOLDER,
        "Time from a file's upload to the count that first saw it done.";
    FOLDER_UP = GAUGE "kb_folder_up" FOLDER,
        "1 when the latest look at the folder counted it, 0 when not.";
    FOLDER_COUNT_INTERVAL = GAUGE "kb_folder_count_interval_seconds" FOLDER,
        "Time between the last two counts of the folder.";
    FOLDER_LAST_FULL_READ = GAUGE "kb_folder_last_full_read_timestamp_seconds" FOLDER,
        "When every page of the folder was last read.";
    FOLDER_FULL_READ_DIFFERENCE = GAUGE "kb_folder_full_read_difference" FOLDER_STATUS,
        "Count of the last full read less the one that the boundaries between statuses gave just before.";
    FOLDER_UNAVAILABLE = GAUGE "kb_folder_unavailable" &["portal", "folder_id", "folder", "reason"],
        "1 for the reason why the folder cannot be counted; a folder that left keeps it for 24 hours.";
    FOLDER_LAST_SUCCESS = GAUGE "kb_folder_last_success_timestamp_seconds" FOLDER,
        "When the folder was last counted.";
    FOLDER_COLLECTION_DURATION = GAUGE "kb_folder_collection_duration_seconds" FOLDER,
        "Time that the last count of the folder took.";
    FOLDER_COLLECTION_REQUESTS = GAUGE "kb_folder_collection_requests" &["portal", "folder_id", "folder", "strategy"],
        "Requests that the last count of the folder took.";
    FOLDER_CONSISTENT = GAUGE "kb_folder_consistent" FOLDER,
        "1 when all totals agreed, the rows were as many as the total, and either all rows were read and distinct, or every boundary was read the same twice.";
    PORTAL_UP = GAUGE "kb_portal_up" PORTAL,
        "1 when the list of folders was read in the last collection, 0 when not.";
    PORTAL_UNAVAILABLE = GAUGE "kb_portal_unavailable" &["portal", "reason"],
        "1 for the reason why the list of folders cannot be read.";
    PORTAL_FOLDERS = GAUGE "kb_portal_folders" PORTAL,
        "Folders that the key may use.";
    PORTAL_SORTING = GAUGE "kb_portal_sorting" &["portal", "state"],
        "1 for what is known of the portal's sorting by status: shown by rows, assumed as documented, or refuted by rows.";
    PORTAL_REQUESTS = COUNTER "kb_portal_requests_total" &["portal", "endpoint", "code"],
        "Requests to the portal by status of the answer, or error where there was none.";
    PORTAL_REQUEST_DURATION = HISTOGRAM "kb_portal_request_duration_seconds" PORTAL_ENDPOINT,
        "Time from sending a request to the end of its answer.";
    PORTAL_RETRIES = COUNTER "kb_portal_retries_total" &["portal", "endpoint", "reason"],
        "Requests that were sent again, by what was wrong with the answer.";
    PORTAL_THROTTLE = COUNTER "kb_portal_throttle_seconds_total" PORTAL,
        "Time that requests spent waiting for the rate limit.";
    COLLECTION_LAST_SUCCESS = GAUGE "kb_collection_last_success_timestamp_seconds" PORTAL,
        "When a collection last ended in which every folder that was due was counted, or answered 403 or 404.";
    COLLECTION_LAST_RUN = GAUGE "kb_collection_last_run_timestamp_seconds" PORTAL,
        "When the last collection ended, however it ended.";
    COLLECTION_DURATION = GAUGE "kb_collection_duration_seconds" PORTAL,
        "Time that the last collection took.";
    COLLECTION_RUNS = COUNTER "kb_collection_runs_total" &["portal", "result"],
        "Collections by how they ended; skipped: no folder could be started, the last one still ran.";
    COLLECTION_PANICS = COUNTER "kb_collection_panics_total" PORTAL,
        "Mistakes in this program that ended a look or a collection; the log has the details.";
    COLLECTION_INTERVAL = GAUGE "kb_collection_interval_seconds" PORTAL,
        "The longest of the gaps between the last two and the next collections, or the last one's duration when that is longer.";
    ERROR_CLASSES = GAUGE "kb_error_classes" PORTAL,
        "Classes of error in use.";
    ERROR_OVERFLOW_FILES = GAUGE "kb_error_overflow_files" PORTAL,
        "Files in the class other for want of room.";
    REINDEX_MODE = GAUGE "kb_reindex_mode" &["portal", "folder_id", "folder", "mode"],
        "1 for the mode of reindexing that holds for the folder.";
    REINDEX_ELIGIBLE_FILES = GAUGE "kb_reindex_eligible_files" FOLDER,
        "Failed files that are old enough, retryable and not exhausted.";
    REINDEX_HOLD = GAUGE "kb_reindex_hold" &["portal", "folder_id", "folder", "reason"],
        "1 for the reason why nothing is triggered in the folder now.";
    REINDEX_DECISIONS = COUNTER "kb_reindex_decisions_total" &["portal", "decision", "reason"],
        "Decisions about folders, one for each folder and collection.";
    REINDEX_ATTEMPTS = COUNTER "kb_reindex_attempts_total" &["portal", "folder_id", "folder", "result"],
        "Attempts to put failed files back into the queue; unknown: it is not known whether it was done.";
    REINDEX_FILES_REQUEUED = COUNTER "kb_reindex_files_requeued_total" FOLDER,
        "Files that the portal says it put back into the queue.";
    REINDEX_OUTCOMES = COUNTER "kb_reindex_outcomes_total" &["portal", "folder_id", "folder", "outcome"],
        "Attempts by what they were good for.";
    REINDEX_FILES_RECOVERED = COUNTER "kb_reindex_files_recovered_total" FOLDER,
        "Files that were done after an attempt.";
    REINDEX_FILES_REFAILED = COUNTER "kb_reindex_files_refailed_total" FOLDER,
        "Files that failed again after an attempt.";
    REINDEX_CLASS_FILES = COUNTER "kb_reindex_class_files_total" &["portal", "error", "outcome"],
        "Files that were sent, by the class of their error and what became of them.";
    REINDEX_EXHAUSTED_FILES = GAUGE "kb_reindex_exhausted_files" FOLDER,
        "Failed files that have used up their attempts.";
    REINDEX_BUDGET_REMAINING = GAUGE "kb_reindex_budget_remaining" &["portal", "kind"],
        "What is left of the budget of attempts and of files.";
    REINDEX_NEXT_ALLOWED = GAUGE "kb_reindex_next_allowed_timestamp_seconds" FOLDER,
        "The end of the folder's cooldown, 0 for none; windows and budgets are not included.";
    REINDEX_BREAKER_OPEN = GAUGE "kb_reindex_breaker_open" PORTAL,
        "1 while attempts in the portal are stopped, because the last ones had no effect.";
    REINDEX_KILL_SWITCH = GAUGE "kb_reindex_kill_switch" &[],
        "1 while the file exists that stops all attempts, or cannot be looked at.";
    BUILD_INFO = GAUGE "kb_exporter_build_info" &["version", "revision", "rustc"],
        "1; the version that runs, what it was built from and with.";
    CONFIG_RELOAD_SUCCESSFUL = GAUGE "kb_exporter_config_last_reload_successful" &[],
        "1 when the configuration was usable at the last attempt to load it, 0 when not.";
    CONFIG_RELOAD_TIMESTAMP = GAUGE "kb_exporter_config_last_reload_success_timestamp_seconds" &[],
        "When the configuration in use was loaded.";
    SHARD_INFO = GAUGE "kb_exporter_shard_info" &["index", "count", "ledger"],
        "1; this process's share of the folders, and whether other processes share its ledger.";
}
