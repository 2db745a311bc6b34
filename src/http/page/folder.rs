//! The page of one folder.

use std::time::Duration;

use maud::{Markup, html};

use crate::classify::ErrorRow;
use crate::clock::Moment;
use crate::health::{FolderHealth, FolderReindex};
use crate::http::page::folders::state;
use crate::http::page::layout::{age, share, table, time};
use crate::http::page::row::Row;
use crate::http::page::{attempts, chart};
use crate::model::Status;
use crate::snapshot::{Counts, FolderView, PortalView, ReindexView, Way};
use crate::trend::Trends;

pub(super) fn content(
    portal: &PortalView,
    reindex: Option<&ReindexView>,
    folder: &FolderView,
    health: &FolderHealth,
    trends: &Trends,
    now: Moment,
) -> Markup {
    let row = Row::new(portal, folder, health, now);
    let day = trends.day(&portal.name, folder.id, now.wall);
    let [failed, flagged] = chart::sum(&day);
    html! {
        h1 { (folder.name) }
        p { "Portal " (portal.name) ". Folder " code { (folder.id) } ". " (state(&row)) }
        @if let Some(counts) = row.counts {
            (chart::bar(&counts.files))
            (files(counts, now))
        }
        h2 { "Entries in 24 hours" }
        p { (failed) " files failed and " (flagged) " were flagged in the last day, or since this process started." }
        (chart::entries(&day, 3, "day", "24 hours"))
        @if let Some(counts) = row.counts.filter(|counts| !counts.errors.is_empty()) {
            h2 { "Errors" }
            (errors(portal, counts))
        }
        h2 { "How it is counted" }
        (counting(portal, folder, row.counts, health))
        h2 { "Reindexing" }
        @match &health.reindex {
            None => p { "No decision: the mode is off (" code { "reindex.mode" } "), or the folder was not counted yet." },
            Some(decision) => (reindexing(decision, now)),
        }
        @if let Some(ledger) = reindex.and_then(|view| view.ledger.as_deref().ok()) {
            (attempts::last(ledger, folder.id))
        }
    }
}

fn files(counts: &Counts, now: Moment) -> Markup {
    let heads = [
        ("Status", ""),
        ("Files", "n"),
        ("Share", "n"),
        ("Oldest", ""),
    ];
    let total = counts.files.total();
    let row = |(status, files): (Status, u64)| {
        html! {
            th scope="row" {
                svg.key viewBox="0 0 1 1" aria-hidden="true" { rect class=(chart::class(status)) width="1" height="1" {} }
                (status.as_str())
            }
            td.n data-status=(status.as_str()) { (files) }
            td.n { (share(files, total)) }
            td {
                @if let Some(oldest) = counts.oldest[status] {
                    "for " (age(now.wall.since(oldest))) ", since " (time(oldest))
                }
            }
        }
    };
    html! {
        p { (total) " files" }
        (table("Files by status", &heads, counts.files.shown().map(row)))
    }
}

fn errors(portal: &PortalView, counts: &Counts) -> Markup {
    let heads = [
        ("Class", ""),
        ("Status", ""),
        ("Files", "n"),
        ("Known since", "wide"),
        ("Example", ""),
    ];
    let row = |row: &ErrorRow| {
        let known = portal.classes.get(row.class.as_str());
        html! {
            th.name scope="row" { (row.class) }
            td { (row.status.as_str()) }
            td.n { (row.files) }
            td.wide { @if let Some(known) = known { (time(known.first_seen)) } }
            td.name {
                @if let Some(known) = known { (known.example) }
                @else if let Some(example) = &row.example { (example) }
            }
        }
    };
    table("Errors", &heads, counts.errors.iter().map(row))
}

fn counting(
    portal: &PortalView,
    folder: &FolderView,
    counts: Option<&Counts>,
    health: &FolderHealth,
) -> Markup {
    html! {
        dl {
            dt { "Last count" }
            dd {
                @match (folder.last_success, health.age_seconds) {
                    (Some(at), Some(seconds)) => { (time(at)) ", " (age(Duration::from_secs(seconds))) " ago" },
                    (Some(at), None) => (time(at)),
                    (None, _) => "never",
                }
            }
            @if let Some(counts) = counts {
                dt { "Strategy" }
                dd { (way(counts.look.way)) ", " (counts.look.requests) " requests, took " (milliseconds(counts.look.duration)) }
                dt { "Consistent" }
                dd { @if counts.look.consistent { "yes" } @else { "no: the folder changed while it was read" } }
                @if let Some(interval) = counts.interval {
                    dt { "Interval" }
                    dd { "counted every " (age(interval)) }
                }
            }
            @if let Some(reported) = folder.reported_files {
                dt { "Folder list" }
                dd { (reported) " files according to the portal's list of folders" }
            }
            @if let Some(full) = &folder.full_read {
                dt { "Last full scan" }
                dd { (time(full.at)) }
            }
            @if let Some(next) = portal.collections.next {
                dt { "Next collection" }
                dd { (time(next)) }
            }
        }
    }
}

fn way(way: Way) -> &'static str {
    match way {
        Way::Full => "every page was read",
        Way::Sorted => "the boundaries between statuses were read",
    }
}

fn milliseconds(duration: Duration) -> String {
    if duration < Duration::from_secs(10) {
        format!("{} ms", duration.as_millis())
    } else {
        age(duration)
    }
}

fn reindexing(FolderReindex { decision, sentence }: &FolderReindex, now: Moment) -> Markup {
    let (reason, numbers) = (decision.reason(), decision.numbers);
    let next = numbers.next_allowed.filter(|next| *next > now.wall);
    html! {
        p {
            "Mode " code { (decision.mode.as_str()) } ". Reason " code { (reason.as_str()) } ": " (sentence) "."
        }
        p { strong { "What to do: " } (reason.advice()) "." }
        dl {
            dt { "Failed" } dd { (numbers.failed) }
            dt { "Eligible" } dd { (numbers.eligible) }
            dt { "Exhausted" } dd { (numbers.exhausted) }
            @if let Some(next) = next {
                dt { "Next allowed" } dd { (time(next)) ", in " (age(next.since(now.wall))) }
            }
        }
    }
}
