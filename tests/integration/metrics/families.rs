//! The families as the contract has them, written down a second time: the program's own list is not asked.

/// One family.
pub(super) struct Family {
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    pub(super) labels: &'static [&'static str],
}

const fn family(name: &'static str, kind: &'static str, labels: &'static [&'static str]) -> Family {
    Family { name, kind, labels }
}

const PORTAL: &[&str] = &["portal"];
const PORTAL_ENDPOINT: &[&str] = &["portal", "endpoint"];
const FOLDER: &[&str] = &["portal", "folder_id", "folder"];
const FOLDER_STATUS: &[&str] = &["portal", "folder_id", "folder", "status"];
const FOLDER_ERROR: &[&str] = &["portal", "folder_id", "folder", "status", "error"];
const FOLDER_REASON: &[&str] = &["portal", "folder_id", "folder", "reason"];
const FOLDER_MODE: &[&str] = &["portal", "folder_id", "folder", "mode"];
const FOLDER_RESULT: &[&str] = &["portal", "folder_id", "folder", "result"];
const FOLDER_OUTCOME: &[&str] = &["portal", "folder_id", "folder", "outcome"];
const FOLDER_STRATEGY: &[&str] = &["portal", "folder_id", "folder", "strategy"];

/// Every family that there is.
pub(super) const FAMILIES: &[Family] = &[
    family("kb_folder_files", "gauge", FOLDER_STATUS),
    family("kb_folder_file_errors", "gauge", FOLDER_ERROR),
    family("kb_folder_size_bytes", "gauge", FOLDER_STATUS),
    family("kb_folder_reported_files", "gauge", FOLDER),
    family(
        "kb_folder_oldest_file_timestamp_seconds",
        "gauge",
        FOLDER_STATUS,
    ),
    family("kb_folder_status_entries_total", "counter", FOLDER_STATUS),
    family("kb_folder_indexing_seconds", "histogram", FOLDER),
    family("kb_folder_up", "gauge", FOLDER),
    family("kb_folder_count_interval_seconds", "gauge", FOLDER),
    family(
        "kb_folder_last_full_read_timestamp_seconds",
        "gauge",
        FOLDER,
    ),
    family("kb_folder_unavailable", "gauge", FOLDER_REASON),
    family("kb_folder_last_success_timestamp_seconds", "gauge", FOLDER),
    family("kb_folder_collection_duration_seconds", "gauge", FOLDER),
    family("kb_folder_collection_requests", "gauge", FOLDER_STRATEGY),
    family("kb_folder_consistent", "gauge", FOLDER),
    family("kb_portal_up", "gauge", PORTAL),
    family("kb_portal_unavailable", "gauge", &["portal", "reason"]),
    family("kb_portal_folders", "gauge", PORTAL),
    family("kb_portal_sorting", "gauge", &["portal", "state"]),
    family(
        "kb_portal_requests_total",
        "counter",
        &["portal", "endpoint", "code"],
    ),
    family(
        "kb_portal_request_duration_seconds",
        "histogram",
        PORTAL_ENDPOINT,
    ),
    family(
        "kb_portal_retries_total",
        "counter",
        &["portal", "endpoint", "reason"],
    ),
    family("kb_portal_throttle_seconds_total", "counter", PORTAL),
    family(
        "kb_collection_last_success_timestamp_seconds",
        "gauge",
        PORTAL,
    ),
    family("kb_collection_last_run_timestamp_seconds", "gauge", PORTAL),
    family("kb_collection_duration_seconds", "gauge", PORTAL),
    family("kb_collection_runs_total", "counter", &["portal", "result"]),
    family("kb_collection_interval_seconds", "gauge", PORTAL),
    family("kb_collection_panics_total", "counter", PORTAL),
    family("kb_error_classes", "gauge", PORTAL),
    family("kb_error_overflow_files", "gauge", PORTAL),
    family("kb_reindex_mode", "gauge", FOLDER_MODE),
    family("kb_reindex_eligible_files", "gauge", FOLDER),
    family("kb_reindex_hold", "gauge", FOLDER_REASON),
    family(
        "kb_reindex_decisions_total",
        "counter",
        &["portal", "decision", "reason"],
    ),
    family("kb_reindex_attempts_total", "counter", FOLDER_RESULT),
    family("kb_reindex_files_requeued_total", "counter", FOLDER),
    family("kb_reindex_outcomes_total", "counter", FOLDER_OUTCOME),
    family("kb_reindex_files_recovered_total", "counter", FOLDER),
    family("kb_reindex_files_refailed_total", "counter", FOLDER),
    family("kb_reindex_exhausted_files", "gauge", FOLDER),
    family("kb_reindex_budget_remaining", "gauge", &["portal", "kind"]),
    family("kb_reindex_next_allowed_timestamp_seconds", "gauge", FOLDER),
    family("kb_reindex_breaker_open", "gauge", PORTAL),
    family("kb_reindex_kill_switch", "gauge", &[]),
    family(
        "kb_exporter_build_info",
        "gauge",
        &["version", "revision", "rustc"],
    ),
    family("kb_exporter_config_last_reload_successful", "gauge", &[]),
    family(
        "kb_exporter_config_last_reload_success_timestamp_seconds",
        "gauge",
        &[],
    ),
    family(
        "kb_exporter_web_config_last_reload_successful",
        "gauge",
        &[],
    ),
    family(
        "kb_exporter_shard_info",
        "gauge",
        &["index", "count", "replicas", "ledger"],
    ),
    family("kb_state_writable", "gauge", &["store"]),
    family("process_cpu_seconds_total", "counter", &[]),
    family("process_max_fds", "gauge", &[]),
    family("process_open_fds", "gauge", &[]),
    family("process_resident_memory_bytes", "gauge", &[]),
    family("process_start_time_seconds", "gauge", &[]),
    family("process_threads", "gauge", &[]),
    family("process_virtual_memory_bytes", "gauge", &[]),
];
