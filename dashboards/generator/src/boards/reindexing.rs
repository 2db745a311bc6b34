//! Reindexing: decisions, attempts, outcomes and budget.

use super::super::board::Board;
use super::super::panel::{Panel, Style};
use super::super::table::{column, hidden, label, table};
use super::{ON_OFF, by_shard, without_folders};

const OFF: &str = "off or not known";

pub(super) fn board() -> Board {
    Board::new(
        "kb-reindexing",
        "Reindexing",
        "Reindexing of failed files: decisions, attempts, outcomes and budget.",
    )
    .by_folder()
    .row("Overview", policy())
    .row("Decisions", decisions())
    .row("Attempts", attempts())
    .row("Error classes", classes())
    .row("Budget", budget())
}

fn policy() -> [Panel; 8] {
    [
        Panel::stat(
            "Kill switch on",
            "Whether the kill switch file exists or cannot be checked. Then no attempt is made. When it shows yes and nobody planned that, remove the file that `reindex.kill_switch_file` names.",
        )
        .query("stopped", "max(kb_reindex_kill_switch{OWN})")
        .words(ON_OFF)
        .none("no exporter")
        .size(5, 3),
        Panel::stat(
            "Breaker open",
            "Whether the breaker of a portal has stopped all attempts because the last attempts had no effect. When it shows yes, repair the cause of the failures. See alerts/runbook.md, KbReindexBreakerOpen.",
        )
        .query("open", "max(kb_reindex_breaker_open{PORTAL})")
        .words(ON_OFF)
        .none("no exporter")
        .size(5, 3),
        Panel::stat(
            "Eligible files",
            "Failed files that an attempt may help now. When there are such files for a day and no attempt is made, the table below shows the reason. See alerts/runbook.md, KbReindexSuppressed.",
        )
        .query("files", &sum("kb_reindex_eligible_files"))
        .none(OFF)
        .steps("green", &[(1.0, "blue")])
        .size(4, 3),
        Panel::stat(
            "Exhausted files",
            "Failed files that have used up their attempts. When above 0, check the error classes of these files. See alerts/runbook.md, KbReindexExhausted.",
        )
        .query("files", &sum("kb_reindex_exhausted_files"))
        .none(OFF)
        .steps("green", &[(1.0, "red")])
        .size(5, 3),
        Panel::stat(
            "Recovered",
            "The share of reindexed files that were done afterwards, in the selected time range. When it is low, reindexing does not help. Check the error classes of the files, and add classes that never recover to `reindex.never_classes`.",
        )
        .query(
            "recovered",
            &format!(
                "sum({recovered}) / (sum({recovered}) + sum({refailed})) or NO_FOLDERS / 0",
                recovered = increase("kb_reindex_files_recovered_total"),
                refailed = increase("kb_reindex_files_refailed_total"),
            ),
        )
        .unit("percentunit")
        .decimals(0)
        .none("no attempt judged yet")
        .steps("red", &[(0.2, "orange"), (0.5, "green")])
        .size(5, 3),
        Panel::bars(
            "Folders by mode",
            "`off`: no decisions. `dry_run`: decisions without requests. `enforce`: decisions and requests. When a folder has an unexpected mode, check `reindex.folders` in the configuration. The first match applies.",
            "blue",
        )
        .query(
            "{{mode}}",
            &format!(
                "count by (mode) (max by (portal, folder_id, mode) (kb_reindex_mode{{FOLDER}}) == 1) or on () {}",
                without_folders("mode")
            ),
        )
        .none("not known")
        .size(8, 6),
        Panel::bars(
            "Folders without attempts, by reason",
            "The reasons why no attempt is made now. `cooldown`, `below_min_failed`, `too_young` and `unjudged` are normal. When the reason is `ledger_unavailable` or `clock`, check the exporter's log. See alerts/runbook.md, KbReindexSuppressed.",
            "orange",
        )
        .query(
            "{{reason}}",
            &format!(
                r#"sort_desc(count by (reason) (max by (portal, folder_id, reason) (kb_reindex_hold{{FOLDER}})) or on () label_replace(0 * count(kb_reindex_mode{{FOLDER}}), "reason", "none is held", "", "") or on () {})"#,
                without_folders("reason")
            ),
        )
        .none("not known")
        .size(8, 6),
        Panel::text(
            "How to stop all attempts",
            "How to stop all attempts without a restart. When files are requeued by mistake, do this first, and find the reason afterwards.",
            "Create the file that `reindex.kill_switch_file` names. While the file exists, the exporter sends no `reindex-failed` request.\n\n`kb-exporter reindex history` lists all attempts with their outcomes.",
        )
        .size(8, 6),
    ]
}

fn sum(metric: &str) -> String {
    format!("sum(max by (portal, folder_id) ({metric}{{FOLDER}})) or NO_FOLDERS")
}

/// The increase of a folder's counter in the selected time range.
fn increase(metric: &str) -> String {
    format!("max by (portal, folder_id) (increase({metric}{{FOLDER}}[$__range]))")
}

fn decisions() -> [Panel; 2] {
    [
        Panel::graph(
            "Decisions per minute",
            "One decision for each folder and collection. `hold`: no attempt. `trigger`: an attempt. `dry_run`: an attempt that is only recorded. If several reasons prevent an attempt, the first one in the table of docs/reindexing.md is counted. When there is an unexpected reason, see alerts/runbook.md, KbReindexSuppressed.",
            Style::Stacked,
        )
        .query(
            "{{decision}}: {{reason}}",
            &r#"(60 * sum by (decision, reason) (max by (portal, index, count, decision, reason) (RATE)) and on (decision, reason) sum by (decision, reason) (increase(kb_reindex_decisions_total{PORTAL}[$__range] @ end())) > 0) or on () label_replace(label_replace(0 * sum(kb_portal_up{PORTAL}), "decision", "none", "", ""), "reason", "nothing to decide", "", "")"#
                .replace("RATE", &by_shard("rate(kb_reindex_decisions_total{PORTAL}[$__rate_interval])")),
        )
        .none("no exporter")
        .size(24, 9),
        folders(),
    ]
}

fn folders() -> Panel {
    let labels = [
        label("portal", "Portal").width(80).leading_to_portal(),
        label("folder", "Folder").leading_to_folder(),
        hidden("folder_id"),
        label("mode", "Mode").width(75),
        label("reason", "Reason").width(105),
    ];
    let by = "max by (portal, folder_id, folder)";
    let counted = |metric: &str| {
        format!(
            "sum by (portal, folder_id, folder) (max by (portal, folder_id, folder, result) (increase({metric}{{FOLDER}}[$__range])))"
        )
    };
    let columns = [
        // If several exporters have different reasons for a folder, each reason has a row.
        column("Is", "max by (portal, folder_id, folder, mode) (kb_reindex_mode{FOLDER})").hidden(),
        column("Held", "max by (portal, folder_id, folder, reason) (kb_reindex_hold{FOLDER})").hidden(),
        column("Eligible", &format!("{by} (kb_reindex_eligible_files{{FOLDER}})")).bar("pending"),
        column("Used up", &format!("{by} (kb_reindex_exhausted_files{{FOLDER}})")).width(80),
        column("Attempts", &counted("kb_reindex_attempts_total")).whole().width(75),
        column("Put back", &format!("{by} (increase(kb_reindex_files_requeued_total{{FOLDER}}[$__range]))")).whole().shown_as("Requeued").width(90),
        column("Done", &format!("{by} (increase(kb_reindex_files_recovered_total{{FOLDER}}[$__range]))")).whole().width(85),
        column("Failed", &format!("{by} (increase(kb_reindex_files_refailed_total{{FOLDER}}[$__range]))")).whole().width(70),
        column(
            "Pause left",
            &format!("clamp_min({by} (kb_reindex_next_allowed_timestamp_seconds{{FOLDER}} > 0) - time(), 0)"),
        )
        .seconds(),
    ];
    table(
        "Folders",
        "One row for each folder: why no attempt is made, eligible files, and files that have used up their attempts. Attempts, and the files that were requeued, done afterwards and failed again, are for the selected time range. When a folder has eligible files and no attempts, the reason shows what to change. See alerts/runbook.md, KbReindexSuppressed. The remaining cooldown does not include windows and budgets.",
        &labels,
        &columns,
        "Eligible",
        Some(&column("Eligible", &without_folders("folder"))),
    )
    .size(24, 9)
}

fn attempts() -> [Panel; 3] {
    let hourly = |metric: &str, by: &str| {
        format!(
            "3600 * sum by ({by}) (max by (portal, folder_id, {by}) (rate({metric}{{FOLDER}}[$__rate_interval]))) or on () {}",
            without_folders(by)
        )
    };
    let files = |metric: &str| {
        format!(
            "3600 * sum(max by (portal, folder_id) (rate({metric}{{FOLDER}}[$__rate_interval]))) or NO_FOLDERS"
        )
    };
    [
        Panel::graph(
            "Attempts per hour, by result",
            "`accepted`: the portal requeued the files. `refused`: the portal refused the request. `unknown`: there was no usable answer; the exporter does not repeat the request. When attempts are refused, check the rights of the key. See alerts/runbook.md, KbReindexRefused and KbReindexOutcomeUnknown.",
            Style::Bars,
        )
        .query("{{result}}", &hourly("kb_reindex_attempts_total", "result"))
        .none(OFF)
        .colours(&["accepted", "refused", "unknown"])
        .size(8, 8),
        Panel::graph(
            "Outcomes per hour",
            "Judged attempts by outcome. When the outcome is `none` several times in a row, the breaker opens. Then repair the cause of the failures. See alerts/runbook.md, KbReindexBreakerOpen.",
            Style::Bars,
        )
        .query("{{outcome}}", &hourly("kb_reindex_outcomes_total", "outcome"))
        .none(OFF)
        .colours(&["recovered", "partial", "none", "inconclusive"])
        .size(8, 8),
        Panel::graph(
            "Files per hour",
            "Files that were requeued, files that were done afterwards, and files that failed again. When most files fail again, check their error classes.",
            Style::Lines,
        )
        .query("requeued", &files("kb_reindex_files_requeued_total"))
        .query("recovered", &files("kb_reindex_files_recovered_total"))
        .query("failed again", &files("kb_reindex_files_refailed_total"))
        .none(OFF)
        .colours(&["requeued", "recovered", "failed again"])
        .size(8, 8),
    ]
}

/// The exporters, with the shard of those that have a ledger of their own. What a shared ledger has is the same in all of its exporters.
const LEDGERS: &str = r#"(kb_exporter_shard_info{OWN, ledger="private"} or label_replace(label_replace(kb_exporter_shard_info{OWN, ledger="shared"}, "index", "", "", ""), "count", "", "", ""))"#;

fn classes() -> [Panel; 2] {
    let files = |outcome: &str| {
        format!(
            r#"3600 * sum by (error) (max by (portal, index, count, error) (rate(kb_reindex_class_files_total{{PORTAL, outcome="{outcome}"}}[$__rate_interval]) * on (job, instance) group_left (index, count) {LEDGERS})) or on () label_replace(0 * max(kb_reindex_kill_switch{{OWN}}), "error", "nothing was sent", "", "")"#
        )
    };
    [
        Panel::graph(
            "Recovered files per hour, by error class",
            "Files that were done after an attempt, by their earlier error class. The exporter tries classes with recovered files sooner. When you need details about a class, run `kb-exporter reindex classes`.",
            Style::Bars,
        )
        .query("{{error}}", &files("recovered"))
        .none("nothing was sent")
        .size(12, 8),
        Panel::graph(
            "Files per hour that failed again, by error class",
            "Files that failed again after an attempt, by their earlier error class. When a class appears only here, retries do not help. Repair the cause, or add the class to `reindex.never_classes`.",
            Style::Bars,
        )
        .query("{{error}}", &files("refailed"))
        .none("nothing was sent")
        .size(12, 8),
    ]
}

fn budget() -> [Panel; 3] {
    let remaining = |kind: &str| {
        format!(r#"min by (portal) (kb_reindex_budget_remaining{{PORTAL, kind="{kind}"}})"#)
    };
    [
        Panel::graph(
            "Attempts left in the budget",
            "By portal. At 0, no attempt is made until older attempts are outside the sliding window `reindex.budget.per`. When this happens every day, repair the cause of the failures, or raise `reindex.budget.actions`.",
            Style::Lines,
        )
        .query("{{portal}}", &remaining("actions"))
        .none("no exporter")
        .size(8, 8),
        Panel::graph(
            "Files left in the budget",
            "By portal. When a folder has more failed files than the remaining budget, it must wait. When it has more than the whole budget, it is never reindexed. Then raise `reindex.budget.files`.",
            Style::Lines,
        )
        .query("{{portal}}", &remaining("files"))
        .none("no exporter")
        .size(8, 8),
        Panel::graph(
            "Breaker and kill switch",
            "1 while the breaker of a portal is open, and while the kill switch is on. No attempt is made during these times. See alerts/runbook.md, KbReindexBreakerOpen.",
            Style::Lines,
        )
        .query("breaker of {{portal}}", "max by (portal) (kb_reindex_breaker_open{PORTAL})")
        .query("kill switch", "max(kb_reindex_kill_switch{OWN})")
        .none("no exporter")
        .default("max", 1)
        .decimals(0)
        .size(8, 8),
    ]
}
