//! The exporters: portals, requests, collections and processes.

mod portals;

use super::super::board::Board;
use super::super::panel::{Panel, Style};
use super::super::table::{column, label, table};
use super::{YES_NO, by_shard};

pub(super) fn board() -> Board {
    Board::new(
        "kb-exporter",
        "Exporter",
        "The exporters: portals, requests, collections and processes.",
    )
    .row("Overview", state())
    .row("Portals", portals())
    .row("Requests", portals::requests())
    .row("Collections", portals::collections())
    .row("Processes", processes())
}

fn state() -> [Panel; 9] {
    [
        Panel::stat(
            "Exporters down",
            "Targets that Prometheus could not scrape. When above 0, see alerts/runbook.md, KbExporterDown.",
        )
        .query("down", "sum(1 - up{OWN})")
        .none("no target")
        .steps("green", &[(1.0, "red")]),
        Panel::stat(
            "Portals not read",
            "Portals whose list of folders could not be read. When above 0, the table below shows the reason. See alerts/runbook.md, KbPortalDown, KbKeyRejected and KbAddressRefused.",
        )
        .query("portals", "sum(1 - max by (portal) (kb_portal_up{PORTAL}))")
        .none("no exporter")
        .steps("green", &[(1.0, "red")]),
        Panel::stat(
            "Failed reloads",
            "Exporters that could not load their changed configuration and still use the previous one. When above 0, `kb-exporter --config.check` shows the error. See alerts/runbook.md, KbConfigReloadFailed.",
        )
        .query("refused", "sum(1 - kb_exporter_config_last_reload_successful{OWN})")
        .none("no exporter")
        .steps("green", &[(1.0, "orange")]),
        Panel::stat(
            "Stores not writable",
            "Databases (the state and the ledger of each exporter) to which writes fail. When above 0, `/health` and the log show the reason, such as a full disk. Counters of entries stand still without the state, and nothing is reindexed without the ledger.",
        )
        .query("stores", "sum(1 - kb_state_writable{OWN})")
        .none("no exporter")
        .steps("green", &[(1.0, "orange")]),
        Panel::stat(
            "Panics",
            "Panics that ended a read or a collection in the selected time range. When above 0, report a bug with the exporter's log.",
        )
        .query("panics", "sum(increase(kb_collection_panics_total{PORTAL}[$__range]))")
        .decimals(0)
        .none("no exporter")
        .steps("green", &[(1.0, "red")])
        .size(5, 3),
        Panel::stat(
            "Folders",
            "Folders of all portals that the keys may use. When the number falls and nobody planned that, find out who changed the rights of the key. See alerts/runbook.md, KbFolderLost.",
        )
        .query("folders", "sum(max by (portal) (kb_portal_folders{PORTAL})) or UNKNOWN")
        .none("not known")
        .steps("text", &[])
        .size(5, 3),
        Panel::stat(
            "Error classes",
            "Error classes in use in all portals; of several shards, the one with the most. Each exporter has at most `errors.max_classes` for a portal. When a portal reaches this limit, check the number of files in class other (next panel).",
        )
        .query("classes", "sum(max by (portal) (kb_error_classes{PORTAL}))")
        .none("not known")
        .steps("text", &[])
        .size(5, 3),
        Panel::stat(
            "Files in class other",
            "Files that are counted as `other` because their class has no class slot. When there are many, add rules for frequent reasons, or raise `errors.max_classes` or `errors.max_classes_per_folder`.",
        )
        .query("files", &format!("sum(max by (portal, index, count) ({}))", by_shard("kb_error_overflow_files{PORTAL}")))
        .none("not known")
        .steps("green", &[(1000.0, "orange")])
        .size(5, 3),
        Panel::stat(
            "Shards",
            "Different shards of all jobs. When there are fewer than `--shard.count`, no exporter counts the folders of the missing shards. See alerts/runbook.md, KbShardMissing.",
        )
        .query("shards", "count(group by (job, index, count) (kb_exporter_shard_info{OWN}))")
        .none("no exporter")
        .steps("text", &[])
        .size(4, 3),
    ]
}

/// Whether the portal sorts by status. If that is refuted, a read takes one request per hundred files.
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
        label("reason", "Reason"),
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
        column("Took", "kb_collection_duration_seconds{PORTAL} + 0").seconds().shown_as("Duration"),
    ];
    [table(
        "Portals and collections",
        "One row for each portal of each exporter: whether its list of folders was read, whether it sorts by status, and the time since its last collections. When the list was not read, see alerts/runbook.md, KbPortalDown. When the last good collection (it counted every folder that was due) is much older than the last run, see KbCollectionStale.",
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
        "One row for each exporter: its version, its shard, and whether it has loaded its latest configuration. When versions still differ after an upgrade, upgrade the other exporters. When an exporter shows no, see alerts/runbook.md, KbConfigReloadFailed.",
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
            "CPU",
            "CPU cores in use, by exporter. When the value stays near 1 and collections are late, split the folders into shards (`--shard.count`).",
            Style::Lines,
        )
        .query("{{instance}}", "rate(process_cpu_seconds_total{OWN}[$__rate_interval])")
        .none("no exporter")
        .size(8, 7),
        Panel::graph(
            "Memory",
            "Resident and virtual memory, by exporter. It depends on the number of files that are not done. When it grows and this number does not, report a bug with the number of folders and files.",
            Style::Lines,
        )
        .query("{{instance}}", "process_resident_memory_bytes{OWN}")
        .query("{{instance}}, virtual", "process_virtual_memory_bytes{OWN}")
        .unit("bytes")
        .none("no exporter")
        .size(8, 7),
        Panel::graph(
            "Open file descriptors",
            "Open file descriptors as a share of the limit of the process. When the value is near 100 %, raise the limit of the service (`LimitNOFILE`), and find out which clients leave connections open.",
            Style::Lines,
        )
        .query("{{instance}}", "process_open_fds{OWN} / process_max_fds{OWN}")
        .unit("percentunit")
        .none("no exporter")
        .size(8, 7),
        Panel::graph(
            "Threads",
            "Threads of the process, by exporter. The number is constant from a minute after the start. When it grows, report a bug.",
            Style::Lines,
        )
        .query("{{instance}}", "process_threads{OWN}")
        .decimals(0)
        .none("no exporter")
        .size(8, 7),
        Panel::graph(
            "Uptime",
            "Time since the start of each exporter. Each drop to 0 is a restart. When nobody planned the restart, the last lines of the log before it show the reason.",
            Style::Lines,
        )
        .query("{{instance}}", "time() - process_start_time_seconds{OWN}")
        .unit("s")
        .none("no exporter")
        .size(8, 7),
        Panel::graph(
            "Age of the configuration",
            "Time since each exporter loaded its configuration. When you have changed the file and the value does not drop to 0, the file was not reloaded or has an error. Send SIGHUP, and see alerts/runbook.md, KbConfigReloadFailed.",
            Style::Lines,
        )
        .query("{{instance}}", "time() - kb_exporter_config_last_reload_success_timestamp_seconds{OWN}")
        .unit("s")
        .none("no exporter")
        .size(8, 7),
    ]
}
