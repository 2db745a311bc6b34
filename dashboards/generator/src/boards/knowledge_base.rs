//! Is the knowledge base healthy, what is in trouble, what changed?

use super::super::board::Board;
use super::super::panel::{Panel, Style};
use super::super::table::{Column, column, hidden, label, table};
use super::{counted, indexing_time, reasons, top_ten, without_folders};

pub(super) fn board() -> Board {
    Board::new(
        "kb-knowledge-base",
        "Knowledge base",
        "Is the knowledge base healthy, what is in trouble, what changed?",
    )
    .row("Is it healthy?", health())
    .row("What is in trouble?", trouble())
    .row("What changed?", changes())
    .row("How long does it take?", times())
}

fn health() -> [Panel; 8] {
    [
        Panel::stat(
            "Portals not read",
            "Portals whose list of folders could not be read. When above 0: see alerts/runbook.md, KbPortalDown, KbKeyRejected and KbAddressRefused; the reason is on the dashboard Exporter.",
        )
        .query("portals", "sum(1 - max by (portal) (kb_portal_up{PORTAL}))")
        .none("no exporter")
        .steps("green", &[(1.0, "red")]),
        Panel::stat(
            "Folders not counted",
            "Folders whose latest read could not count them. When above 0: they come first in the table below, with the reason; see alerts/runbook.md, KbFolderUnavailable and KbFolderLost.",
        )
        .query("folders", "sum(1 - max by (portal, folder_id) (kb_folder_up{FOLDER})) or NO_FOLDERS")
        .none("not known")
        .steps("green", &[(1.0, "red")]),
        Panel::stat(
            "Collections overdue",
            "Exporters and portals without a whole collection for three intervals and the last one's duration. When above 0, some numbers are old: see alerts/runbook.md, KbCollectionStale.",
        )
        .query(
            "collections",
            "sum(time() - kb_collection_last_success_timestamp_seconds{PORTAL} > bool 3 * kb_collection_interval_seconds{PORTAL} + kb_collection_duration_seconds{PORTAL}) or UNKNOWN",
        )
        .none("not known")
        .steps("green", &[(1.0, "orange")]),
        Panel::stat(
            "Uncertain counts",
            "Folders whose last count did not agree with itself. Some are usual while files arrive; when it stays above 0 at rest: see alerts/runbook.md, KbCountsInconsistent.",
        )
        .query("folders", "sum(1 - max by (portal, folder_id) (kb_folder_consistent{FOLDER})) or NO_FOLDERS")
        .none("no count")
        .steps("green", &[(1.0, "orange")]),
        files("Failed", "failed", "red", "Files whose processing failed. When it grows: the table below names the folders, the bars their reasons; see alerts/runbook.md, KbFailedSpike."),
        files("Flagged", "flagged", "purple", "Files that were set aside as suspicious. Only an administrator can release them, in the portal; see alerts/runbook.md, KbFlaggedWaiting."),
        files("Waiting", "pending|processing", "blue", "Files that are pending or processed. When it does not fall for an hour: see alerts/runbook.md, KbBacklogStuck."),
        files("Done", "done", "green", "Files that answers can be found in. When it falls and nobody deletes files, check whether a folder is missing in the table below."),
    ]
}

fn files(title: &str, status: &str, colour: &str, description: &str) -> Panel {
    let files = format!(
        r#"sum(max by (portal, folder_id, status) (kb_folder_files{{FOLDER, status=~"{status}"}})) or NO_FOLDERS"#
    );
    // None of a colour that warns of something is no reason to warn.
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
        label("reason", "Why not").width(90),
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
        "Folders, the worst first",
        "One row for each folder: first what cannot be counted, then by failed and flagged files. A cell without a number is not known, or nothing waits. When something is there: begin with the long bars; the folder's name leads to its dashboard.",
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

/// What the rows are sorted by.
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
            "New failed and flagged files a minute",
            "Files that became failed or flagged. When a peak stands out: the folder is in the graph beside; see alerts/runbook.md, KbFailedSpike and KbFlaggedSpike.",
            Style::Bars,
        )
        .query("{{status}}", &minute("failed|flagged"))
        .none("no count")
        .colours(&["failed", "flagged"]),
        Panel::graph(
            "New failed and flagged files a minute, by folder",
            "The ten folders with the most of them in the time shown. When it is one folder alone: check its latest uploads. When it is all at once: check the portal and what it works with.",
            Style::Bars,
        )
        .query("{{folder}}", &new_by_folder())
        .none("no count"),
        Panel::graph(
            "Files that become pending and done, a minute",
            "What arrives and what is finished. When the first stays above the second, files wait longer and longer: see Waiting, and alerts/runbook.md, KbBacklogStuck.",
            Style::Lines,
        )
        .query("{{status}}", &minute("pending|done"))
        .none("no count")
        .colours(&["pending", "done"]),
        Panel::graph(
            "Files that are not done",
            "By status. Blue falls as the portal works; red and purple stay until somebody does something. When blue does not fall for an hour: see alerts/runbook.md, KbBacklogStuck. A gap: the files could not be counted.",
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
        by_folder("Failed files by folder", "failed", "The ten folders with the most failed files in the time shown. When a line makes a step upwards, many files failed at once: open the folder for the reasons. When it ends, the folder is no longer counted."),
        by_folder("Flagged files by folder", "flagged", "The ten folders with the most flagged files in the time shown. They fall only when an administrator decides, in the portal."),
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
            "How long the longest-waiting file of a folder has waited; 0 where none waits. The ten folders with the longest wait in the time shown. A line that only rises is a file that is stuck: see alerts/runbook.md, KbBacklogStuck.",
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
