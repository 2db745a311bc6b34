//! What the portals are asked, and what that costs.

use super::super::super::panel::{Panel, Style};
use super::super::top_ten;

pub(super) fn requests() -> [Panel; 6] {
    [
        Panel::graph(
            "Requests a second, by answer",
            "By status of the answer; `error` where there was none. 401 and 403 are about the key, 429 about the rate, 5xx about the portal. When they grow: see alerts/runbook.md, KbPortalDown.",
            Style::Stacked,
        )
        .query("{{code}}", "sum by (code) (rate(kb_portal_requests_total{PORTAL}[$__rate_interval]))")
        .unit("reqps")
        .colours_of_codes()
        .none("no exporter"),
        Panel::graph(
            "Requests a second, by purpose",
            "`mine` is the list of folders, `files` a page of a folder, `reindex_failed` reindexes failed files. When it is more than the portal bears: lower `collect.max_requests_per_second`.",
            Style::Stacked,
        )
        .query(
            "{{endpoint}}",
            "sum by (endpoint) (rate(kb_portal_request_duration_seconds_count{PORTAL}[$__rate_interval]))",
        )
        .unit("reqps")
        .none("no exporter"),
        Panel::graph(
            "Time for a request: nine in ten took no longer",
            "From sending a request to the end of its answer, by purpose. When it grows with the load: lower `collect.concurrency`. When it comes near `request.timeout`: tell those who run the portal.",
            Style::Lines,
        )
        .query(
            "{{endpoint}}",
            "histogram_quantile(0.9, sum by (endpoint, le) (rate(kb_portal_request_duration_seconds_bucket{PORTAL}[$__rate_interval]))) >= 0",
        )
        .unit("s")
        .none("no exporter"),
        Panel::graph(
            "Time for a request: the average",
            "All the time of the requests by their number, by purpose. When it is far below the graph beside, a few requests are slow: check whether they are those of one large folder.",
            Style::Lines,
        )
        .query(
            "{{endpoint}}",
            "sum by (endpoint) (rate(kb_portal_request_duration_seconds_sum{PORTAL}[$__rate_interval])) / (sum by (endpoint) (rate(kb_portal_request_duration_seconds_count{PORTAL}[$__rate_interval])) > 0)",
        )
        .unit("s")
        .none("no exporter"),
        Panel::graph(
            "Requests that were sent again, a second",
            "By what was wrong with the answer. Now and then is nothing. When it stays: `rate_limited`, lower `collect.max_requests_per_second`; `timeout` and `connection`, check the network; `server_error`, at the portal.",
            Style::Bars,
        )
        .query("{{reason}}", "sum by (reason) (rate(kb_portal_retries_total{PORTAL}[$__rate_interval]))")
        .unit("reqps")
        .none("no exporter"),
        Panel::graph(
            "Waiting for the rate limit",
            "Seconds that requests waited in each second, by portal; above 1 several waited at once. When collections are late because of it: raise `collect.max_requests_per_second`, or make `collect.schedule` longer.",
            Style::Lines,
        )
        .query("{{portal}}", "sum by (portal) (rate(kb_portal_throttle_seconds_total{PORTAL}[$__rate_interval]))")
        .unit("s")
        .none("no exporter"),
    ]
}

pub(super) fn collections() -> [Panel; 6] {
    [
        Panel::graph(
            "Time since the last whole collection",
            "By portal, the worst of its exporters. A saw is right; a line that only rises means that some folders are not counted: see alerts/runbook.md, KbCollectionStale.",
            Style::Lines,
        )
        .query("{{portal}}", "max by (portal) (time() - kb_collection_last_success_timestamp_seconds{PORTAL}) or NaN * max by (portal) (kb_portal_up{PORTAL})")
        .unit("s")
        .none("none ended yet"),
        Panel::graph(
            "Duration and interval of collections",
            "When a collection takes as long as the interval, the next one is late: make `collect.schedule` longer, or raise `collect.max_requests_per_second` or `collect.concurrency`.",
            Style::Lines,
        )
        .query("{{portal}}, took", "max by (portal) (kb_collection_duration_seconds{PORTAL})")
        .query("{{portal}}, interval", "max by (portal) (kb_collection_interval_seconds{PORTAL})")
        .unit("s")
        .none("none ended yet"),
        Panel::graph(
            "Collections a minute, by result",
            "`partial`: some folders could not be counted. `failure`: none could. `skipped`: the last one still ran. When other than `success` stays: see alerts/runbook.md, KbCollectionStale.",
            Style::Bars,
        )
        .query("{{result}}", "60 * sum by (result) (rate(kb_collection_runs_total{PORTAL}[$__rate_interval]))")
        .none("no exporter")
        .colours(&["success", "partial", "failure", "skipped"]),
        Panel::graph(
            "Folders, and those not counted",
            "Folders that the keys may use, and those whose latest read could not count them. When the second is not 0: the dashboard Knowledge base names them; see alerts/runbook.md, KbFolderUnavailable.",
            Style::Lines,
        )
        .query("folders", "sum(max by (portal) (kb_portal_folders{PORTAL})) or UNKNOWN")
        .query("not counted", "sum(1 - max by (portal, folder_id) (kb_folder_up{FOLDER})) or NO_FOLDERS")
        .none("not known")
        .colours(&["not counted"]),
        costly(
            "Requests by folder",
            "Requests that the last count of a folder took; the ten with the most in the time shown. When a folder costs the portal too much and nobody asks about it: put it under `folders.exclude`.",
            "kb_folder_collection_requests",
        ),
        costly(
            "Duration by folder",
            "Time that the last count of a folder took; the ten with the longest in the time shown. When one takes minutes, files move while it is counted: see Certain on the dashboard Folder, and raise `collect.concurrency` if the portal bears it.",
            "kb_folder_collection_duration_seconds",
        )
        .unit("s"),
    ]
}

fn costly(title: &str, description: &str, metric: &str) -> Panel {
    let series = format!("{metric}{{FOLDER}}");
    let query = top_ten(
        &format!("max by (portal, folder_id, folder) ({series})"),
        &format!("max_over_time({series}[$__range] @ end())"),
    );
    Panel::graph(title, description, Style::Lines)
        .query("{{folder}}", &query)
        .none("no count")
}
