//! Small pictures in SVG: a bar of statuses, and entries over time.

use maud::{Markup, html};

use crate::model::{ByStatus, Status};
use crate::trend::Entered;

/// The class of a status in the style sheet.
pub(super) fn class(status: Status) -> &'static str {
    match status {
        Status::Pending => "s-pending",
        Status::Processing => "s-processing",
        Status::Done => "s-done",
        Status::Failed => "s-failed",
        Status::Flagged => "s-flagged",
        Status::Unknown => "s-unknown",
    }
}

pub(super) fn legend() -> Markup {
    html! {
        ul.legend {
            @for status in Status::ALL {
                li {
                    svg.key viewBox="0 0 1 1" aria-hidden="true" { rect class=(class(status)) width="1" height="1" {} }
                    (status.as_str())
                }
            }
        }
    }
}

/// The statuses of a folder's files as one stacked bar.
pub(super) fn bar(files: &ByStatus<u64>) -> Markup {
    let total = files.total();
    let words: Vec<_> = files
        .shown()
        .filter(|(_, count)| *count > 0)
        .map(|(status, count)| format!("{count} {}", status.as_str()))
        .collect();
    let label = if words.is_empty() {
        "no files".to_owned()
    } else {
        words.join(", ")
    };
    html! {
        svg.bar viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label=(label) {
            title { (label) }
            @if total == 0 {
                rect.s-none width="1000" height="10" {}
            } @else {
                @for (status, x, width) in segments(files) {
                    rect class=(class(status)) x=(x) width=(width) height="10" {}
                }
            }
        }
    }
}

/// The segments of a bar of 1,000 units: status, beginning, width. Every status with files is wide enough to be seen.
fn segments(files: &ByStatus<u64>) -> Vec<(Status, u64, u64)> {
    const WIDTH: u64 = 1_000;
    const LEAST: u64 = 12;
    let present: Vec<_> = files.iter().filter(|(_, count)| **count > 0).collect();
    let total = u128::from(files.total().max(1));
    let free = WIDTH - LEAST * present.len() as u64;
    let mut x = 0;
    let mut segments = Vec::new();
    for (status, count) in present {
        let share = u128::from(*count) * u128::from(free) / total;
        let width = LEAST + u64::try_from(share).unwrap_or(free);
        segments.push((status, x, width));
        x += width;
    }
    if let Some((_, x, width)) = segments.last_mut() {
        *width = WIDTH - *x;
    }
    segments
}

/// Failed and flagged entries over time, as bars: `steps` of which `each` make a bar.
pub(super) fn entries(steps: &[Entered], each: usize, class: &str, over: &str) -> Markup {
    const HEIGHT: u64 = 100;
    let bars: Vec<_> = steps.chunks(each).map(sum).collect();
    let [failed, flagged] = sum(steps);
    let most = bars.iter().map(|[failed, flagged]| failed + flagged).max();
    let most = most.unwrap_or(0).max(1);
    let height = |count: u64| (count * HEIGHT).div_ceil(most).min(HEIGHT);
    let label = format!("{failed} failed and {flagged} flagged in {over}");
    let width = bars.len() * 10;
    html! {
        svg class=(class) viewBox=(format!("0 0 {width} {HEIGHT}")) preserveAspectRatio="none" role="img" aria-label=(label) {
            title { (label) }
            rect.s-none y=(HEIGHT - 2) width=(width) height="2" {}
            @for (number, [failed, flagged]) in bars.into_iter().enumerate() {
                @let (upper, lower) = (height(flagged), height(failed));
                @if failed > 0 {
                    rect.s-failed x=(number * 10) y=(HEIGHT - lower) width="8" height=(lower) {}
                }
                @if flagged > 0 {
                    rect.s-flagged x=(number * 10) y=(HEIGHT.saturating_sub(lower + upper)) width="8" height=(upper) {}
                }
            }
        }
    }
}

/// Failed and flagged entries of some steps.
pub(super) fn sum(steps: &[Entered]) -> [u64; 2] {
    let of = |count: fn(&Entered) -> u32| steps.iter().map(|step| u64::from(count(step))).sum();
    [of(|step| step.failed), of(|step| step.flagged)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_bar_is_filled_and_shows_whatever_there_is(counts in prop::array::uniform6(prop_oneof![Just(0_u64), any::<u32>().prop_map(u64::from)])) {
            let mut counts = counts.into_iter();
            let files = ByStatus::from_fn(|_| counts.next().unwrap());
            let segments = segments(&files);
            let present = files.iter().filter(|(_, count)| **count > 0).count();
            prop_assert_eq!(segments.len(), present);
            let mut end = 0;
            for (_, x, width) in &segments {
                prop_assert_eq!(*x, end);
                prop_assert!(*width >= 12);
                end += width;
            }
            prop_assert_eq!(end, if present > 0 { 1_000 } else { 0 });
        }
    }

    #[test]
    fn entries_say_in_words_what_they_draw() {
        let step = |failed, flagged| Entered { failed, flagged };
        let drawn = entries(
            &[step(3, 0), step(0, 0), step(1, 2)],
            1,
            "spark",
            "15 minutes",
        )
        .into_string();
        assert!(
            drawn.contains("aria-label=\"4 failed and 2 flagged in 15 minutes\""),
            "{drawn}"
        );
        assert_eq!(drawn.matches("s-failed").count(), 2);
        assert_eq!(drawn.matches("s-flagged").count(), 1);
    }
}
