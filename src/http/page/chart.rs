//! The entries of a day into failed and flagged by hour, as a small picture in SVG and in words. Failed files are filled, flagged ones striped, so
//! that nobody needs the colours.

use std::fmt::Write as _;

use maud::{Markup, html};

use crate::history::Day;
use crate::http::page::layout::{As, number, things, time};
use crate::model::{Series, Timestamp};

/// Hours of a day.
const HOURS: usize = 24;

const HOUR: u32 = Series::HOUR;

/// Width and distance of the bars, and the height of the picture.
const BAR: usize = 5;
const PLACE: usize = 6;
const HEIGHT: u64 = 40;

/// Files that failed and files that were flagged, by hour, and when the first hour began.
struct Entries {
    failed: [u64; HOURS],
    flagged: [u64; HOURS],
    first: u32,
}

impl Entries {
    fn of<'a>(days: impl Iterator<Item = &'a Day>, now: Timestamp) -> Self {
        let last = Series::step(now);
        let end = last - last % HOUR + HOUR - 1;
        let mut entries = Self {
            failed: [0; HOURS],
            flagged: [0; HOURS],
            first: (end + 1).saturating_sub(Series::DAY),
        };
        for day in days {
            for (hour, end) in (0..HOURS).zip((entries.first - 1..).step_by(HOUR as usize)) {
                let grown = |series: &Series| series.at(end + HOUR).saturating_sub(series.at(end));
                entries.failed[hour] += grown(&day.failed_entries);
                entries.flagged[hour] += grown(&day.flagged_entries);
            }
        }
        entries
    }

    /// The hour with most entries, and their number.
    fn most(&self) -> (usize, u64) {
        let sums = self.failed.iter().zip(&self.flagged);
        let sums = sums.map(|(failed, flagged)| failed + flagged).enumerate();
        sums.max_by_key(|(_, files)| *files).unwrap_or_default()
    }
}

/// The picture, if there is an entry, and its numbers.
pub(super) fn entries<'a>(days: impl Iterator<Item = &'a Day>, now: Timestamp) -> Markup {
    let entries = Entries::of(days, now);
    let (hour, most) = entries.most();
    let step = entries.first + HOUR * u32::try_from(hour).unwrap_or_default();
    let [failed, flagged] = [&entries.failed, &entries.flagged].map(|files| files.iter().sum());
    html! {
        p.quiet {
            "In 24 hours: " (things(failed, "file", "files")) " failed, " (number(flagged)) " flagged"
            @if most > 0 { "; most in the hour from " (time(Series::begin(step), As::Clock)) ": " (number(most)) }
            "."
        }
        @if most > 0 { (picture(&entries, most)) }
    }
}

fn picture(entries: &Entries, most: u64) -> Markup {
    let height = |files: u64| match files {
        0 => 0,
        files => (files.saturating_mul(HEIGHT) / most).max(2),
    };
    let (mut failed, mut flagged) = (String::new(), String::new());
    for hour in 0..HOURS {
        let [of_failed, of_flagged] = [entries.failed[hour], entries.flagged[hour]].map(height);
        let (x, top) = (hour * PLACE, HEIGHT.saturating_sub(of_failed));
        for (bars, bottom, height) in [
            (&mut failed, HEIGHT, of_failed),
            (&mut flagged, top, of_flagged),
        ] {
            if height > 0 {
                // Writing to a string cannot fail.
                let _ = write!(bars, "M{x} {bottom}v-{height}h{BAR}v{height}z");
            }
        }
    }
    let (width, above) = (HOURS * PLACE, 2);
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
        day.failed_entries.note(step - 2 * HOUR, 64);
        day.flagged_entries.note(step, 3);
        let entries = Entries::of([&day, &day].into_iter(), now);
        assert_eq!(entries.failed[21], 114);
        assert_eq!(entries.failed.iter().sum::<u64>(), 114);
        assert_eq!(entries.flagged[23], 6);
        let hour = Series::begin(step - 2 * HOUR);
        assert!(now.since(hour) <= Duration::from_hours(2));
        let shown = super::entries([&day, &day].into_iter(), now).into_string();
        for said in [
            "114 files failed, 6 flagged; most in the hour from",
            ": 114.",
        ] {
            assert!(shown.contains(said), "{shown}");
        }
    }
}
