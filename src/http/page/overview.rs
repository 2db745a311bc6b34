//! The overview: what is wrong, the numbers, what is being done, and the folders, those with trouble first.

use maud::{Markup, html};

use crate::health::PortalHealth;
use crate::history::Day;
use crate::http::page::finding::Findings;
use crate::http::page::layout::{As, change, number, things, time};
use crate::http::page::query::Query;
use crate::http::page::row::{Row, WAITING};
use crate::http::page::{Pages, chart, folders};
use crate::model::{Series, Status, Timestamp};
use crate::snapshot::SortingState;

pub(super) fn content(
    pages: &Pages<'_>,
    rows: &[Row<'_>],
    findings: &Findings<'_>,
    query: &Query,
) -> Markup {
    html! {
        div #verdict data-part { (findings.content()) }
        div #numbers data-part {
            (numbers(rows, pages.now.wall))
            ul.portals { @for portal in &pages.health.portals { li { (portal_line(portal, pages)) } } }
        }
        (folders::content(pages, rows, query))
    }
}

/// The four numbers over all folders, with their changes, and the entries of the day.
fn numbers(rows: &[Row<'_>], now: Timestamp) -> Markup {
    let counted = || rows.iter().filter(|row| row.health.counts.is_some());
    let days: Vec<_> = counted().map(|row| &*row.health.view.day).collect();
    let began = days.iter().map(|day| day.began).min();
    let total = |title, name, statuses: &[Status], series: fn(&Day) -> &Series| {
        let files = counted().filter_map(|row| row.files(statuses)).sum();
        let series: Vec<_> = days.iter().map(|day| series(day)).collect();
        let known = began.map(|began| (html! { (number(files)) }, changes(&series, began, now)));
        fact(title, name, known)
    };
    let wait = match counted().filter_map(|row| row.oldest).min() {
        Some(oldest) => Some((
            time(oldest, As::For),
            html! { "since " (time(oldest, As::Clock)) },
        )),
        None => began.map(|_| (html! { "none" }, html! { "no file waits" })),
    };
    html! {
        ul.totals {
            (total("Failed", "failed", &[Status::Failed], |day| &day.failed))
            (total("Flagged", "flagged", &[Status::Flagged], |day| &day.flagged))
            (total("Waiting", "waiting", &WAITING, |day| &day.waiting))
            (fact("Longest wait of a file", "oldest", wait))
        }
        @if began.is_some() { (chart::entries(&days, now)) }
    }
}

/// A number and what explains it, if they are known.
fn fact(title: &str, name: &str, known: Option<(Markup, Markup)>) -> Markup {
    let unknown = || (html! { "–" }, html! { "not known yet" });
    let (big, quiet) = known.unwrap_or_else(unknown);
    html! { li data-total=(name) { h2 { (title) } p.big { (big) } p.quiet { (quiet) } } }
}

/// By how much a number changed in an hour and in a day, or since it is known where that is less.
fn changes(series: &[&Series], began: Timestamp, now: Timestamp) -> Markup {
    let (last, first) = (Series::step(now), Series::step(began));
    let grown = |since: u32| {
        let grown = series.iter().map(|one| one.grown_since(since)).sum();
        html! { span.change { (change(grown)) } }
    };
    let [hour, day] = [Series::HOUR, Series::DAY].map(|steps| last.saturating_sub(steps));
    html! {
        @if hour >= first { (grown(hour)) " in 1 h, " }
        @if day >= first { (grown(day)) " in 24 h" } @else { (grown(0)) " since " (time(began, As::Clock)) }
    }
}

/// How current the numbers of a portal are, and what is being done.
fn portal_line(health: &PortalHealth, pages: &Pages<'_>) -> Markup {
    let portal = &health.view;
    html! {
        strong { (portal.name) } ": " (known(health))
        @if let Some(run) = portal.collections.last_run { "; the last collection ended " (time(run.ended, As::Ago)) }
        @if let Some(next) = portal.collections.next { "; the next collection starts " (time(next, As::In)) }
        "."
        @if portal.state_writes.is_none() { span.remark { "Nothing is stored: counters begin at 0 with each start." } }
        @if portal.sorting == SortingState::Refuted { span.remark { "It does not list files by status as it was asked to, so more folders are read in full." } }
        @if let Some(reindex) = pages.reindex(portal) {
            @let decisions = reindex.decisions.values();
            @let waiting = decisions.map(|decision| decision.numbers.eligible).sum();
            span.remark {
                strong { "Reindexing" } ": " (things(waiting, "file is eligible for a retry", "files are eligible for a retry"))
                "."
            }
        }
    }
}

/// Of how many folders counts are shown, and how old these are.
pub(super) fn known(portal: &PortalHealth) -> Markup {
    let folders = portal.folders.iter();
    let all: Vec<_> = folders
        .filter(|folder| !folder.view.state.has_left())
        .collect();
    let known = || all.iter().filter(|folder| folder.counts.is_some());
    let oldest = known()
        .filter_map(|folder| folder.view.last_success())
        .min();
    html! {
        @if all.is_empty() { "no folder is known" }
        @else { "counts of " (known().count()) " of " (things(all.len() as u64, "folder", "folders")) }
        @if let Some(oldest) = oldest { ", the oldest " (time(oldest, As::Ago)) }
    }
}
