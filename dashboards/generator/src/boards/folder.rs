//! One folder in full.

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
        "One folder in full: its files, the reasons, the times, and how it is counted.",
    )
    .by_folder()
    .row("How is it?", state())
    .row("Its files", files())
    .row("The reasons", reasons())
    .row("The times", times())
    .row("How it is counted", counting::counting())
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
            "Whether the latest read could count the folder; of several, whether each was counted. When it says no: the table below has the reason; see alerts/runbook.md, KbFolderUnavailable and KbFolderLost.",
        )
        .query("counted", "min(max by (portal, folder_id) (kb_folder_up{FOLDER})) or 1 + NO_FOLDERS")
        .words(YES_NO)
        .none("not known"),
        Panel::stat(
            "Longest wait",
            "How long the longest-waiting file has been pending or processing; 0 when none waits. When it only rises: see alerts/runbook.md, KbBacklogStuck.",
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
            "Certain",
            "Whether the last count agreed with itself; of several, whether each did. While files arrive it may not; when it stays so at rest: see alerts/runbook.md, KbCountsInconsistent.",
        )
        .query("certain", "min(max by (portal, folder_id) (kb_folder_consistent{FOLDER})) or 1 + NO_FOLDERS")
        .words(&[("1", "yes", "green"), ("0", "no", "orange")])
        .none("no count"),
        Panel::stat(
            "Last counted",
            "The time since the last count; of several folders, the longest. What is older than `collect.stale_after` is withdrawn: see alerts/runbook.md, KbCollectionStale.",
        )
        .query(
            "age",
            "max(time() - max by (portal, folder_id) (kb_folder_last_success_timestamp_seconds{FOLDER})) or NO_FOLDERS",
        )
        .unit("s")
        .decimals(0)
        .none("never")
        .steps("text", &[]),
        files("Failed", "failed", "red", "Files whose processing failed. When it grows: the bars below have the reasons; see alerts/runbook.md, KbFailedSpike and KbFailedRatioHigh."),
        files("Flagged", "flagged", "purple", "Files that were set aside as suspicious. Only an administrator can release them, in the portal; see alerts/runbook.md, KbFlaggedWaiting."),
        files("Waiting", "pending|processing", "blue", "Files that are pending or processed. When it does not fall for an hour: see alerts/runbook.md, KbBacklogStuck."),
        Panel::stat(
            "Failed share",
            "Failed files among all of the folder. Above 5 %, and from twenty files on: see alerts/runbook.md, KbFailedRatioHigh.",
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
            "By status. Blue falls as the portal works; red and purple stay until somebody does something. When blue does not fall for an hour: see alerts/runbook.md, KbBacklogStuck. A gap: the files could not be counted.",
            Style::Stacked,
        )
        .query("{{status}}", &by_status("kb_folder_files", r#", status!="done""#))
        .none("no count")
        .colours(&STATUSES),
        Panel::graph(
            "Files that changed their status, a minute",
            "Files by the status that they got. Many that become failed or flagged in a short time are a spike: see alerts/runbook.md, KbFailedSpike. None at all while files wait: KbBacklogStuck.",
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
            "Files, counted and reported",
            "What the exporter counted, and the number in the portal's own list of folders. They may differ while files arrive; when they stay apart, tell those who run the portal.",
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
            "The sizes of the files added up, as of the last full read. When it falls and nobody meant it, content was deleted: restore it in the portal.",
            Style::Stacked,
        )
        .query("{{status}}", &by_status("kb_folder_size_bytes", ""))
        .unit("bytes")
        .none("no full read yet")
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
            "Failed and flagged files by class",
            "How the reasons changed; the ten classes with the most files in the time shown. One that rises alone is new trouble: see alerts/runbook.md, KbErrorClassSurge.",
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
            "Age of the oldest that waits",
            "pending|processing",
            "By status; 0 where no file waits. A line that only rises is a file that is stuck: see alerts/runbook.md, KbBacklogStuck.",
        )
        .colours(&["pending", "processing"]),
        waits(
            "Age of the oldest in trouble",
            "failed|flagged",
            "By status; 0 where there is none. Flagged files wait for an administrator: see alerts/runbook.md, KbFlaggedWaiting.",
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
