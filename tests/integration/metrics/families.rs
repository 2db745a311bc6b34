//! The families as the contract has them, written down a second time: the program's own list is not asked.

/// One family.
pub(super) struct Family {
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    pub(super) labels: Vec<&'static str>,
}

/// Every family that there is: its name, kind and labels. F stands for the labels of a folder.
const FAMILIES: &str = "
    kb_folder_files gauge F status
    kb_folder_file_errors gauge F status error
    kb_folder_size_bytes gauge F status
    kb_folder_reported_files gauge F
    kb_folder_oldest_file_timestamp_seconds gauge F status
    kb_folder_status_entries_total counter F status
    kb_folder_indexing_seconds histogram F
    kb_folder_up gauge F
    kb_folder_count_interval_seconds gauge F
    kb_folder_last_full_read_timestamp_seconds gauge F
    kb_folder_unavailable gauge F reason
    kb_folder_last_success_timestamp_seconds gauge F
    kb_folder_collection_duration_seconds gauge F
    kb_folder_collection_requests gauge F strategy
    kb_folder_consistent gauge F
    kb_portal_active gauge portal
    kb_portal_up gauge portal
    kb_portal_unavailable gauge portal reason
    kb_portal_folders gauge portal
    kb_portal_folders_unwatched gauge portal reason
    kb_portal_sorting gauge portal state
    kb_portal_requests_total counter portal endpoint code
    kb_portal_request_duration_seconds histogram portal endpoint
    kb_portal_retries_total counter portal endpoint reason
    kb_portal_throttle_seconds_total counter portal
    kb_collection_last_success_timestamp_seconds gauge portal
    kb_collection_last_run_timestamp_seconds gauge portal
    kb_collection_duration_seconds gauge portal
    kb_collection_runs_total counter portal result
    kb_collection_interval_seconds gauge portal
    kb_collection_panics_total counter portal
    kb_error_classes gauge portal
    kb_error_overflow_files gauge portal
    kb_reindex_mode gauge F mode
    kb_reindex_eligible_files gauge F
    kb_reindex_hold gauge F reason
    kb_reindex_decisions_total counter portal decision reason
    kb_reindex_attempts_total counter F result
    kb_reindex_files_requeued_total counter F
    kb_reindex_outcomes_total counter F outcome
    kb_reindex_files_recovered_total counter F
    kb_reindex_files_refailed_total counter F
    kb_reindex_exhausted_files gauge F
    kb_reindex_budget_remaining_files gauge portal
    kb_reindex_next_allowed_timestamp_seconds gauge F
    kb_reindex_kill_switch gauge
    kb_exporter_build_info gauge version revision rustc
    kb_exporter_config_last_reload_successful gauge
    kb_exporter_config_last_reload_success_timestamp_seconds gauge
    kb_exporter_web_config_last_reload_successful gauge
    kb_exporter_web_config_last_reload_success_timestamp_seconds gauge
    kb_exporter_http_requests_total counter handler code
    kb_state_writable gauge store
    kb_state_write_duration_seconds histogram store
    process_cpu_seconds_total counter
    process_max_fds gauge
    process_open_fds gauge
    process_resident_memory_bytes gauge
    process_start_time_seconds gauge
    process_threads gauge
    process_virtual_memory_bytes gauge";

pub(super) fn families() -> impl Iterator<Item = Family> {
    let label = |word| match word {
        "F" => vec!["portal", "folder_id", "folder"],
        label => vec![label],
    };
    FAMILIES.trim().lines().map(move |line| {
        let mut words = line.split_whitespace();
        Family {
            name: words.next().unwrap(),
            kind: words.next().unwrap(),
            labels: words.flat_map(label).collect(),
        }
    })
}
