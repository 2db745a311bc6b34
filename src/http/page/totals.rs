//! The four numbers over all folders, with their changes and pictures of the day.

use std::ops::Add as _;
use std::time::Duration;

use maud::{Markup, html};

use crate::history::Day;
use crate::http::page::chart::{day, entries, hours, levels, merged, waits};
use crate::http::page::layout::{As, change, number, time};
use crate::http::page::row::Row;
use crate::model::{Series, Status, Timestamp};

/// The steps of an hour.
const HOUR: u32 = 12;

pub(super) fn content(rows: &[Row<'_>], now: Timestamp) -> Markup {
    let counted: Vec<_> = rows.iter().filter(|row| row.counts.is_some()).collect();
    let days = || counted.iter().map(|row| &*row.folder.day);
    let Some(began) = days().map(|day| day.began).min() else {
        return unknown();
    };
    let files = |statuses: &[Status]| {
        let of = |row: &&Row<'_>| -> u64 { statuses.iter().map(|status| row.files(*status)).sum() };
        let files: u64 = counted.iter().map(of).sum();
        html! { (number(files)) }
    };
    let is_short = now.since(began) < Duration::from_hours(24);
    let changes = |series: fn(&Day) -> &Series| {
        let [hour, day] = [HOUR, Series::DAY].map(|steps| {
            let before = Series::step(now).saturating_sub(steps);
            days().map(|day| series(day).grown_since(before)).sum()
        });
        html! {
            span.change { (change(hour)) } " in 1 h, "
            span.change { (change(day)) }
            @if is_short { " since " (time(began, As::Clock)) } @else { " in 24 h" }
        }
    };
    let entries =
        |series: fn(&Day) -> &Series| merged(days().map(|day| entries(series(day), now)), u64::add);
    let failed = entries(|day| &day.failed_entries);
    let flagged = entries(|day| &day.flagged_entries);
    let waiting = days().map(|day| levels(&day.waiting, day.began, now));
    let waiting = merged(waiting, u64::add);
    let waits = merged(days().map(|day| waits(day, now)), u64::max);
    let oldest = counted.iter().filter_map(|row| row.oldest).min();
    let longest =
        html! { @match oldest { Some(oldest) => (time(oldest, As::For)), None => "none" } };
    let since = html! { @match oldest { Some(oldest) => { "since " (time(oldest, As::Clock)) }, None => "no file waits" } };
    let most_entries = most(&failed).max(most(&flagged));
    html! {
        ul.totals {
            li data-total="failed" {
                h2 { "Failed" }
                p.big { (files(&[Status::Failed])) }
                p.quiet { (changes(|day| &day.failed)) }
                (picture("failed", &failed, most_entries, "Failed files", ["entered in half an hour", ""]))
            }
            li data-total="flagged" {
                h2 { "Flagged" }
                p.big { (files(&[Status::Flagged])) }
                p.quiet { (changes(|day| &day.flagged)) }
                (picture("flagged", &flagged, most_entries, "Flagged files", ["entered in half an hour", ""]))
            }
            li data-total="waiting" {
                h2 { "Waiting" }
                p.big { (files(&[Status::Pending, Status::Processing])) }
                p.quiet { (changes(|day| &day.waiting)) }
                (picture("level", &waiting, most(&waiting), "Waiting files", ["waiting", ""]))
            }
            li data-total="oldest" {
                h2 { "Longest wait" }
                p.big { (longest) }
                p.quiet { (since) }
                (picture("level", &waits, most(&waits), "Longest wait", ["minutes", " min"]))
            }
        }
    }
}

fn unknown() -> Markup {
    html! {
        ul.totals {
            @for title in ["Failed", "Flagged", "Waiting", "Longest wait"] {
                li { h2 { (title) } p.big { "–" } p.quiet { "not known yet" } }
            }
        }
    }
}

fn most(bars: &[u64]) -> u64 {
    bars.iter().copied().max().unwrap_or(0)
}

/// The picture of a day, described for who does not see it.
fn picture(class: &str, bars: &[u64], scale: u64, what: &str, [unit, short]: [&str; 2]) -> Markup {
    let label = match most(bars) {
        0 => format!("{what} in the last day: none"),
        most => format!("{what} in the last day: at most {} {unit}", number(most)),
    };
    html! { (day(class, bars, scale, &label)) (hours(most(bars), short)) }
}
