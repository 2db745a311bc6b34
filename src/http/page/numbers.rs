//! The four numbers over all folders, with their changes, and the entries of the day.

use maud::{Markup, html};

use crate::history::Day;
use crate::http::page::chart;
use crate::http::page::layout::{As, change, number, time};
use crate::http::page::row::Row;
use crate::model::{Series, Status, Timestamp};

/// Steps of an hour, and of a day.
const PERIODS: [(u32, &str); 2] = [(Series::HOUR, "in 1 h"), (Series::DAY, "in 24 h")];

pub(super) fn content(rows: &[Row<'_>], now: Timestamp) -> Markup {
    let counted: Vec<_> = rows.iter().filter(|row| row.counts.is_some()).collect();
    let days = || counted.iter().map(|row| &*row.folder.day);
    let began = days().map(|day| day.began).min();
    let sum = |statuses: &[Status]| {
        let of = |row: &&Row<'_>| -> u64 { statuses.iter().map(|status| row.files(*status)).sum() };
        counted.iter().map(of).sum()
    };
    let total = |title, name, statuses: &[Status], series: fn(&Day) -> &Series| {
        html! {
            li data-total=(name) {
                h2 { (title) }
                @match began {
                    None => { p.big { "–" } p.quiet { "not known yet" } },
                    Some(began) => {
                        p.big { (number(sum(statuses))) }
                        p.quiet { (changes(&days().map(series).collect::<Vec<_>>(), began, now)) }
                    },
                }
            }
        }
    };
    let oldest = counted.iter().filter_map(|row| row.oldest).min();
    html! {
        ul.totals {
            (total("Failed", "failed", &[Status::Failed], |day| &day.failed))
            (total("Flagged", "flagged", &[Status::Flagged], |day| &day.flagged))
            (total("Waiting", "waiting", &[Status::Pending, Status::Processing], |day| &day.waiting))
            li data-total="oldest" {
                h2 { "Longest wait of a file" }
                @match oldest {
                    Some(oldest) => { p.big { (time(oldest, As::For)) } p.quiet { "since " (time(oldest, As::Clock)) } },
                    None if began.is_some() => { p.big { "none" } p.quiet { "no file waits" } },
                    None => { p.big { "–" } p.quiet { "not known yet" } },
                }
            }
        }
        @if began.is_some() { (chart::entries(days(), now)) }
    }
}

/// By how much a number changed in an hour and in a day, or since it is known where that is less.
fn changes(series: &[&Series], began: Timestamp, now: Timestamp) -> Markup {
    let (last, first) = (Series::step(now), Series::step(began));
    let is_known = |steps: u32| last.saturating_sub(steps) >= first;
    let known = PERIODS.iter().filter(|(steps, _)| is_known(*steps));
    let grown = |before: u32| {
        let grown = series.iter().map(|one| one.grown_since(before));
        html! { span.change { (change(grown.sum())) } }
    };
    let known =
        known.map(|(steps, period)| html! { (grown(last.saturating_sub(*steps))) " " (period) });
    let since = html! { (grown(0)) " since " (time(began, As::Clock)) };
    let parts = known.chain((!is_known(Series::DAY)).then_some(since));
    html! { @for (place, part) in parts.enumerate() { @if place > 0 { ", " } (part) } }
}
