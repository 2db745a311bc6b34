//! Cron lines on calendars that are set, and on days that are longer or shorter.

use super::*;

use chrono_tz::Europe::Berlin;
use proptest::prelude::*;

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

fn calendar(line: &str, jitter: u64) -> Calendar {
    Calendar::new(line.parse().unwrap(), Tz::UTC, Duration::from_secs(jitter))
}

/// Both clocks in seconds: since the start, and since midnight of 1 June 2026.
fn at(start: Instant, passed: i64, calendar: i64) -> Moment {
    let midnight = Timestamp::parse("2026-06-01T00:00:00Z").unwrap();
    Moment {
        wall: midnight.moved(calendar * 1_000),
        steady: start + Duration::from_secs(passed.try_into().unwrap()),
    }
}

/// The seconds since the start at which the line ran, asked each second; `steps` set the calendar: (when, by how much).
fn runs(line: &str, seconds: i64, steps: &[(i64, i64)]) -> Vec<i64> {
    let start = Moment::now().steady;
    let mut calendar = calendar(line, 0);
    (0..seconds)
        .filter(|&passed| {
            let step: i64 = steps
                .iter()
                .filter(|step| step.0 <= passed)
                .map(|step| step.1)
                .sum();
            calendar
                .take(at(start, passed, passed + step), 0.0)
                .is_some()
        })
        .collect()
}

#[test]
fn each_occurrence_runs_once_whatever_is_done_to_the_clock() {
    for (story, steps, expected) in [
        ("left alone", vec![], vec![0, 300, 600, 900]),
        ("an hour back", vec![(400, -HOUR)], vec![0, 300, 600, 900]),
        ("and a bit", vec![(400, -HOUR - 30)], vec![0, 300, 630]),
        ("back, just after a run", vec![(301, -2)], vec![0, 300, 602]),
        ("forward", vec![(400, DAY)], vec![0, 300, 400, 600, 900]),
        (
            "forward and back",
            vec![(400, DAY), (500, -DAY)],
            vec![0, 300, 400, 600, 900],
        ),
    ] {
        assert_eq!(runs("0 */5 * * * *", 901, &steps), expected, "{story}");
    }
    for (story, step, expected) in [
        ("an hour back", (2 * HOUR + 60, -HOUR), vec![0, 2 * HOUR]),
        ("a day forward", (HOUR, DAY), vec![0, HOUR, 2 * HOUR]),
    ] {
        let ran = runs("0 0 2 * * *", 4 * HOUR, &[step]);
        assert_eq!(ran, expected, "nightly, {story}");
    }
}

#[test]
fn a_suspended_machine_makes_up_for_all_with_one_run() {
    let start = Moment::now().steady;
    let mut calendar = calendar("0 * * * * *", 0);
    assert!(calendar.take(at(start, 0, 0), 0.0).is_some());
    let tick = calendar
        .take(at(start, 30, DAY + 30), 0.0)
        .expect("many were missed");
    assert_eq!(
        tick.interval,
        Duration::from_mins(1),
        "the sleep is no interval of the schedule"
    );
    assert_eq!(tick.next, Some(at(start, 60, DAY + 60).wall));
    assert_eq!(calendar.take(at(start, 59, DAY + 59), 0.0), None);
    assert!(calendar.take(at(start, 60, DAY + 60), 0.0).is_some());
}

#[test]
fn the_interval_is_the_longer_of_the_gaps_on_both_sides() {
    let start = Moment::now().steady;
    let mut calendar = calendar("0 0,10 2 * * *", 0);
    let mut interval = |seconds| {
        let tick = calendar
            .take(at(start, seconds, seconds), 0.0)
            .expect("it is due");
        i64::try_from(tick.interval.as_secs()).unwrap()
    };
    assert_eq!(interval(HOUR), HOUR, "started at one o'clock");
    assert_eq!(interval(2 * HOUR), HOUR);
    assert_eq!(interval(2 * HOUR + 600), DAY - 600);
    assert_eq!(interval(DAY + 2 * HOUR), DAY - 600);
}

#[test]
fn jitter_is_a_tenth_of_the_gap_that_follows_at_most() {
    let start = Moment::now().steady;
    let mut calendar = calendar("0 0,10 2 * * *", 7200);
    let mut next = |seconds| {
        let tick = calendar
            .take(at(start, seconds, seconds), 1.0)
            .expect("it is due");
        tick.next.expect("a line for every day")
    };
    assert_eq!(
        next(HOUR),
        at(start, 0, 2 * HOUR + 60).wall,
        "ten minutes follow"
    );
    assert_eq!(
        next(2 * HOUR + 60),
        at(start, 0, 2 * HOUR + 600 + 7200).wall
    );
}

#[test]
fn a_line_without_a_time_to_come_waits_for_good() {
    let start = Moment::now().steady;
    let mut calendar = calendar("0 0 0 30 2 *", 0);
    let tick = calendar
        .take(at(start, 0, 0), 0.0)
        .expect("the first is due at once");
    assert_eq!(
        tick,
        Tick {
            interval: Duration::ZERO,
            next: None
        }
    );
    assert_eq!(calendar.wait(at(start, DAY, DAY)), None);
    assert_eq!(calendar.take(at(start, DAY, DAY), 0.0), None);
}

proptest! {
    #[test]
    fn runs_keep_their_distance_and_none_is_missed(
        minutes in prop::sample::select(vec![1_i64, 2, 5, 10, 15, 30]),
        jitter in 0..600_u64,
        first in 0..DAY,
        draws in prop::collection::vec(0.0..1.0_f64, 1..2000),
    ) {
        let start = Moment::now().steady;
        let mut calendar = calendar(&format!("0 */{minutes} * * * *"), jitter);
        calendar.timezone = Berlin;
        let gap = minutes * 60;
        let tolerance = gap / 10 + 1;
        let mut last: Option<i64> = None;
        for (passed, draw) in (0_i64..).zip(draws) {
            let since = last.map(|last| passed - last);
            if calendar.take(at(start, passed, first + passed), draw).is_some() {
                // The first run is no occurrence: it may come just before one.
                prop_assert!(since.is_none_or(|since| since >= gap - tolerance || last == Some(0)));
                last = Some(passed);
            } else {
                prop_assert!(since.is_some_and(|since| since < gap + tolerance));
            }
        }
    }

    #[test]
    fn no_clock_stalls_it_or_makes_it_burst(
        steps in prop::collection::vec((0..3000_i64, -2 * DAY..2 * DAY), 0..4),
    ) {
        let ran = runs("0 */5 * * * *", 3600, &steps);
        // Twelve fit into the hour, the first besides; each step may add one of its own and one for its new rhythm.
        prop_assert!(ran.len() <= 13 + 2 * steps.len(), "burst: {:?}", ran);
        let ends = ran.iter().copied().skip(1).chain([3600]);
        for (&run, next) in ran.iter().zip(ends) {
            let steps_between = steps.iter().filter(|step| (run..=next).contains(&step.0)).count();
            let patience = 300 * (1 + i64::try_from(steps_between).unwrap());
            prop_assert!(next - run <= patience, "stalled: {:?}", ran);
        }
    }
}
