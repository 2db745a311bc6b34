//! How the folder is counted: age, consistency, duration and requests of its counts.

use super::super::super::panel::{Panel, Style};
use super::super::super::table::{column, hidden, label, table};
use super::super::{counted, top_ten, without_folders};

pub(super) fn counting() -> [Panel; 6] {
    [
        reads(),
        lines(
            "Time between counts",
            "Time between the last two counts, by folder. When it is much longer than `collect.quiet_every`, the folder waits for other folders or for the rate limit. See alerts/runbook.md, KbCollectionStale.",
        )
        .query("{{folder}}", &by_folder("kb_folder_count_interval_seconds"))
        .unit("s")
        .size(8, 8),
        lines(
            "Duration of the last count",
            "By folder. The longer a count takes, the more files change during the count. When it takes minutes, raise `collect.concurrency` or `collect.max_requests_per_second`, if the portal allows it.",
        )
        .query("{{folder}}", &by_folder("kb_folder_collection_duration_seconds"))
        .unit("s")
        .size(8, 8),
        lines(
            "Requests of the last count",
            "By folder and strategy. `full` reads every page. `sorted` reads only the files that are not done. When the requests overload the portal, increase the interval in `collect.schedule`, or lower `collect.max_requests_per_second`.",
        )
        .query("{{folder}} {{strategy}}", &requests())
        .size(8, 8),
        lines(
            "Counted and consistent",
            "Counted is 1 if the last read of the folder succeeded. Consistent is 1 if its last count was consistent. When a value is 0 or absent, do not rely on the numbers of that time. See alerts/runbook.md, KbFolderUnavailable and KbCountsInconsistent.",
        )
        .query("counted", "min(max by (portal, folder_id) (kb_folder_up{FOLDER})) or 1 + NO_FOLDERS")
        .query("consistent", "min(max by (portal, folder_id) (kb_folder_consistent{FOLDER})) or 1 + NO_FOLDERS")
        .default("max", 1)
        .decimals(0),
        lines(
            "Difference found by full scans",
            "By status: the count of a full scan minus the count by boundaries just before it. When differences occur again and again, the portal's order or its totals are wrong. Then set `collect.strategy` to `full`.",
        )
        .query("{{folder}} {{status}}", &corrections()),
    ]
}

fn lines(title: &str, description: &str) -> Panel {
    Panel::graph(title, description, Style::Lines).none("no count")
}

fn by_folder(metric: &str) -> String {
    let series = format!("{metric}{{FOLDER}}");
    top_ten(
        &format!("max by (portal, folder_id, folder) ({series})"),
        &format!("max_over_time({series}[$__range] @ end())"),
    )
}

fn requests() -> String {
    let series = "kb_folder_collection_requests{FOLDER}";
    top_ten(
        &format!("max by (portal, folder_id, folder, strategy) ({series})"),
        &format!("max_over_time({series}[$__range] @ end())"),
    )
}

/// Without any difference yet, there is a line without a value.
fn corrections() -> String {
    let series = "kb_folder_full_read_difference{FOLDER}";
    format!(
        r#"max by (portal, folder_id, folder, status) ({series}) and on (portal, folder_id) topk(10, max by (portal, folder_id) (abs(last_over_time({series}[$__range] @ end())))) or on () label_replace(UNKNOWN, "folder", "not compared yet", "", "")"#
    )
}

fn reads() -> Panel {
    let labels = [
        label("portal", "Portal").width(80).leading_to_portal(),
        label("folder", "Folder").leading_to_folder(),
        hidden("folder_id"),
        label("reason", "Reason").width(90),
    ];
    let age = |title: &'static str, metric: &str| {
        column(
            title,
            &format!("time() - max by (portal, folder_id, folder) ({metric}{{FOLDER}})"),
        )
        .seconds()
    };
    let value = |title: &'static str, metric: &str| {
        column(
            title,
            &format!("max by (portal, folder_id, folder) ({metric}{{FOLDER}})"),
        )
    };
    let columns = [
        counted(),
        value("Certain", "kb_folder_consistent")
            .words(&[("1", "yes", "green"), ("0", "no", "orange")])
            .shown_as("Consistent")
            .width(95),
        age("Age", "kb_folder_last_success_timestamp_seconds"),
        age("Full read", "kb_folder_last_full_read_timestamp_seconds").shown_as("Full scan"),
        value("Interval", "kb_folder_count_interval_seconds").seconds(),
        value("Took", "kb_folder_collection_duration_seconds")
            .seconds()
            .shown_as("Duration"),
        value("Reported", "kb_folder_reported_files").width(85),
    ];
    table(
        "Counting",
        "One row for each selected folder. When a folder is not counted, the reason shows what to do. `forbidden`: give the key the right to read. `gone` or `unlisted`: the folder was deleted or removed from the key's set. `error`: see the exporter's log.",
        &labels,
        &columns,
        "Age",
        Some(&column("Reported", &without_folders("folder"))),
    )
    .size(24, 7)
}
