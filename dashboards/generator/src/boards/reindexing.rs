//! What is done about failed files, and why not more.

use super::super::board::Board;
use super::super::panel::{Panel, Style};
use super::super::table::{column, hidden, label, table};
use super::{ON_OFF, without_folders};

const OFF: &str = "off or not known";

pub(super) fn board() -> Board {
    Board::new(
        "kb-reindexing",
        "Reindexing",
        "What is done about failed files: the policy, its decisions, the attempts and what came of them.",
    )
    .by_folder()
    .row("The policy", policy())
    .row("Its decisions", decisions())
    .row("The attempts", attempts())
    .row("What a retry helps", classes())
    .row("The budget", budget())
}

fn policy() -> [Panel; 8] {
    [
        Panel::stat(
            "Kill switch on",
            "Whether the file that stops all attempts exists, or cannot be checked. When it says yes and nobody meant it: remove the file that `reindex.kill_switch_file` names.",
        )
        .query("stopped", "max(kb_reindex_kill_switch{OWN})")
        .words(ON_OFF)
        .none("no exporter")
        .size(5, 3),
        Panel::stat(
            "Breaker open",
            "Whether the last attempts of a portal had no effect, so that further ones wait. When it says yes: mend what makes the files fail; see alerts/runbook.md, KbReindexBreakerOpen.",
        )
        .query("open", "max(kb_reindex_breaker_open{PORTAL})")
        .words(ON_OFF)
        .none("no exporter")
        .size(5, 3),
        Panel::stat(
            "Eligible files",
            "Failed files that are old enough, retryable and not exhausted. When they stay for a day and nothing is triggered: the table below has the reason; see alerts/runbook.md, KbReindexSuppressed.",
        )
        .query("files", &sum("kb_reindex_eligible_files"))
        .none(OFF)
        .steps("green", &[(1.0, "blue")])
        .size(4, 3),
        Panel::stat(
            "Exhausted files",
            "Failed files that have used up their attempts. Trying again does not help them: check their reasons; see alerts/runbook.md, KbReindexExhausted.",
        )
        .query("files", &sum("kb_reindex_exhausted_files"))
        .none(OFF)
        .steps("green", &[(1.0, "red")])
        .size(5, 3),
        Panel::stat(
            "Recovered",
            "Of the files that attempts in the time shown were judged by, the share that was done afterwards. When it is low, trying again does not help: check the reasons of the files, and put them under `reindex.never_classes`.",
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
        .none("none judged yet")
        .steps("red", &[(0.2, "orange"), (0.5, "green")])
        .size(5, 3),
        Panel::bars(
            "Folders by mode",
            "`off`: nothing is decided. `dry_run`: it is decided and not done. `enforce`: it is done. When a folder has another mode than you meant: `reindex.folders` in the configuration, the first match wins.",
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
            "Held folders, by reason",
            "Why nothing is triggered now. `cooldown`, `below_min_failed`, `too_young` and `unjudged` are everyday; when it is `ledger_unavailable`, `clock` or `exhausted`: see the exporter's log.",
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
            "To stop it at once",
            "How all attempts are stopped without a restart. When files are requeued that should not be, do this first and find the reason afterwards.",
            "Make the file that `reindex.kill_switch_file` names. While it exists, nothing is sent.\n\n`kb-exporter reindex history` lists every attempt with its outcome.",
        )
        .size(8, 6),
    ]
}

fn sum(metric: &str) -> String {
    format!("sum(max by (portal, folder_id) ({metric}{{FOLDER}})) or NO_FOLDERS")
}

/// How much a counter by folder grew in the time shown.
fn increase(metric: &str) -> String {
    format!("max by (portal, folder_id) (increase({metric}{{FOLDER}}[$__range]))")
}

fn decisions() -> [Panel; 2] {
    [
        Panel::graph(
            "Decisions a minute",
            "One for each folder and collection. Mostly `hold` for everyday reasons; `trigger` when files are requeued. When a reason is there that you do not expect: it is the first of those that hold, in the order of the runbook's questions; see alerts/runbook.md, KbReindexSuppressed.",
            Style::Stacked,
        )
        .query(
            "{{decision}}: {{reason}}",
            r#"(60 * sum by (decision, reason) (max by (portal, decision, reason) (rate(kb_reindex_decisions_total{PORTAL}[$__rate_interval]))) and on (decision, reason) sum by (decision, reason) (increase(kb_reindex_decisions_total{PORTAL}[$__range] @ end())) > 0) or on () label_replace(label_replace(0 * sum(kb_portal_up{PORTAL}), "decision", "none", "", ""), "reason", "nothing to decide", "", "")"#,
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
        label("reason", "Held by").width(105),
    ];
    let by = "max by (portal, folder_id, folder)";
    let counted = |metric: &str| {
        format!(
            "sum by (portal, folder_id, folder) (max by (portal, folder_id, folder, result) (increase({metric}{{FOLDER}}[$__range])))"
        )
    };
    let columns = [
        // Several exporters may hold a folder for different reasons: each has a row then.
        column("Is", "max by (portal, folder_id, folder, mode) (kb_reindex_mode{FOLDER})").hidden(),
        column("Held", "max by (portal, folder_id, folder, reason) (kb_reindex_hold{FOLDER})").hidden(),
        column("Eligible", &format!("{by} (kb_reindex_eligible_files{{FOLDER}})")).bar("pending"),
        column("Used up", &format!("{by} (kb_reindex_exhausted_files{{FOLDER}})")).width(80),
        column("Attempts", &counted("kb_reindex_attempts_total")).whole().width(75),
        column("Put back", &format!("{by} (increase(kb_reindex_files_requeued_total{{FOLDER}}[$__range]))")).whole().width(70),
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
        "What each folder waits for, and how many files have used up their attempts; attempts, and files that were reindexed, done afterwards and failed again are those of the time shown. When a folder has eligible files and no attempt: its reason says what to change; see alerts/runbook.md, KbReindexSuppressed. Windows and budgets are not part of the pause.",
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
            "Attempts an hour, by answer",
            "`accepted`: the portal reindexed files. `refused`: it said no; check whether the key has the right. `unknown`: the answer never came, the attempt counts and is not repeated; see alerts/runbook.md, KbReindexOutcomeUnknown.",
            Style::Bars,
        )
        .query("{{result}}", &hourly("kb_reindex_attempts_total", "result"))
        .none(OFF)
        .colours(&["accepted", "refused", "unknown"])
        .size(8, 8),
        Panel::graph(
            "Outcomes an hour",
            "What the attempts were good for, judged on later counts. `none` in a row opens the breaker: mend what makes the files fail; see alerts/runbook.md, KbReindexBreakerOpen.",
            Style::Bars,
        )
        .query("{{outcome}}", &hourly("kb_reindex_outcomes_total", "outcome"))
        .none(OFF)
        .colours(&["recovered", "partial", "none", "inconclusive"])
        .size(8, 8),
        Panel::graph(
            "Files an hour",
            "Files that were reindexed, that were done afterwards, and that failed again. When most fail again: check their reasons before they are tried once more.",
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

fn classes() -> [Panel; 2] {
    let files = |outcome: &str| {
        format!(
            r#"3600 * sum by (error) (max by (portal, error) (rate(kb_reindex_class_files_total{{PORTAL, outcome="{outcome}"}}[$__rate_interval]))) or on () label_replace(0 * max(kb_reindex_kill_switch{{OWN}}), "error", "nothing was sent", "", "")"#
        )
    };
    [
        Panel::graph(
            "Files an hour that came back, by class",
            "Files that were done after an attempt, by the class of the error that they had. A class that comes back is tried soon. When you want to know what is known of each: `kb-exporter reindex classes`.",
            Style::Bars,
        )
        .query("{{error}}", &files("recovered"))
        .none("nothing was sent")
        .size(12, 8),
        Panel::graph(
            "Files an hour that failed again, by class",
            "Files that failed again after an attempt, by the class of the error that they had. When a class appears here alone, a retry does not help: mend what it names, or put it into `reindex.never_classes`.",
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
            "By portal. At 0 nothing is triggered until older attempts leave the window `reindex.budget.per`. When that is every day: mend the cause of the failures, or raise `reindex.budget.actions`.",
            Style::Lines,
        )
        .query("{{portal}}", &remaining("actions"))
        .none("no exporter")
        .size(8, 8),
        Panel::graph(
            "Files left in the budget",
            "By portal. When a folder has more failed files than are left, it waits; when it has more than the whole budget, it is never reindexed: raise `reindex.budget.files`.",
            Style::Lines,
        )
        .query("{{portal}}", &remaining("files"))
        .none("no exporter")
        .size(8, 8),
        Panel::graph(
            "What stopped all attempts",
            "1 while the breaker of a portal is open, and while the kill switch is on. Compare with the attempts above: nothing is triggered meanwhile. See alerts/runbook.md, KbReindexBreakerOpen.",
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
