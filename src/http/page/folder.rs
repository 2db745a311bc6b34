//! The page of one folder: its state, what is decided about it, its files, and how it is counted.

use maud::{Markup, html};

use crate::classify::NamedFile;
use crate::config::Mode;
use crate::http::page::layout::{As, Column, number, sentence, table, things, time};
use crate::http::page::row::Row;
use crate::http::page::{Pages, chart, errors, finding};
use crate::policy::{Choice, Decision};
use crate::snapshot::{Counts, Way};

const FILES: [Column; 3] = [
    ("Status", ""),
    ("Files", "n"),
    ("Longest in this status", "name"),
];

const NEWEST: [Column; 4] = [
    ("Name", "name"),
    ("Status", ""),
    ("Created", ""),
    ("Reason", "name"),
];

pub(super) fn content(row: &Row<'_>, pages: &Pages<'_>) -> Markup {
    let (portal, folder) = (row.portal, &*row.health.view);
    let errors = portal.error_classes_of([folder], pages.now);
    html! {
        div #folder data-part {
            h1.name { (row.name) }
            (finding::of_row(row))
            p.quiet {
                "Portal " (portal.name) ", folder " code { (folder.id) } "."
                @if let Some(address) = &portal.web_url { " " a href=(address.of(folder.id)) rel="noreferrer" { "Open it in the portal" } }
            }
            h2 { "Reindexing" }
            (reindexing(row, pages))
            p.quiet { code { "kb-exporter reindex history --folder " (folder.id) } " lists the attempts." }
            @if let Some(counts) = &row.health.counts { h2 { "Files" } (files(counts)) }
            h2 { "New failed and flagged files" }
            (chart::entries(&[&folder.day], pages.now.wall))
            @if !errors.is_empty() { h2 { "Errors" } (errors::classes(portal, &errors)) }
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
        [html! { (status.as_str()) }, html! { (number(files)) }, oldest]
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
    let folder = &row.health.view;
    html! {
        p {
            @if let Some(at) = folder.last_success() { "Counted " (time(at, As::Clock)) } @else { "Never counted" }
            @if let Some(counts) = &row.health.counts {
                ": " (way(counts.look.way)) ", with " (things(counts.look.requests, "request", "requests"))
            }
            @if let Some(full) = &folder.full_read { "; the last full scan ended " (time(full.at, As::Clock)) }
            @if let Some(next) = row.portal.collections.next { "; the next collection starts " (time(next, As::In)) }
            "."
            @if let Some(reported) = folder.reported_files { " The portal's list of folders reports " (things(reported, "file", "files")) " in it." }
        }
    }
}

const fn way(way: Way) -> &'static str {
    match way {
        Way::Full => "every page was read",
        Way::Sorted => "the boundaries between statuses were read",
    }
}

fn reindexing(row: &Row<'_>, pages: &Pages<'_>) -> Markup {
    let (portal, folder) = (row.portal, &row.health.view);
    let mode = portal
        .reindex
        .for_folder(folder.id, folder.name.label())
        .mode;
    let decisions = pages.reindex(portal).map(|view| &view.decisions);
    let decided = decisions.and_then(|decisions| decisions.get(&folder.id));
    // A folder that left, or whose mode is another one by now, is not decided again.
    let is_current = |decision: &&Decision| decision.mode == mode && !folder.state.has_left();
    html! {
        p {
            "Mode " code { (mode.as_str()) } ": "
            @match decided.filter(is_current) {
                None if mode == Mode::Off => "nothing is reindexed here.",
                None => "not decided yet.",
                Some(decision) => (decision_of(decision)),
            }
        }
    }
}

fn decision_of(decision: &Decision) -> Markup {
    let (reason, numbers) = (decision.reason(), decision.numbers);
    html! {
        @match (&decision.choice, decision.mode) {
            (Choice::Send { .. }, Mode::Enforce) => "a request follows",
            (Choice::Send { .. }, _) => "a request would be sent now, which dry run does not do",
            (Choice::Hold(hold), _) => {
                (sentence(&hold.meaning())) " (" code { (reason.as_str()) } "), since " (time(decision.since, As::Clock))
                @if let Some(until) = hold.until { ", until " (time(until, As::Clock)) " at the earliest" }
            }
        }
        ". " (number(numbers.eligible)) " of " (number(numbers.failed)) " failed files are eligible, " (number(numbers.exhausted)) " exhausted. "
        strong { "What to do: " } (reason.advice()) "."
    }
}
