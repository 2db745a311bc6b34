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

/// One of the numbers of files.
struct Total {
    name: &'static str,
    title: &'static str,
    files: u64,
    /// By how many files it grew in an hour and in a day.
    grown: [i64; 2],
    /// By half hours: entries, and of the waiting files their number.
    picture: Vec<u64>,
}

pub(super) fn content(rows: &[Row<'_>], now: Timestamp) -> Markup {
    let counted: Vec<_> = rows.iter().filter(|row| row.counts.is_some()).collect();
    let days = || counted.iter().map(|row| &*row.folder.day);
    let files = |statuses: &[Status]| {
        let of = |row: &&Row<'_>| {
            statuses
                .iter()
                .map(|status| row.files(*status))
                .sum::<u64>()
        };
        counted.iter().map(of).sum()
    };
    let grown = |series: fn(&Day) -> &Series| {
        [HOUR, Series::DAY].map(|steps| {
            let before = Series::step(now).saturating_sub(steps);
            days().map(|day| series(day).grown_since(before)).sum()
        })
    };
    let entries =
        |series: fn(&Day) -> &Series| merged(days().map(|day| entries(series(day), now)), u64::add);
    let waiting = days().map(|day| levels(&day.waiting, day.began, now));
    let totals = [
        Total {
            name: "failed",
            title: "Failed",
            files: files(&[Status::Failed]),
            grown: grown(|day| &day.failed),
            picture: entries(|day| &day.failed_entries),
        },
        Total {
            name: "flagged",
            title: "Flagged",
            files: files(&[Status::Flagged]),
            grown: grown(|day| &day.flagged),
            picture: entries(|day| &day.flagged_entries),
        },
        Total {
            name: "waiting",
            title: "Waiting",
            files: files(&[Status::Pending, Status::Processing]),
            grown: grown(|day| &day.waiting),
            picture: merged(waiting, u64::add),
        },
    ];
    let [failed, flagged, waiting] = [0, 1, 2].map(|place: usize| most(&totals[place].picture));
    let scales = [failed.max(flagged), failed.max(flagged), waiting];
    let waits = merged(days().map(|day| waits(day, now)), u64::max);
    let oldest = counted.iter().filter_map(|row| row.oldest).min();
    let began = days().map(|day| day.began).min();
    let is_short = |began: &Timestamp| now.since(*began) < Duration::from_hours(24);
    html! {
        ul.totals {
            @for (total, scale) in totals.iter().zip(scales) {
                @if let Some(began) = began { (tile(total, scale, Some(began).filter(is_short))) }
                @else { li data-total=(total.name) { h2 { (total.title) } p.big { "–" } p.quiet { "not known yet" } } }
            }
            li data-total="oldest" {
                h2 { "Longest wait" }
                p.big { @match oldest { Some(oldest) => (time(oldest, As::For)), None if began.is_some() => "none", None => "–" } }
                p.quiet { @match oldest { Some(oldest) => { "since " (time(oldest, As::Clock)) }, None if began.is_some() => "no file waits", None => "not known yet" } }
                @if began.is_some() {
                    (day("level", &waits, most(&waits), &format!("Longest wait in the last day: {}", at_most(&waits, "minutes"))))
                    (hours(most(&waits), " min"))
                }
            }
        }
    }
}

fn most(picture: &[u64]) -> u64 {
    picture.iter().copied().max().unwrap_or(0)
}

fn at_most(picture: &[u64], unit: &str) -> String {
    match most(picture) {
        0 => "none".to_owned(),
        most => format!("at most {} {unit}", number(most)),
    }
}

/// `began`: when the changes of less than a day began.
fn tile(total: &Total, scale: u64, began: Option<Timestamp>) -> Markup {
    let highest = most(&total.picture);
    let (class, unit) = match total.name {
        "waiting" => ("level", "waiting"),
        entries => (entries, "entered in half an hour"),
    };
    let label = format!(
        "{} files in the last day: {}",
        total.title,
        at_most(&total.picture, unit)
    );
    html! {
        li data-total=(total.name) {
            h2 { (total.title) }
            p.big { (number(total.files)) }
            p.quiet {
                span.change { (change(total.grown[0])) } " in 1 h, "
                span.change { (change(total.grown[1])) }
                @match began { Some(began) => { " since " (time(began, As::Clock)) }, None => " in 24 h" }
            }
            (day(class, &total.picture, scale, &label))
            (hours(highest, ""))
        }
    }
}
