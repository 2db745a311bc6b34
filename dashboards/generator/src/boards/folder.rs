//! The details of one folder.

mod counting;

use super::super::board::Board;
use super::super::panel::{Panel, Style};
use super::{YES_NO, indexing_time, without_folders};

const STATUSES: [&str; 6] = [
    "pending",
    "processing",
    "done",
    "failed",
    "flagged",
    "unknown",
];

pub(super) fn board() -> Board {
    Board::new(
        "kb-folder",
        "Folder",
        "The details of one folder: files, error classes, times, and how it is counted.",
    )
    .by_folder()
    .row("Overview", state())
    .row("Files", files())
    .row("Error classes", reasons())
    .row("Times", times())
    .row("Counting", counting::counting())
}

fn state() -> [Panel; 8] {
    let files = |title: &str, status: &str, colour: &str, description: &str| {
        let files = format!(
            r#"sum(max by (portal, folder_id, status) (kb_folder_files{{FOLDER, status=~"{status}"}})) or NO_FOLDERS"#
        );
        Panel::stat(title, description)
            .query("files", &files)
            .none("no count")
            .steps("green", &[(1.0, colour)])
    };
    [
        Panel::stat(
            "Counted",
            "Whether the last read of the folder succeeded. For several folders: whether all last reads succeeded. When it shows no, the table below shows the reason. See alerts/runbook.md, KbFolderUnavailable and KbFolderLost.",
        )
        .query("counted", "min(max by (portal, folder_id) (kb_folder_up{FOLDER})) or 1 + NO_FOLDERS")
        .words(YES_NO)
        .none("not known"),
        Panel::stat(
            "Longest wait",
            "The longest time that a file has been pending or processing. 0 if no file waits. When it only rises, see alerts/runbook.md, KbBacklogStuck.",
        )
        .query(
            "wait",
            r#"max(time() - kb_folder_oldest_file_timestamp_seconds{FOLDER, status=~"pending|processing"}) or 0 * (sum(max by (portal, folder_id, status) (kb_folder_files{FOLDER, status=~"pending|processing"})) == 0) or NO_FOLDERS"#,
        )
        .unit("s")
        .decimals(0)
        .none("not known")
        .steps("green", &[(3600.0, "orange")]),
        Panel::stat(
            "Consistent",
            "Whether the last count was consistent. For several folders: whether all last counts were consistent. While files arrive, a count may be inconsistent. When no files arrive and it still shows no, see alerts/runbook.md, KbCountsInconsistent.",
        )
        .query("consistent", "min(max by (portal, folder_id) (kb_folder_consistent{FOLDER})) or 1 + NO_FOLDERS")
        .words(&[("1", "yes", "green"), ("0", "no", "orange")])
        .none("no count"),
        Panel::stat(
            "Last counted",
            "Time since the last count. For several folders: the longest time. Counts that are older than `collect.stale_after` are withdrawn. See alerts/runbook.md, KbCollectionStale.",
        )
        .query(
            "age",
            "max(time() - max by (portal, folder_id) (kb_folder_last_success_timestamp_seconds{FOLDER})) or NO_FOLDERS",
        )
        .unit("s")
        .decimals(0)
        .none("never")
        .steps("text", &[]),
        files("Failed", "failed", "red", "Failed files. When the number grows, the table of error classes below shows why. See alerts/runbook.md, KbFailedSpike and KbFailedRatioHigh."),
        files("Flagged", "flagged", "purple", "Flagged files. Only an administrator of the portal can remove a flag. See alerts/runbook.md, KbFlaggedWaiting."),
        files("Waiting", "pending|processing", "blue", "Pending and processing files. When the number does not fall for an hour, see alerts/runbook.md, KbBacklogStuck."),
        Panel::stat(
            "Failed share",
            "Failed files as a share of all files of the folder. When it is above 5 % and at least twenty files are failed, see alerts/runbook.md, KbFailedRatioHigh.",
        )
        .query(
            "failed",
            r#"sum(max by (portal, folder_id) (kb_folder_files{FOLDER, status="failed"})) / sum(max by (portal, folder_id, status) (kb_folder_files{FOLDER})) or NO_FOLDERS / 0"#,
        )
        .unit("percentunit")
        .decimals(1)
        .none("no file known")
        .steps("green", &[(0.05, "red")]),
    ]
}

fn files() -> [Panel; 4] {
    [
        Panel::graph(
            "Files that are not done",
            "Files by status. Pending and processing files decrease while the portal works. Failed and flagged files stay until somebody acts. When pending and processing files do not decrease for an hour, see alerts/runbook.md, KbBacklogStuck. A gap means that the files could not be counted.",
            Style::Stacked,
        )
        .query("{{status}}", &by_status("kb_folder_files", r#", status!="done""#))
        .none("no count")
        .colours(&STATUSES),
        Panel::graph(
            "Status changes per minute",
            "Files by the status that they entered. When many files become failed or flagged in a short time, see alerts/runbook.md, KbFailedSpike. When no status changes although files wait, see KbBacklogStuck.",
            Style::Bars,
        )
        .query(
            "{{status}}",
            &format!(
                "60 * sum by (status) (max by (portal, folder_id, status) (rate(kb_folder_status_entries_total{{FOLDER}}[$__rate_interval]))) or on () {}",
                without_folders("status")
            ),
        )
        .none("no count")
        .colours(&STATUSES),
        Panel::graph(
            "Counted and reported files",
            "Files that the exporter counted, and the number of files in the portal's list of folders. The numbers may differ while files arrive. When they differ all the time, contact the portal's operators.",
            Style::Lines,
        )
        .query(
            "counted",
            "sum(max by (portal, folder_id, status) (kb_folder_files{FOLDER})) or NO_FOLDERS",
        )
        .query(
            "reported",
            "sum(max by (portal, folder_id) (kb_folder_reported_files{FOLDER})) or NO_FOLDERS",
        )
        .none("no count"),
        Panel::graph(
            "Size by status",
            "Total size of the files, from the last full scan. When the size falls and nobody planned that, files were deleted. Restore them in the portal.",
            Style::Stacked,
        )
        .query("{{status}}", &by_status("kb_folder_size_bytes", ""))
        .unit("bytes")
        .none("no full scan yet")
        .colours(&STATUSES),
    ]
}

fn by_status(metric: &str, more: &str) -> String {
    format!(
        "sum by (status) (max by (portal, folder_id, status) ({metric}{{FOLDER{more}}})) or on () {}",
        without_folders("status")
    )
}

fn reasons() -> [Panel; 2] {
    [
        super::reasons(),
        Panel::graph(
            "Failed and flagged files by error class",
            "Files of the ten error classes with the most files in the selected time range. When a single class grows, see alerts/runbook.md, KbErrorClassSurge.",
            Style::Lines,
        )
        .query("{{error}}", &class_history())
        .none("no count")
        .size(24, 9),
    ]
}

fn class_history() -> String {
    let files = "kb_folder_file_errors{FOLDER}";
    format!(
        r#"sum by (error) (max by (portal, folder_id, status, error) ({files})) and on (error) topk(10, sum by (error) (max by (portal, folder_id, status, error) (max_over_time({files}[$__range] @ end())))) or label_replace(sum(max by (portal, folder_id, status) (kb_folder_files{{FOLDER, status=~"failed|flagged"}})) == 0, "error", "no failed or flagged file", "", "") or on () {}"#,
        without_folders("error")
    )
}

fn times() -> [Panel; 3] {
    [
        indexing_time()
        .size(8, 8),
        waits(
            "Age of the oldest waiting file",
            "pending|processing",
            "By status. 0 if no file waits. When a line only rises, a file is stuck. See alerts/runbook.md, KbBacklogStuck.",
        )
        .colours(&["pending", "processing"]),
        waits(
            "Age of the oldest failed or flagged file",
            "failed|flagged",
            "By status. 0 if there is no such file. Flagged files wait for an administrator. See alerts/runbook.md, KbFlaggedWaiting.",
        )
        .colours(&["failed", "flagged"]),
    ]
}

fn waits(title: &str, statuses: &str, description: &str) -> Panel {
    let query = format!(
        r#"max by (status) (time() - kb_folder_oldest_file_timestamp_seconds{{FOLDER, status=~"{statuses}"}}) or 0 * (sum by (status) (max by (portal, folder_id, status) (kb_folder_files{{FOLDER, status=~"{statuses}"}})) == 0) or on () {}"#,
        without_folders("status")
    );
    Panel::graph(title, description, Style::Lines)
        .query("{{status}}", &query)
        .unit("s")
        .none("no count")
        .size(8, 8)
}
