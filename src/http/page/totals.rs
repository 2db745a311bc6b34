//! The four numbers over all folders, with their changes and pictures of the day.

use std::time::Duration;

use maud::{Markup, html};

use crate::http::page::chart::{at_most, day, hours};
use crate::http::page::layout::{As, change, number, time};
use crate::http::page::row::{BARS, Row, entries, half_hours, minutes};
use crate::model::{Series, Status, Timestamp};

/// Steps of an hour.
const HOUR: u32 = 12;

/// Numbers over all folders whose counts are shown.
#[derive(Default)]
struct Totals {
    failed: Total,
    flagged: Total,
    waiting: Total,
    /// Since when the longest-waiting file waits.
    oldest: Option<Timestamp>,
    /// For how many minutes the longest-waiting file had waited at the end of each half hour.
    waits: Vec<u64>,
    /// When the first of the folders was noted.
    began: Option<Timestamp>,
}

#[derive(Default)]
struct Total {
    files: u64,
    hour: i64,
    day: i64,
    /// By half hours: entries, and of the waiting files their number.
    picture: Vec<u64>,
}

impl Total {
    fn add(&mut self, files: u64, series: &Series, now: u32) {
        self.files += files;
        self.hour += series.grown_since(now.saturating_sub(HOUR));
        self.day += series.grown_since(now.saturating_sub(Series::DAY));
    }

    fn draw(&mut self, numbers: impl Iterator<Item = u64>) {
        self.picture.resize(BARS, 0);
        for (sum, number) in self.picture.iter_mut().zip(numbers) {
            *sum += number;
        }
    }
}

impl Totals {
    fn of(rows: &[Row<'_>], now: Timestamp) -> Self {
        let (mut totals, step) = (Self::default(), Series::step(now));
        totals.waits.resize(BARS, 0);
        for row in rows.iter().filter(|row| row.counts.is_some()) {
            let day = &row.folder.day;
            totals
                .failed
                .add(row.files(Status::Failed), &day.failed, step);
            totals.failed.draw(entries(&day.failed_entries, now));
            totals
                .flagged
                .add(row.files(Status::Flagged), &day.flagged, step);
            totals.flagged.draw(entries(&day.flagged_entries, now));
            totals.waiting.add(row.waiting(), &day.waiting, step);
            let known = |end: &u32| Series::begin(*end) >= day.began;
            let ends = half_hours(now);
            let waiting = ends
                .clone()
                .map(|end| if known(&end) { day.waiting.at(end) } else { 0 });
            totals.waiting.draw(waiting);
            let waits = ends.zip(&mut totals.waits).filter(|(end, _)| known(end));
            for (end, longest) in waits {
                *longest = (*longest).max(wait(&day.oldest, end, now));
            }
            totals.oldest = [totals.oldest, row.oldest].into_iter().flatten().min();
            totals.began = [totals.began, Some(day.began)].into_iter().flatten().min();
        }
        totals
    }
}

/// For how many minutes the longest-waiting file of a folder had waited at the end of a step.
fn wait(oldest: &Series, end: u32, now: Timestamp) -> u64 {
    match oldest.at(end) {
        0 => 0,
        since => {
            let since = Timestamp::from_millis(i64::try_from(since * 60_000).unwrap_or(0));
            minutes(Series::begin(end + 1).min(now).since(since))
        }
    }
}

pub(super) fn content(rows: &[Row<'_>], now: Timestamp) -> Markup {
    let totals = Totals::of(rows, now);
    let is_known = rows.iter().any(|row| row.counts.is_some());
    let began = totals
        .began
        .filter(|began| now.since(*began) < Duration::from_hours(24));
    let largest = |totals: &[&Total]| {
        let pictures = totals.iter().flat_map(|total| &total.picture);
        pictures.copied().max().unwrap_or(0)
    };
    let most = largest(&[&totals.failed, &totals.flagged]);
    let none = if is_known { "none" } else { "–" };
    let waits = totals.waits.iter().copied().max().unwrap_or(0);
    html! {
        ul.totals {
            (tile("failed", &totals.failed, is_known, began, most, "entered in half an hour"))
            (tile("flagged", &totals.flagged, is_known, began, most, "entered in half an hour"))
            (tile("waiting", &totals.waiting, is_known, began, largest(&[&totals.waiting]), "waiting"))
            li data-total="oldest" {
                h2 { "Longest wait" }
                p.big { @match totals.oldest { Some(oldest) => (time(oldest, As::For)), None => (none) } }
                p.quiet { @if let Some(oldest) = totals.oldest { "since " (time(oldest, As::Clock)) } @else if is_known { "no file waits" } @else { "not known yet" } }
                (day(&[("level", &totals.waits)], waits, &format!("Longest wait in the last day: at most {} minutes", number(waits))))
                (hours(&at_most(waits, " min")))
            }
        }
    }
}

fn tile(
    name: &str,
    total: &Total,
    is_known: bool,
    began: Option<Timestamp>,
    most: u64,
    unit: &str,
) -> Markup {
    let highest = total.picture.iter().copied().max().unwrap_or(0);
    let class = if name == "waiting" { "level" } else { name };
    let title = name[..1].to_uppercase() + &name[1..];
    html! {
        li data-total=(name) {
            h2 { (title) }
            p.big { @if is_known { (number(total.files)) } @else { "–" } }
            @if !is_known { p.quiet { "not known yet" } } @else { p.quiet {
                span.change { (change(total.hour)) } " in 1 h, "
                span.change { (change(total.day)) }
                @match began { Some(began) => { " since " (time(began, As::Clock)) }, None => " in 24 h" }
            } }
            (day(&[(class, &total.picture)], most, &format!("{title} files in the last day: at most {} {unit}", number(highest))))
            (hours(&at_most(highest, "")))
        }
    }
}
