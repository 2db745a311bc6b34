//! The entries of a day into failed and flagged by hour, as a small picture in SVG and in words. Failed files are filled, flagged ones striped, so
//! that nobody needs the colours.

use maud::{Markup, html};

use crate::history::Day;
use crate::http::page::layout::{As, number, things, time};
use crate::model::{Series, Timestamp};

/// Hours of a day.
const HOURS: u32 = 24;

/// Width and distance of the bars, and the height of the picture.
const BAR: usize = 5;
const PLACE: usize = 6;
const HEIGHT: u64 = 40;

/// The entries of an hour.
struct Hour {
    began: Timestamp,
    failed: u64,
    flagged: u64,
}

impl Hour {
    const fn all(&self) -> u64 {
        self.failed + self.flagged
    }
}

/// The hours of the last day, the oldest first.
fn hours(days: &[&Day], now: Timestamp) -> Vec<Hour> {
    let last = Series::step(now) / Series::HOUR;
    let hours = (0..HOURS).rev().map(|ago| {
        let first = last.saturating_sub(ago) * Series::HOUR;
        let before = first.saturating_sub(1);
        let grown = |series: fn(&Day) -> &Series| {
            let series = days.iter().map(|day| series(day));
            let grown =
                series.map(|one| one.at(before + Series::HOUR).saturating_sub(one.at(before)));
            grown.sum()
        };
        Hour {
            began: Series::begin(first),
            failed: grown(|day| &day.failed_entries),
            flagged: grown(|day| &day.flagged_entries),
        }
    });
    hours.collect()
}

/// The picture, if there is an entry, and its numbers.
pub(super) fn entries(days: &[&Day], now: Timestamp) -> Markup {
    let hours = hours(days, now);
    let failed = hours.iter().map(|hour| hour.failed).sum();
    let flagged = hours.iter().map(|hour| hour.flagged).sum();
    let most = hours.iter().max_by_key(|hour| hour.all());
    let most = most.filter(|hour| hour.all() > 0);
    html! {
        p.quiet {
            "In 24 hours: " (things(failed, "file", "files")) " failed, " (number(flagged)) " flagged"
            @if let Some(most) = most { "; most in the hour from " (time(most.began, As::Clock)) ": " (number(most.all())) }
            "."
        }
        @if let Some(most) = most { (picture(&hours, most.all())) }
    }
}

fn picture(hours: &[Hour], most: u64) -> Markup {
    let height = |files: u64| match files {
        0 => 0,
        files => (files.saturating_mul(HEIGHT) / most).max(2),
    };
    let bar = |(place, bottom, height): (usize, u64, u64)| match height {
        0 => String::new(),
        _ => format!("M{} {bottom}v-{height}h{BAR}v{height}z", place * PLACE),
    };
    let bars = hours.iter().enumerate();
    let failed: String = bars
        .clone()
        .map(|(place, hour)| bar((place, HEIGHT, height(hour.failed))))
        .collect();
    let flagged: String = bars
        .map(|(place, hour)| {
            bar((
                place,
                HEIGHT.saturating_sub(height(hour.failed)),
                height(hour.flagged),
            ))
        })
        .collect();
    let (width, above) = (hours.len() * PLACE, 2);
    html! {
        svg.day viewBox={ "0 -" (above) " " (width) " " (HEIGHT + above) } preserveAspectRatio="none" aria-hidden="true" {
            pattern #stripes width="3" height="3" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                rect.flagged-ground width="3" height="3" {}
                rect.flagged-stripe width="1.5" height="3" {}
            }
            path.grid d=(format!("M0 {HEIGHT}H{width}")) {}
            path.failed d=(failed) {}
            path.flagged d=(flagged) {}
        }
        p.hours aria-hidden="true" { span { "−24 h" } span { "−12 h" } span { "now" } }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn entries_stand_in_their_hour_and_are_said_in_words() {
        let now = Timestamp::from_millis(1_772_366_400_000);
        let (mut day, step) = (Day::default(), Series::step(now));
        day.failed_entries.note(step - Series::DAY, 7);
        day.flagged_entries.note(step - Series::DAY, 0);
        day.failed_entries.note(step - 2 * Series::HOUR, 64);
        day.flagged_entries.note(step, 3);
        let hours = hours(&[&day, &day], now);
        assert_eq!(hours[21].failed, 114);
        assert_eq!(hours.iter().map(|hour| hour.failed).sum::<u64>(), 114);
        assert_eq!(hours[23].flagged, 6);
        assert!(now.since(hours[21].began) <= Duration::from_hours(2));
        let shown = entries(&[&day, &day], now).into_string();
        for said in [
            "114 files failed, 6 flagged; most in the hour from",
            ": 114.",
        ] {
            assert!(shown.contains(said), "{shown}");
        }
    }
}
