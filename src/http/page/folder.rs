//! The page of one folder: its state and the decision about it, its files, how it is counted.

use maud::{Markup, html};

use crate::classify::NamedFile;
use crate::config::Mode;
use crate::health::FolderReindex;
use crate::http::page::layout::{As, number, sentence, share, table, things, time, took};
use crate::http::page::row::Row;
use crate::http::page::{Pages, chart, errors, finding};
use crate::model::{Status, Timestamp};
use crate::policy::Tries;
use crate::snapshot::{Counts, Way};

pub(super) fn content(row: &Row<'_>, pages: &Pages<'_>) -> Markup {
    let now = pages.now.wall;
    let (portal, folder) = (row.portal, row.folder);
    let mode = portal
        .reindex
        .for_folder(folder.id, folder.name.label())
        .mode;
    html! {
        div #folder data-part {
            h1.name { (row.name()) }
            p { (counted(row)) (finding::of_row(row)) }
            p.quiet {
                "Portal " (portal.name) ", folder " code { (folder.id) } "."
                @if let Some(address) = &portal.web_url { " " a href=(address.of(folder.id)) rel="noreferrer" { "Open it in the portal" } }
            }
            h2 { "Reindexing" }
            @match &row.health.reindex {
                None if mode == Mode::Off => p { "Mode " code { "off" } ": nothing is reindexed here." },
                None => p { "Mode " code { (mode.as_str()) } ": not decided yet." },
                Some(decision) => {
                    (reindexing(decision, now))
                    @if let Some(tries) = pages.tries(&portal.name) { p { (tries_left(tries)) } }
                }
            }
            p.quiet { code { "kb-exporter reindex history --folder " (folder.id) } " lists the attempts." }
            @if let Some(counts) = row.counts { h2 { "Files" } (files(counts)) }
            h2 { "New failed and flagged files" }
            (chart::entries([&*folder.day].into_iter(), now))
            @if row.counts.is_some_and(|counts| !counts.errors.is_empty()) {
                h2 { "Errors" }
                (errors::classes(pages, portal, &portal.error_classes_of([folder], pages.now)))
            }
            @if let Some(newest) = &folder.newest {
                h2 { "Newest failed and flagged files" }
                p.quiet { "Of the rows that were read, those created last. " code { "kb-exporter files --folder " (folder.id) } " lists all." }
                (table("Newest files", &FILE_HEADS, newest.iter().map(file)))
            }
            h2 { "How it is counted" }
            (counting(row))
        }
    }
}

fn counted(row: &Row<'_>) -> Markup {
    let at = row.folder.last_success.filter(|_| row.health.is_counted());
    html! { @if let Some(at) = at { "Counted " (time(at, As::Ago)) "." } }
}

fn files(counts: &Counts) -> Markup {
    let heads = [
        ("Status", ""),
        ("Files", "n"),
        ("Share", "n"),
        ("Longest in this status", ""),
    ];
    let total = counts.files.total();
    let row = |(status, files): (Status, u64)| {
        html! {
            th scope="row" { (status.as_str()) }
            td.n data-label="Files" data-status=(status.as_str()) { (number(files)) }
            td.n data-label="Share" { (share(files, total)) }
            td.name data-label="Longest in this status" {
                @if let Some(oldest) = counts.oldest[status] { (time(oldest, As::For)) ", since " (time(oldest, As::Clock)) }
            }
        }
    };
    table("Files by status", &heads, counts.files.shown().map(row))
}

const FILE_HEADS: [(&str, &str); 4] = [
    ("Name", ""),
    ("Status", ""),
    ("Created", ""),
    ("Reason", ""),
];

fn file(file: &NamedFile) -> Markup {
    html! {
        th.name scope="row" { (file.name) }
        td data-label="Status" { (file.status.as_str()) }
        td data-label="Created" { @if let Some(created) = file.created { (time(created, As::Clock)) } @else { "–" } }
        td.name data-label="Reason" { @if file.reason.is_empty() { "none was given" } @else { (file.reason) } }
    }
}

fn counting(row: &Row<'_>) -> Markup {
    let folder = row.folder;
    html! {
        dl {
            dt { "Last count" }
            dd { @if let Some(at) = folder.last_success { (time(at, As::Clock)) } @else { "never" } }
            @if let Some(counts) = row.counts {
                dt { "Strategy" }
                dd { (way(counts.look.way)) ", " (things(counts.look.requests, "request", "requests")) ", took " (took(counts.look.duration)) }
                dt { "Consistent" }
                dd { @if counts.look.consistent { "yes" } @else { "no: the folder changed while it was read" } }
                @if let Some(interval) = counts.interval { dt { "Interval" } dd { "counted every " (took(interval)) } }
            }
            @if let Some(reported) = folder.reported_files {
                dt { "Folder list" }
                dd { (number(reported)) " files according to the portal's list of folders" }
            }
            @if let Some(full) = &folder.full_read { dt { "Last full scan" } dd { (time(full.at, As::Clock)) } }
            @if let Some(next) = row.portal.collections.next { dt { "Next collection" } dd { (time(next, As::In)) } }
        }
    }
}

fn way(way: Way) -> &'static str {
    match way {
        Way::Full => "every page was read",
        Way::Sorted => "the boundaries between statuses were read",
    }
}

fn tries_left(tries: Tries) -> Markup {
    html! {
        (tries.left) " of " (Tries::AN_HOUR) " tries are left in this hour in the portal"
        @if let Some(next) = tries.next { "; the next one " (time(next, As::In)) }
        "."
    }
}

fn reindexing(reindex: &FolderReindex, now: Timestamp) -> Markup {
    let decision = &reindex.decision;
    let (reason, numbers) = (decision.reason(), decision.numbers);
    let next = numbers.next_allowed.filter(|next| *next > now);
    html! {
        p {
            "Mode " code { (decision.mode.as_str()) } ". Reason " code { (reason.as_str()) } ": " (sentence(&reindex.sentence)) ". "
            (number(numbers.eligible)) " of " (number(numbers.failed)) " failed files are eligible, " (number(numbers.exhausted)) " exhausted"
            @if let Some(next) = next { "; the next attempt is possible " (time(next, As::In)) }
            "."
        }
        p { strong { "What to do: " } (reason.advice()) "." }
    }
}
