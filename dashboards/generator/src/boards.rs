//! The four dashboards, and the queries and panels that they share.

mod exporter;
mod folder;
mod knowledge_base;
mod reindexing;

use super::board::Board;
use super::panel::{Panel, Style};
use super::table::{Column, column, label, table};

/// Every dashboard, in the order in which they are linked.
pub(super) fn all() -> [Board; 4] {
    [
        knowledge_base::board(),
        folder::board(),
        reindexing::board(),
        exporter::board(),
    ]
}

/// Yes is good, no is bad.
const YES_NO: &[(&str, &str, &str)] = &[("1", "yes", "green"), ("0", "no", "red")];

/// No is good, yes is bad.
const ON_OFF: &[(&str, &str, &str)] = &[("0", "no", "green"), ("1", "yes", "red")];

/// A series by folder, limited to the ten folders with the highest `weight` in the selected time range.
fn top_ten(series: &str, weight: &str) -> String {
    format!(
        "{series} and on (portal, folder_id) topk(10, max by (portal, folder_id) ({weight})) or on () {}",
        without_folders("folder")
    )
}

/// The series that is shown if there are no folders. Its name says whether there are none, or whether they are not known.
fn without_folders(label: &str) -> String {
    let named =
        |word: &str, name: &str| format!(r#"label_replace({word}, "{label}", "{name}", "", "")"#);
    let (empty, unknown) = (named("EMPTY", "no folder"), named("UNKNOWN", "not known"));
    format!("({empty} or on () {unknown})")
}

/// The error classes of failed and flagged files, those with the most files first.
fn reasons() -> Panel {
    let of = |status: &str| {
        format!(
            r#"sum by (error) (max by (portal, folder_id, status, error) (kb_folder_file_errors{{FOLDER, status=~"{status}"}}))"#
        )
    };
    // A class of failed files may have no flagged files, and vice versa.
    let of_all = |status: &str| format!("({} or 0 * {})", of(status), of("failed|flagged"));
    let none = format!(
        r#"label_replace(sum(max by (portal, folder_id, status) (kb_folder_files{{FOLDER, status=~"failed|flagged"}})) == 0, "error", "no failed or flagged file", "", "") or on () {}"#,
        without_folders("error")
    );
    table(
        "Error classes",
        "Failed and flagged files by error class. When one class has far more files than the others, repair its cause, and then reindex the files. See alerts/runbook.md, KbErrorClassSurge. `kb-exporter scan` shows an example of each class.",
        &[label("error", "Error class")],
        &[
            column("Failed", &of_all("failed")).bar("failed").width(180),
            column("Flagged", &of_all("flagged")).bar("flagged").width(180),
            column("Order", &of("failed|flagged")).hidden(),
        ],
        "Order",
        Some(&column("Failed", &format!("({none})"))),
    )
    .size(24, 9)
}

/// Whether any exporter counts the folder. If not, the label `reason` has the reason.
fn counted() -> Column {
    let by = "max by (portal, folder_id, folder";
    let up = format!("{by}) (kb_folder_up{{FOLDER}})");
    let expression = format!(
        "(({by}, reason) (kb_folder_unavailable{{FOLDER}}) - 1) and on (portal, folder_id, folder) {up} == 0) or on (portal, folder_id, folder) {up}"
    );
    column("Counted", &expression).words(YES_NO).width(80)
}

/// The time from the upload of a file until it is indexed.
fn indexing_time() -> Panel {
    Panel::graph(
        "Time from upload to indexed",
        "Half of the files, and nine in ten files, took no longer than this. The buckets of the histogram limit the precision. When the time is above an hour, see alerts/runbook.md, KbIndexingSlow. A gap means that no new file became done.",
        Style::Lines,
    )
    .query("nine in ten", &indexing_quantile("0.9"))
    .query("half", &indexing_quantile("0.5"))
    .unit("s")
    .none("no file became done")
    .colours(&["nine in ten", "half"])
}

/// A quantile of the time from upload to indexed. Before its first observation, a histogram has no series.
fn indexing_quantile(quantile: &str) -> String {
    format!(
        r#"histogram_quantile({quantile}, sum by (le) (max by (portal, folder_id, le) (rate(kb_folder_indexing_seconds_bucket{{FOLDER}}[$__rate_interval]))) or label_replace(0 * sum(kb_portal_up{{PORTAL}}), "le", "+Inf", "", ""))"#
    )
}

/// Series that each shard has for its own folders, with the shard. Several exporters may be the same shard.
fn by_shard(series: &str) -> String {
    format!("{series} * on (job, instance) group_left (index, count) kb_exporter_shard_info{{OWN}}")
}
