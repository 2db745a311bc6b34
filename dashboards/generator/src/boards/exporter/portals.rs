//! The requests to the portals, and the collections.

use super::super::super::panel::{Panel, Style};
use super::super::top_ten;

pub(super) fn requests() -> [Panel; 6] {
    [
        Panel::graph(
            "Requests per second, by response",
            "Requests by HTTP status of the response; `error` means that there was no response. 401 and 403 concern the key or its rights, 429 the request rate, 5xx the portal. When these increase, see alerts/runbook.md, KbPortalDown.",
            Style::Stacked,
        )
        .query("{{code}}", "sum by (code) (rate(kb_portal_requests_total{PORTAL}[$__rate_interval]))")
        .unit("reqps")
        .colours_of_codes()
        .none("no exporter"),
        Panel::graph(
            "Requests per second, by endpoint",
            "`mine`: the list of folders. `folder`: one folder. `files`: a page of a file list. `reindex_failed`: reindexing. When the requests overload the portal, lower `collect.max_requests_per_second`.",
            Style::Stacked,
        )
        .query(
            "{{endpoint}}",
            "sum by (endpoint) (rate(kb_portal_request_duration_seconds_count{PORTAL}[$__rate_interval]))",
        )
        .unit("reqps")
        .none("no exporter"),
        Panel::graph(
            "Request duration: 90th percentile",
            "Nine in ten requests took no longer than this, from sending the request to the end of the response, by endpoint. When the duration grows with the load, lower `collect.concurrency`. When it is near `request.timeout`, contact the portal's operators.",
            Style::Lines,
        )
        .query(
            "{{endpoint}}",
            "histogram_quantile(0.9, sum by (endpoint, le) (rate(kb_portal_request_duration_seconds_bucket{PORTAL}[$__rate_interval]))) >= 0",
        )
        .unit("s")
        .none("no exporter"),
        Panel::graph(
            "Request duration: average",
            "Average duration of the requests, by endpoint. When it is far below the 90th percentile, a few requests are slow. Check whether they belong to one large folder.",
            Style::Lines,
        )
        .query(
            "{{endpoint}}",
            "sum by (endpoint) (rate(kb_portal_request_duration_seconds_sum{PORTAL}[$__rate_interval])) / (sum by (endpoint) (rate(kb_portal_request_duration_seconds_count{PORTAL}[$__rate_interval])) > 0)",
        )
        .unit("s")
        .none("no exporter"),
        Panel::graph(
            "Retries per second",
            "Requests that were sent again, by reason. Occasional retries are normal. When they persist: for `rate_limited`, lower `collect.max_requests_per_second`; for `timeout` and `connection`, check the network; for `server_error`, contact the portal's operators.",
            Style::Bars,
        )
        .query("{{reason}}", "sum by (reason) (rate(kb_portal_retries_total{PORTAL}[$__rate_interval]))")
        .unit("reqps")
        .none("no exporter"),
        Panel::graph(
            "Waiting time for the rate limit",
            "Seconds per second that requests waited for the rate limit, by portal. Above 1, several requests waited at the same time. When collections are late because of this, raise `collect.max_requests_per_second`, or increase the interval in `collect.schedule`.",
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
            "Time since the last successful collection",
            "By portal; the maximum of its exporters. The value normally drops after each collection. When a line only rises, some folders are not counted. See alerts/runbook.md, KbCollectionStale.",
            Style::Lines,
        )
        .query("{{portal}}", "max by (portal) (time() - kb_collection_last_success_timestamp_seconds{PORTAL}) or NaN * max by (portal) (kb_portal_up{PORTAL})")
        .unit("s")
        .none("no collection yet"),
        Panel::graph(
            "Duration and interval of collections",
            "Duration of the last collection, and the expected interval, by portal. When a collection takes as long as the interval, the next collection is late. Then increase the interval in `collect.schedule`, or raise `collect.max_requests_per_second` or `collect.concurrency`.",
            Style::Lines,
        )
        .query("{{portal}}, duration", "max by (portal) (kb_collection_duration_seconds{PORTAL})")
        .query("{{portal}}, interval", "max by (portal) (kb_collection_interval_seconds{PORTAL})")
        .unit("s")
        .none("no collection yet"),
        Panel::graph(
            "Collections per minute, by result",
            "`partial`: some folders could not be counted. `failure`: no folder could be counted. `skipped`: the previous collection was still running. When results other than `success` persist, see alerts/runbook.md, KbCollectionStale.",
            Style::Bars,
        )
        .query("{{result}}", "60 * sum by (result) (rate(kb_collection_runs_total{PORTAL}[$__rate_interval]))")
        .none("no exporter")
        .colours(&["success", "partial", "failure", "skipped"]),
        Panel::graph(
            "Folders, and folders not counted",
            "Folders that the keys may use, and folders whose last read failed. When the second number is not 0, the dashboard Knowledge base lists these folders. See alerts/runbook.md, KbFolderUnavailable.",
            Style::Lines,
        )
        .query("folders", "sum(max by (portal) (kb_portal_folders{PORTAL})) or UNKNOWN")
        .query("not counted", "sum(1 - max by (portal, folder_id) (kb_folder_up{FOLDER})) or NO_FOLDERS")
        .none("not known")
        .colours(&["not counted"]),
        costly(
            "Requests by folder",
            "Requests of the last count of a folder, for the ten folders with the most requests in the selected time range. When a folder needs too many requests and nobody needs its counts, add it to `folders.exclude`.",
            "kb_folder_collection_requests",
        ),
        costly(
            "Duration by folder",
            "Duration of the last count of a folder, for the ten folders with the longest duration in the selected time range. When a count takes minutes, files change during the count. Then check Consistent on the dashboard Folder, and raise `collect.concurrency` if the portal allows it.",
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
