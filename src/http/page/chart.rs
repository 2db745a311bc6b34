//! Small pictures in SVG. Failed files are filled, flagged ones striped, waiting ones outlined, so that nobody needs the colours.

use std::fmt::Write as _;
use std::time::Duration;

use maud::{Markup, html};

use crate::history::Day;
use crate::http::page::layout::number;
use crate::model::{Series, Timestamp};

/// The patterns that all pictures of a page use, and the legend.
pub(super) fn legend() -> Markup {
    html! {
        ul.legend {
            @for class in ["failed", "flagged", "waiting"] {
                li { svg.key viewBox="0 0 9 9" aria-hidden="true" { rect class=(class) x=".5" y=".5" width="8" height="8" {} } (class) }
            }
        }
        svg.patterns aria-hidden="true" {
            pattern #stripes width="3" height="3" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                rect.flagged-ground width="3" height="3" {}
                rect.flagged-stripe width="1.5" height="3" {}
            }
        }
    }
}

/// Failed, flagged and waiting files on a scale of their own, which `most` files fill. What is there can be seen, however little it is.
pub(super) fn bar(files: [u64; 3], most: u64) -> Markup {
    const WIDTH: u64 = 90;
    const LEAST: u64 = 3;
    let names = ["failed", "flagged", "waiting"];
    let mut end = 0;
    let segments = files.into_iter().zip(names).filter(|(files, _)| *files > 0);
    let segments = segments.map(|(files, name)| {
        let width = (files.saturating_mul(WIDTH) / most.max(1)).max(LEAST);
        let begin = end;
        end += width + 2;
        (begin, width, name)
    });
    html! {
        svg.bar viewBox="0 0 104 10" preserveAspectRatio="xMinYMid" aria-hidden="true" {
            @for (begin, width, name) in segments {
                rect class=(name) x=(begin) y=".5" width=(width) height="9" {}
            }
        }
    }
}

/// Bars over the day, on a scale that ends with `most`.
pub(super) fn day(class: &str, counts: &[u64], most: u64, label: &str) -> Markup {
    const HEIGHT: u64 = 24;
    let mut bars = String::new();
    for (place, count) in counts.iter().enumerate() {
        let height = (count.saturating_mul(HEIGHT) / most.max(1)).clamp(2, HEIGHT);
        if *count > 0 {
            // Writing to a string cannot fail.
            let _ = write!(bars, "M{} {HEIGHT}v-{height}h2v{height}z", place * 3);
        }
    }
    html! {
        svg.day viewBox={ "0 0 " (BARS * 3) " " (HEIGHT + 1) } preserveAspectRatio="none" role="img" aria-label=(label) {
            path.grid d=(format!("M0 {y}H{w}M36 0V{y}M72 0V{y}M108 0V{y}", y = HEIGHT, w = BARS * 3)) {}
            @if !bars.is_empty() { path class=(class) d=(bars) {} }
        }
    }
}

/// The marks of time below a picture of the day, and its largest number.
pub(super) fn hours(most: u64, unit: &str) -> Markup {
    html! {
        p.hours aria-hidden="true" {
            span { "−24 h" } span { "−12 h" } span { "now" }
            span.most { @if most > 0 { "highest " (number(most)) (unit) } }
        }
    }
}

/// How long a bar is, in steps of a series: half an hour.
const HALF_HOUR: u32 = 6;

/// The bars of a day.
const BARS: u32 = Series::DAY / HALF_HOUR;

/// The last steps of the half hours of the last day, from the first on.
fn half_hours(now: Timestamp) -> impl Iterator<Item = u32> {
    let last = Series::step(now);
    let end = last - last % HALF_HOUR + HALF_HOUR - 1;
    let ago = (0..BARS).rev();
    ago.map(move |ago| end.saturating_sub(ago * HALF_HOUR))
}

/// By how much a counter grew in each half hour of the last day.
pub(super) fn entries(series: &Series, now: Timestamp) -> Vec<u64> {
    let grown = |end: u32| {
        let before = series.at(end.saturating_sub(HALF_HOUR));
        series.at(end).saturating_sub(before)
    };
    half_hours(now).map(grown).collect()
}

/// A number at the end of each half hour of the last day; 0 before it was known.
pub(super) fn levels(series: &Series, began: Timestamp, now: Timestamp) -> Vec<u64> {
    let is_known = |end| Series::begin(end) >= began;
    let level = |end| if is_known(end) { series.at(end) } else { 0 };
    half_hours(now).map(level).collect()
}

/// For how many minutes the longest-waiting file of a folder had waited at the end of each half hour.
pub(super) fn waits(day: &Day, now: Timestamp) -> Vec<u64> {
    let since = levels(&day.oldest, day.began, now).into_iter();
    let waits = since.zip(half_hours(now)).map(|(since, end)| {
        let begin = Timestamp::default().after(Duration::from_mins(since));
        let wait = Series::begin(end + 1).min(now).since(begin);
        if since == 0 { 0 } else { wait.as_secs() / 60 }
    });
    waits.collect()
}

/// The pictures of all folders as one.
pub(super) fn merged(
    pictures: impl Iterator<Item = Vec<u64>>,
    merge: fn(u64, u64) -> u64,
) -> Vec<u64> {
    let merged = pictures.reduce(|mut sum, picture| {
        let bars = sum.iter_mut().zip(picture);
        bars.for_each(|(sum, bar)| *sum = merge(*sum, bar));
        sum
    });
    merged.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_shows_whatever_there_is_and_what_touches_has_a_gap() {
        let drawn = bar([1, 0, 1_000_000], 1_000_001).into_string();
        assert!(
            drawn.contains("class=\"failed\" x=\"0\" y=\".5\" width=\"3\""),
            "{drawn}"
        );
        assert!(
            drawn.contains("class=\"waiting\" x=\"5\" y=\".5\" width=\"89\""),
            "{drawn}"
        );
        assert!(!drawn.contains("class=\"flagged\""));
    }

    #[test]
    fn bars_show_whatever_there_is_and_never_leave_the_picture() {
        let mut counts = vec![0; 48];
        (counts[0], counts[47]) = (1, 1_000);
        for (most, height) in [(1_000, 24), (2_000, 12), (10, 24)] {
            let drawn = day("failed", &counts, most, "today").into_string();
            let last = format!("M141 24v-{height}h2v{height}z");
            assert!(
                drawn.contains(&last) && drawn.contains("d=\"M0 24v-2h2v2z"),
                "{drawn}"
            );
        }
        assert!(
            !day("failed", &[0; 48], 0, "today")
                .into_string()
                .contains("failed")
        );
    }

    #[test]
    fn a_wait_grows_from_when_it_is_known_to_when_it_ends() {
        let now = Timestamp::from_millis(1_772_366_400_000);
        let minutes = u64::try_from(now.as_millis() / 60_000).unwrap();
        let mut day = Day {
            began: now.before(Duration::from_mins(90)),
            ..Day::default()
        };
        let step = Series::step(now);
        day.oldest.note(step - 18, minutes - 120);
        day.oldest.note(step - 6, 0);
        assert_eq!(waits(&day, now)[43..], [0, 60, 90, 0, 0]);
    }
}
