//! The exporter itself: what it asks the portals, what that costs, how it is.

mod portals;

use super::super::board::Board;
use super::super::panel::{Panel, Style};
use super::super::table::{column, label, table};
use super::YES_NO;

pub(super) fn board() -> Board {
    Board::new(
        "kb-exporter",
        "Exporter",
        "The exporter itself: its portals, its requests, its collections, its process.",
    )
    .row("Is it well?", state())
    .row("The portals", portals())
    .row("The requests", portals::requests())
    .row("The collections", portals::collections())
    .row("The processes", processes())
}

fn state() -> [Panel; 8] {
    [
        Panel::stat(
            "Exporters down",
            "Targets that Prometheus could not scrape. When above 0: see alerts/runbook.md, KbExporterDown.",
        )
        .query("down", "sum(1 - up{OWN})")
        .none("no target")
        .steps("green", &[(1.0, "red")]),
        Panel::stat(
            "Portals not read",
            "Portals whose list of folders could not be read. When above 0: the table below has the reason; see alerts/runbook.md, KbPortalDown, KbKeyRejected and KbAddressRefused.",
        )
        .query("portals", "sum(1 - max by (portal) (kb_portal_up{PORTAL}))")
        .none("no exporter")
        .steps("green", &[(1.0, "red")]),
        Panel::stat(
            "Configurations refused",
            "Exporters that could not use their changed configuration and keep the one before. When above 0: `kb-exporter --config.check` says what is wrong; see alerts/runbook.md, KbConfigReloadFailed.",
        )
        .query("refused", "sum(1 - kb_exporter_config_last_reload_successful{OWN})")
        .none("no exporter")
        .steps("green", &[(1.0, "orange")]),
        Panel::stat(
            "Mistakes of the program",
            "Panics that ended a read or a collection in the time shown. When above 0: report it, with the exporter's log.",
        )
        .query("panics", "sum(increase(kb_collection_panics_total{PORTAL}[$__range]))")
        .decimals(0)
        .none("no exporter")
        .steps("green", &[(1.0, "red")]),
        Panel::stat(
            "Folders",
            "Folders that the keys may use, of all portals. When it falls and nobody meant it: ask who changed the key's rights; see alerts/runbook.md, KbFolderLost.",
        )
        .query("folders", "sum(max by (portal) (kb_portal_folders{PORTAL})) or UNKNOWN")
        .none("not known")
        .steps("text", &[]),
        Panel::stat(
            "Classes of errors",
            "Classes in use, of all portals, of at most `errors.max_classes` each. When it is at that limit: see the files without a class of their own, beside.",
        )
        .query("classes", "sum(max by (portal) (kb_error_classes{PORTAL}))")
        .none("not known")
        .steps("text", &[]),
        Panel::stat(
            "Files without a class",
            "Files that are in the class `other` because there is no space. When they are many: write rules for frequent reasons, or raise `errors.max_classes` or `errors.max_classes_per_folder`.",
        )
        .query("files", "sum(max by (portal) (kb_error_overflow_files{PORTAL}))")
        .none("not known")
        .steps("green", &[(1000.0, "orange")]),
        Panel::stat(
            "Shards",
            "Different shares of the folders that exporters have, of all jobs. When it is less than `--shard.count` asks for, folders are counted by none: see alerts/runbook.md, KbShardMissing.",
        )
        .query("shards", "count(group by (job, index, count) (kb_exporter_shard_info{OWN}))")
        .none("no exporter")
        .steps("text", &[]),
    ]
}

/// What is known of a portal's sorting by status. Where it is refuted, folders cost a request for each hundred files.
const SORTING: &[(&str, &str, &str)] = &[
    ("1", "shown", "green"),
    ("2", "assumed", "text"),
    ("3", "refuted", "orange"),
];

fn portals() -> [Panel; 1] {
    let labels = [
        label("portal", "Portal").width(80).leading_to_portal(),
        label("job", "Job").width(110),
        label("instance", "Instance").width(160),
        label("reason", "Why not"),
    ];
    let age = |title: &'static str, metric: &str| {
        column(title, &format!("time() - {metric}{{PORTAL}}")).seconds()
    };
    let columns = [
        column(
            "Read",
            "((kb_portal_unavailable{PORTAL} == 1) - 1) or on (job, instance, portal) (kb_portal_up{PORTAL} + 0)",
        )
        .words(YES_NO)
        .width(70),
        column("Folders", "kb_portal_folders{PORTAL} + 0").width(75),
        column(
            "Sorting",
            "sum by (job, instance, portal) (kb_portal_sorting{PORTAL, state=\"shown\"} or 2 * kb_portal_sorting{PORTAL, state=\"assumed\"} or 3 * kb_portal_sorting{PORTAL, state=\"refuted\"})",
        )
        .words(SORTING)
        .width(85),
        age("Last good", "kb_collection_last_success_timestamp_seconds"),
        age("Last run", "kb_collection_last_run_timestamp_seconds"),
        column("Interval", "kb_collection_interval_seconds{PORTAL} + 0").seconds(),
        column("Took", "kb_collection_duration_seconds{PORTAL} + 0").seconds(),
    ];
    [table(
        "Portals and their collections",
        "One row for each portal that an exporter watches: whether its list was read, whether it sorts by status, and the time since its collections. When it was not: see alerts/runbook.md, KbPortalDown. When the last good one, which counted every folder, is much older than the last run: KbCollectionStale.",
        &labels,
        &columns,
        "Last good",
        None,
    )
    .size(24, 5)]
}

fn builds() -> Panel {
    let labels = [
        label("job", "Job").width(120),
        label("instance", "Instance").width(160),
        label("version", "Version").width(90),
        label("revision", "Revision").width(130),
        label("rustc", "Compiler").width(90),
        label("index", "Shard").width(80),
        label("count", "of").width(60),
        label("ledger", "Ledger").width(90),
    ];
    let columns = [
        column(
            "Configured",
            "kb_exporter_config_last_reload_successful{OWN} * on (job, instance) group_left (version, revision, rustc) kb_exporter_build_info{OWN} * on (job, instance) group_left (index, count, ledger) kb_exporter_shard_info{OWN}",
        )
        .words(YES_NO)
        .width(110),
    ];
    table(
        "Exporters",
        "One row for each exporter: what runs there, which share of the folders it has, and whether it uses its latest configuration. When versions differ for longer than you need to replace them, or one says no: see alerts/runbook.md, KbConfigReloadFailed.",
        &labels,
        &columns,
        "Configured",
        None,
    )
    .size(24, 5)
}

fn processes() -> [Panel; 7] {
    [
        builds(),
        Panel::graph(
            "Processor",
            "Cores in use, by exporter. When it stays near 1 and collections are late: split the folders over shards (`--shard.count`).",
            Style::Lines,
        )
        .query("{{instance}}", "rate(process_cpu_seconds_total{OWN}[$__rate_interval])")
        .none("no exporter")
        .size(8, 7),
        Panel::graph(
            "Memory",
            "Resident memory, by exporter. It follows the number of files that are not done. When it grows without them: report it, with the number of folders and files.",
            Style::Lines,
        )
        .query("{{instance}}", "process_resident_memory_bytes{OWN}")
        .query("{{instance}}, virtual", "process_virtual_memory_bytes{OWN}")
        .unit("bytes")
        .none("no exporter")
        .size(8, 7),
        Panel::graph(
            "Open files, of those allowed",
            "The share of the file descriptors that the process may have. When it comes near 100 %: raise the limit of the service (`LimitNOFILE`), and find out who keeps connections open.",
            Style::Lines,
        )
        .query("{{instance}}", "process_open_fds{OWN} / process_max_fds{OWN}")
        .unit("percentunit")
        .none("no exporter")
        .size(8, 7),
        Panel::graph(
            "Threads",
            "Threads of the process, by exporter. The number stays as it is a minute after the start; when it grows: report it.",
            Style::Lines,
        )
        .query("{{instance}}", "process_threads{OWN}")
        .decimals(0)
        .none("no exporter")
        .size(8, 7),
        Panel::graph(
            "Time since the start",
            "By exporter. Each fall to 0 is a restart; when nobody meant it, the last lines of the log before it say why.",
            Style::Lines,
        )
        .query("{{instance}}", "time() - process_start_time_seconds{OWN}")
        .unit("s")
        .none("no exporter")
        .size(8, 7),
        Panel::graph(
            "Age of the configuration",
            "The time since it was taken over, by exporter. When you have changed the file and this goes on to rise: it was refused or not read; send SIGHUP, and see alerts/runbook.md, KbConfigReloadFailed.",
            Style::Lines,
        )
        .query("{{instance}}", "time() - kb_exporter_config_last_reload_success_timestamp_seconds{OWN}")
        .unit("s")
        .none("no exporter")
        .size(8, 7),
    ]
}
