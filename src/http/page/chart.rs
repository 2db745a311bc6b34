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

/// The hours of the last day, the oldest first.
fn hours(days: &[&Day], now: Timestamp) -> Vec<Hour> {
    let last = Series::step(now) / Series::HOUR;
    let hours = (0..HOURS).rev().map(|ago| {
        let first = last.saturating_sub(ago) * Series::HOUR;
        let before = first.saturating_sub(1);
        let grown = |one: &Series| {
            let end = one.at(before + Series::HOUR);
            end.saturating_sub(one.at(before))
        };
        Hour {
            began: Series::begin(first),
            failed: days.iter().map(|day| grown(&day.failed_entries)).sum(),
            flagged: days.iter().map(|day| grown(&day.flagged_entries)).sum(),
        }
    });
    hours.collect()
}

/// The picture, if there is an entry, and its numbers.
pub(super) fn entries(days: &[&Day], now: Timestamp) -> Markup {
    let hours = hours(days, now);
    let failed = hours.iter().map(|hour| hour.failed).sum();
    let flagged = hours.iter().map(|hour| hour.flagged).sum();
    let all = |hour: &Hour| hour.failed + hour.flagged;
    let most = hours.iter().max_by_key(|hour| all(hour));
    let most = most.filter(|hour| all(hour) > 0);
    html! {
        p.quiet {
            "In 24 hours: " (things(failed, "file", "files")) " failed, " (number(flagged)) " flagged"
            @if let Some(most) = most { "; most in the hour from " (time(most.began, As::Clock)) ": " (number(all(most))) }
            "."
        }
        @if let Some(most) = most { (picture(&hours, all(most))) }
    }
}

fn picture(hours: &[Hour], most: u64) -> Markup {
    let height = |files: u64| match files {
        0 => 0,
        files => (files.saturating_mul(HEIGHT) / most).max(2),
    };
    let width = hours.len() * PLACE;
    html! {
        svg.day viewBox={ "0 -2 " (width) " " (HEIGHT + 2) } preserveAspectRatio="none" aria-hidden="true" {
            pattern #stripes width="3" height="3" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                rect.flagged-ground width="3" height="3" {}
                rect.flagged-stripe width="1.5" height="3" {}
            }
            path.grid d=(format!("M0 {HEIGHT}H{width}")) {}
            @for (place, hour) in hours.iter().enumerate() {
                @let [failed, flagged] = [height(hour.failed), height(hour.flagged)];
                @let top = HEIGHT.saturating_sub(failed);
                @if failed > 0 { rect.failed x=(place * PLACE) y=(top) width=(BAR) height=(failed) {} }
                @if flagged > 0 { rect.flagged x=(place * PLACE) y=(top.saturating_sub(flagged)) width=(BAR) height=(flagged) {} }
            }
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
