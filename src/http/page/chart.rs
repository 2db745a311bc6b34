//! Small pictures in SVG. Failed files are filled, flagged ones striped, waiting ones outlined, so that nobody needs the colours.

use std::fmt::Write as _;

use maud::{Markup, html};

use crate::http::page::layout::number;
use crate::http::page::row::BARS;

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
        let width = u128::from(files) * u128::from(WIDTH) / u128::from(most.max(1));
        let width = u64::try_from(width).unwrap_or(WIDTH).max(LEAST);
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

/// Bars over the day, of one or two kinds above each other, on a scale that ends with `most`. A kind is a class and a number for each bar.
pub(super) fn day(kinds: &[(&str, &[u64])], most: u64, label: &str) -> Markup {
    const HEIGHT: u64 = 24;
    let height = |count: u64| {
        let height = u128::from(count) * u128::from(HEIGHT) / u128::from(most.max(1));
        u64::try_from(height)
            .unwrap_or(HEIGHT)
            .max(2 * u64::from(count > 0))
            .min(HEIGHT)
    };
    let mut below = vec![0; BARS];
    html! {
        svg.day viewBox={ "0 0 " (BARS * 3) " " (HEIGHT + 1) } preserveAspectRatio="none" role="img" aria-label=(label) {
            path.grid d=(format!("M0 {y}H{w}M36 0V{y}M72 0V{y}M108 0V{y}", y = HEIGHT, w = BARS * 3)) {}
            @for (class, counts) in kinds {
                @let path = bars(counts, &mut below, height, HEIGHT);
                @if !path.is_empty() { path class=(class) d=(path) {} }
            }
        }
    }
}

/// One path for all bars of a kind, which stand on those below.
fn bars(counts: &[u64], below: &mut [u64], height: impl Fn(u64) -> u64, ground: u64) -> String {
    let mut path = String::new();
    for (place, (count, below)) in counts.iter().zip(below).enumerate() {
        let height = height(*count).min(ground - *below);
        if height > 0 {
            // Writing to a string cannot fail.
            let _ = write!(
                path,
                "M{} {}v-{height}h2v{height}z",
                place * 3,
                ground - *below
            );
            *below += height;
        }
    }
    path
}

/// The marks of time below a picture of the day.
pub(super) fn hours(most: &str) -> Markup {
    html! { p.hours aria-hidden="true" { span { "−24 h" } span { "−12 h" } span { "now" } span.most { (most) } } }
}

/// The largest number of a picture, in words.
pub(super) fn at_most(most: u64, unit: &str) -> String {
    if most == 0 {
        String::new()
    } else {
        format!("highest {}{unit}", number(most))
    }
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
    fn bars_stand_above_each_other_and_never_leave_the_picture() {
        let mut counts = vec![0; BARS];
        counts[47] = 10;
        let drawn = day(&[("failed", &counts), ("flagged", &counts)], 10, "today").into_string();
        assert!(
            drawn.contains("d=\"M141 24v-24h2v24z\"") && !drawn.contains("class=\"flagged\""),
            "{drawn}"
        );
        let drawn = day(&[("failed", &counts), ("flagged", &counts)], 20, "today").into_string();
        assert!(
            drawn.contains("d=\"M141 24v-12h2v12z\"") && drawn.contains("d=\"M141 12v-12h2v12z\""),
            "{drawn}"
        );
    }
}
