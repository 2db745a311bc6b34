//! How the folder is counted: what a number of it is worth, and what it costs.

use super::super::super::panel::{Panel, Style};
use super::super::super::table::{column, hidden, label, table};
use super::super::{counted, top_ten, without_folders};

pub(super) fn counting() -> [Panel; 6] {
    [
        reads(),
        lines(
            "Time between counts",
            "When it is much longer than `collect.schedule`, the folder has to wait for others or for the rate limit: see alerts/runbook.md, KbCollectionStale.",
        )
        .query("{{folder}}", &by_folder("kb_folder_count_interval_seconds"))
        .unit("s")
        .size(8, 8),
        lines(
            "Time that a count took",
            "The longer it takes, the more files move meanwhile, and the less certain a count is. When it takes minutes: raise `collect.concurrency` or `collect.max_requests_per_second`, if the portal bears it.",
        )
        .query("{{folder}}", &by_folder("kb_folder_collection_duration_seconds"))
        .unit("s")
        .size(8, 8),
        lines(
            "Requests that a count took",
            "`full` reads every page, `sorted` only what is not done. When it is too much for the portal: make `collect.schedule` longer, or lower `collect.max_requests_per_second`.",
        )
        .query("{{folder}} {{strategy}}", &requests())
        .size(8, 8),
        lines(
            "Counted, and certain",
            "1 while the latest read of the folder counted it, and while the count agreed with itself. When it is 0, or there is a gap, do not rely on the numbers of that time; see alerts/runbook.md, KbFolderUnavailable and KbCountsInconsistent.",
        )
        .query("counted", "min(max by (portal, folder_id) (kb_folder_up{FOLDER})) or 1 + NO_FOLDERS")
        .query("certain", "min(max by (portal, folder_id) (kb_folder_consistent{FOLDER})) or 1 + NO_FOLDERS")
        .default("max", 1)
        .decimals(0),
        lines(
            "What full reads corrected",
            "By status: a full read's count less the one that `sorted` gave just before. When they stay, the portal's order or totals cannot be relied on: set `collect.strategy` to `full`.",
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

/// Where no full read followed a sorted one yet, there is a line without a value.
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
        label("reason", "Why not").width(90),
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
            .width(75),
        age("Age", "kb_folder_last_success_timestamp_seconds"),
        age("Full read", "kb_folder_last_full_read_timestamp_seconds"),
        value("Interval", "kb_folder_count_interval_seconds").seconds(),
        value("Took", "kb_folder_collection_duration_seconds").seconds(),
        value("Reported", "kb_folder_reported_files").width(85),
    ];
    table(
        "Counting",
        "One row for each folder that is chosen. When a folder is not counted: `forbidden`, give the key the right to read; `gone` or `unlisted`, it was deleted or taken from the key; `error`, see the exporter's log.",
        &labels,
        &columns,
        "Age",
        Some(&column("Reported", &without_folders("folder"))),
    )
    .size(24, 7)
}
