//! The page of one folder: its state and the decision about it, its files, how it is counted.

use maud::{Markup, html};

use crate::classify::NamedFile;
use crate::config::Mode;
use crate::health::FolderReindex;
use crate::http::page::layout::{As, Column, number, sentence, share, table, things, time, took};
use crate::http::page::row::Row;
use crate::http::page::{Pages, chart, errors, finding};
use crate::model::Timestamp;
use crate::policy::Tries;
use crate::snapshot::{Counts, Way};

const FILES: [Column; 4] = [
    ("Status", ""),
    ("Files", "n"),
    ("Share", "n"),
    ("Longest in this status", "name"),
];

const NEWEST: [Column; 4] = [
    ("Name", "name"),
    ("Status", ""),
    ("Created", ""),
    ("Reason", "name"),
];

pub(super) fn content(row: &Row<'_>, pages: &Pages<'_>) -> Markup {
    let now = pages.now.wall;
    let (portal, folder) = (row.portal, row.folder);
    let counted = folder.last_success().filter(|_| row.health.is_counted());
    let errors = portal.error_classes_of([folder], pages.now);
    html! {
        div #folder data-part {
            h1.name { (row.name) }
            p { @if let Some(at) = counted { "Counted " (time(at, As::Ago)) "." } (finding::of_row(row)) }
            p.quiet {
                "Portal " (portal.name) ", folder " code { (folder.id) } "."
                @if let Some(address) = &portal.web_url { " " a href=(address.of(folder.id)) rel="noreferrer" { "Open it in the portal" } }
            }
            h2 { "Reindexing" }
            (reindexing(row, pages, now))
            p.quiet { code { "kb-exporter reindex history --folder " (folder.id) } " lists the attempts." }
            @if let Some(counts) = row.counts { h2 { "Files" } (files(counts)) }
            h2 { "New failed and flagged files" }
            (chart::entries(&[&folder.day], now))
            @if row.counts.is_some() && !errors.is_empty() {
                h2 { "Errors" }
                (errors::classes(pages, portal, &errors))
            }
            @if let Some(newest) = &folder.newest {
                h2 { "Newest failed and flagged files" }
                p.quiet { "Of the rows that were read, those created last. " code { "kb-exporter files --folder " (folder.id) } " lists all." }
                (table("Newest files", NEWEST, newest.iter().map(file)))
            }
            h2 { "How it is counted" }
            (counting(row))
        }
    }
}

fn files(counts: &Counts) -> Markup {
    let rows = counts.files.shown().map(|(status, files)| {
        let oldest = html! {
            @if let Some(oldest) = counts.oldest[status] { (time(oldest, As::For)) ", since " (time(oldest, As::Clock)) }
        };
        [
            html! { (status.as_str()) },
            html! { (number(files)) },
            html! { (share(files, counts.files.total())) },
            oldest,
        ]
    });
    table("Files by status", FILES, rows)
}

fn file(file: &NamedFile) -> [Markup; 4] {
    [
        html! { (file.name) },
        html! { (file.status.as_str()) },
        html! { @if let Some(created) = file.created { (time(created, As::Clock)) } @else { "–" } },
        html! { @if file.reason.is_empty() { "none was given" } @else { (file.reason) } },
    ]
}

fn counting(row: &Row<'_>) -> Markup {
    let folder = row.folder;
    html! {
        dl {
            dt { "Last count" }
            dd { @if let Some(at) = folder.last_success() { (time(at, As::Clock)) } @else { "never" } }
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

const fn way(way: Way) -> &'static str {
    match way {
        Way::Full => "every page was read",
        Way::Sorted => "the boundaries between statuses were read",
    }
}

fn reindexing(row: &Row<'_>, pages: &Pages<'_>, now: Timestamp) -> Markup {
    let (portal, folder) = (row.portal, row.folder);
    let rules = portal.reindex.for_folder(folder.id, folder.name.label());
    html! {
        @match &row.health.reindex {
            None => p { "Mode " code { (rules.mode.as_str()) } ": " @if rules.mode == Mode::Off { "nothing is reindexed here." } @else { "not decided yet." } },
            Some(decided) => {
                (decision(decided, now))
                @if let Some(tries) = pages.tries(&portal.name) {
                    p {
                        (tries.left) " of " (Tries::AN_HOUR) " tries are left in this hour in the portal"
                        @if let Some(next) = tries.next { "; the next one " (time(next, As::In)) }
                        "."
                    }
                }
            }
        }
    }
}

fn decision(
    FolderReindex {
        decision,
        sentence: why,
    }: &FolderReindex,
    now: Timestamp,
) -> Markup {
    let (reason, numbers) = (decision.reason(), decision.numbers);
    html! {
        p {
            "Mode " code { (decision.mode.as_str()) } ". Reason " code { (reason.as_str()) } ": " (sentence(why)) ". "
            (number(numbers.eligible)) " of " (number(numbers.failed)) " failed files are eligible, " (number(numbers.exhausted)) " exhausted"
            @if let Some(next) = numbers.next_allowed.filter(|next| *next > now) { "; the next attempt is possible " (time(next, As::In)) }
            "."
        }
        p { strong { "What to do: " } (reason.advice()) "." }
    }
}
