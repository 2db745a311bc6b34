//! The state of all folders, their problems, and recent changes.

use super::super::board::Board;
use super::super::panel::{Panel, Style};
use super::super::table::{Column, column, hidden, label, table};
use super::{counted, indexing_time, reasons, top_ten, without_folders};

pub(super) fn board() -> Board {
    Board::new(
        "kb-knowledge-base",
        "Knowledge base",
        "The state of all folders, their problems, and recent changes.",
    )
    .row("Overview", health())
    .row("Problems", trouble())
    .row("Changes", changes())
    .row("Times", times())
}

fn health() -> [Panel; 8] {
    [
        Panel::stat(
            "Portals not read",
            "Portals whose list of folders could not be read. When above 0, the dashboard Exporter shows the reason. See alerts/runbook.md, KbPortalDown, KbKeyRejected and KbAddressRefused.",
        )
        .query("portals", "sum(1 - max by (portal) (kb_portal_up{PORTAL}))")
        .none("no exporter")
        .steps("green", &[(1.0, "red")]),
        Panel::stat(
            "Folders not counted",
            "Folders whose last read failed. When above 0, they are the first rows of the table below, with the reason. See alerts/runbook.md, KbFolderUnavailable and KbFolderLost.",
        )
        .query("folders", "sum(1 - max by (portal, folder_id) (kb_folder_up{FOLDER})) or NO_FOLDERS")
        .none("not known")
        .steps("green", &[(1.0, "red")]),
        Panel::stat(
            "Collections overdue",
            "Portals of each exporter without a successful collection for three intervals plus the duration of the last collection. When above 0, some counts are old. See alerts/runbook.md, KbCollectionStale.",
        )
        .query(
            "collections",
            "sum(time() - kb_collection_last_success_timestamp_seconds{PORTAL} > bool 3 * kb_collection_interval_seconds{PORTAL} + kb_collection_duration_seconds{PORTAL}) or UNKNOWN",
        )
        .none("not known")
        .steps("green", &[(1.0, "orange")]),
        Panel::stat(
            "Inconsistent counts",
            "Folders whose last count was inconsistent. This is normal while files arrive. When no files arrive and the number stays above 0, see alerts/runbook.md, KbCountsInconsistent.",
        )
        .query("folders", "sum(1 - max by (portal, folder_id) (kb_folder_consistent{FOLDER})) or NO_FOLDERS")
        .none("no count")
        .steps("green", &[(1.0, "orange")]),
        files("Failed", "failed", "red", "Failed files. When the number grows, the tables below show the folders and the error classes. See alerts/runbook.md, KbFailedSpike."),
        files("Flagged", "flagged", "purple", "Flagged files. Only an administrator of the portal can remove a flag. See alerts/runbook.md, KbFlaggedWaiting."),
        files("Waiting", "pending|processing", "blue", "Pending and processing files. When the number does not fall for an hour, see alerts/runbook.md, KbBacklogStuck."),
        files("Done", "done", "green", "Processed files. When the number falls and nobody deletes files, check whether a folder is missing in the table below."),
    ]
}

fn files(title: &str, status: &str, colour: &str, description: &str) -> Panel {
    let files = format!(
        r#"sum(max by (portal, folder_id, status) (kb_folder_files{{FOLDER, status=~"{status}"}})) or NO_FOLDERS"#
    );
    // A value of 0 is green if more than 0 is a warning.
    let (zero, some) = if colour == "green" {
        ("text", "green")
    } else {
        ("green", colour)
    };
    Panel::stat(title, description)
        .query("files", &files)
        .none("no count")
        .steps(zero, &[(1.0, some)])
}

fn trouble() -> [Panel; 2] {
    [folders(), reasons()]
}

fn folders() -> Panel {
    let labels = [
        label("portal", "Portal").width(75).leading_to_portal(),
        label("folder", "Folder").leading_to_folder(),
        hidden("folder_id"),
        label("reason", "Reason").width(90),
    ];
    let count = |title: &'static str, status: &str| {
        column(
            title,
            &format!(
                r#"sum by (portal, folder_id, folder) (max by (portal, folder_id, folder, status) (kb_folder_files{{FOLDER, status=~"{status}"}}))"#
            ),
        )
    };
    let since = |title: &'static str, status: &str| {
        let age = format!(
            r#"max by (portal, folder_id, folder) (time() - kb_folder_oldest_file_timestamp_seconds{{FOLDER, status=~"{status}"}})"#
        );
        column(title, &age).seconds()
    };
    let columns = [
        counted(),
        count("Failed", "failed").bar("failed"),
        share().share().width(75),
        count("Flagged", "flagged").bar("flagged"),
        since("Since", "flagged"),
        count("Waiting", "pending|processing").bar("pending"),
        since("Waits for", "pending|processing"),
        count("Files", ".+").width(70),
        order(),
    ];
    table(
        "Folders, sorted by problems",
        "One row for each folder. Folders that cannot be counted are first, then the folders with the most failed and flagged files. An empty cell means that the value is not known, or that no file waits. When folders have failed or flagged files, start with the longest bars; the name of a folder links to its dashboard.",
        &labels,
        &columns,
        "Order",
        Some(&column("Files", &without_folders("folder"))),
    )
    .size(24, 12)
}

fn share() -> Column {
    column(
        "Failed %",
        r#"sum by (portal, folder_id, folder) (max by (portal, folder_id, folder, status) (kb_folder_files{FOLDER, status="failed"})) / (sum by (portal, folder_id, folder) (max by (portal, folder_id, folder, status) (kb_folder_files{FOLDER})) > 0)"#,
    )
}

/// The value by which the rows are sorted.
fn order() -> Column {
    column(
        "Order",
        r#"1e9 * (1 - max by (portal, folder_id, folder) (kb_folder_up{FOLDER})) + (sum by (portal, folder_id, folder) (max by (portal, folder_id, folder, status) (kb_folder_files{FOLDER, status=~"failed|flagged"})) or 0 * max by (portal, folder_id, folder) (kb_folder_up{FOLDER}))"#,
    )
    .hidden()
}

fn changes() -> [Panel; 6] {
    let minute = |status: &str| {
        format!(
            r#"60 * sum by (status) (max by (portal, folder_id, status) (rate(kb_folder_status_entries_total{{FOLDER, status=~"{status}"}}[$__rate_interval]))) or on () {}"#,
            without_folders("status")
        )
    };
    [
        Panel::graph(
            "New failed and flagged files per minute",
            "Files that became failed or flagged. When there is a peak, the next panel shows the folder. See alerts/runbook.md, KbFailedSpike and KbFlaggedSpike.",
            Style::Bars,
        )
        .query("{{status}}", &minute("failed|flagged"))
        .none("no count")
        .colours(&["failed", "flagged"]),
        Panel::graph(
            "New failed and flagged files per minute, by folder",
            "The ten folders with the most new failed and flagged files in the selected time range. When only one folder is affected, check its latest uploads. When all folders are affected, check the portal and the services that it uses.",
            Style::Bars,
        )
        .query("{{folder}}", &new_by_folder())
        .none("no count"),
        Panel::graph(
            "New pending and done files per minute",
            "Files that arrive and files that are finished. When pending stays above done, the backlog grows. Check the panel Waiting, and see alerts/runbook.md, KbBacklogStuck.",
            Style::Lines,
        )
        .query("{{status}}", &minute("pending|done"))
        .none("no count")
        .colours(&["pending", "done"]),
        Panel::graph(
            "Files that are not done",
            "Files by status. Pending and processing files decrease while the portal works. Failed and flagged files stay until somebody acts. When pending and processing files do not decrease for an hour, see alerts/runbook.md, KbBacklogStuck. A gap means that the files could not be counted.",
            Style::Stacked,
        )
        .query(
            "{{status}}",
            &format!(
                r#"sum by (status) (max by (portal, folder_id, status) (kb_folder_files{{FOLDER, status!="done"}})) or on () {}"#,
                without_folders("status")
            ),
        )
        .none("no count")
        .colours(&["pending", "processing", "failed", "flagged", "unknown"]),
        by_folder("Failed files by folder", "failed", "The ten folders with the most failed files in the selected time range. When a line has a step upwards, many files failed at once. Open the dashboard of the folder to see the error classes. When a line ends, the folder is no longer counted."),
        by_folder("Flagged files by folder", "flagged", "The ten folders with the most flagged files in the selected time range. The number falls only when an administrator of the portal decides on these files."),
    ]
}

fn new_by_folder() -> String {
    let entries = r#"kb_folder_status_entries_total{FOLDER, status=~"failed|flagged"}"#;
    top_ten(
        &format!(
            "60 * sum by (portal, folder_id, folder) (max by (portal, folder_id, folder, status) (rate({entries}[$__rate_interval])))"
        ),
        &format!("increase({entries}[$__range] @ end())"),
    )
}

fn by_folder(title: &str, status: &str, description: &str) -> Panel {
    let files = format!(r#"kb_folder_files{{FOLDER, status="{status}"}}"#);
    let query = top_ten(
        &format!("max by (portal, folder_id, folder) ({files})"),
        &format!("max_over_time({files}[$__range] @ end())"),
    );
    Panel::graph(title, description, Style::Lines)
        .query("{{folder}}", &query)
        .none("no count")
}

fn times() -> [Panel; 2] {
    [
        Panel::graph(
            "Age of the backlog by folder",
            "The longest time that a file of the folder has been pending or processing; 0 if no file waits. The panel shows the ten folders with the longest times in the selected time range. When a line only rises, a file is stuck. See alerts/runbook.md, KbBacklogStuck.",
            Style::Lines,
        )
        .query("{{folder}}", &backlog_age())
        .unit("s")
        .none("no count"),
        indexing_time(),
    ]
}

fn backlog_age() -> String {
    let oldest = r#"kb_folder_oldest_file_timestamp_seconds{FOLDER, status=~"pending|processing"}"#;
    let nothing_waits = r#"0 * (sum by (portal, folder_id, folder) (max by (portal, folder_id, folder, status) (kb_folder_files{FOLDER, status=~"pending|processing"})) == 0)"#;
    format!(
        "(max by (portal, folder_id, folder) (time() - {oldest}) or {nothing_waits}) and on (portal, folder_id) (topk(10, max by (portal, folder_id) (time() - min_over_time({oldest}[$__range] @ end()))) or topk(10, max by (portal, folder_id) (kb_folder_up{{FOLDER}} @ end()))) or on () {}",
        without_folders("folder")
    )
}
