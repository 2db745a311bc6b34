//! The four numbers over all folders, with their changes, and the entries of the day.

use maud::{Markup, html};

use crate::history::Day;
use crate::http::page::chart;
use crate::http::page::layout::{As, change, number, time};
use crate::http::page::row::{Row, WAITING};
use crate::model::{Series, Status, Timestamp};

pub(super) fn content(rows: &[Row<'_>], now: Timestamp) -> Markup {
    let counted: Vec<_> = rows.iter().filter(|row| row.counts.is_some()).collect();
    let days: Vec<_> = counted.iter().map(|row| &*row.folder.day).collect();
    let began = days.iter().map(|day| day.began).min();
    let oldest = counted.iter().filter_map(|row| row.oldest).min();
    let total = |title, name, statuses: &[Status], series: fn(&Day) -> &Series| {
        let files = counted.iter().map(|row| row.files(statuses)).sum();
        let series: Vec<_> = days.iter().map(|day| series(day)).collect();
        let known = began.map(|began| (html! { (number(files)) }, changes(&series, began, now)));
        fact(title, name, known)
    };
    let wait = match oldest {
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
