//! Schedules on clocks that are set, and on machines that sleep.

use super::*;

use chrono_tz::Europe::Berlin;
use proptest::prelude::*;

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

fn due(schedule: &str, jitter: u64) -> Due {
    let schedule = Schedule::parse(schedule).unwrap();
    let mut due = Due::new(schedule, Tz::UTC, Duration::from_secs(jitter));
    due.start.wall = Timestamp::parse("2026-06-01T00:00:00Z").unwrap();
    due
}

/// Both clocks in seconds: since the start, and since midnight of 1 June 2026.
fn at(due: &Due, passed: i64, calendar: i64) -> Moment {
    Moment {
        wall: due.start.wall.moved(calendar * 1_000),
        steady: due.start.steady + Duration::from_secs(passed.try_into().unwrap()),
    }
}

fn take(due: &mut Due, passed: i64, calendar: i64, draw: f64) -> Option<Tick> {
    let now = at(due, passed, calendar);
    due.take(now, draw)
}

/// The seconds since the start at which it ran, asked at some; `steps` set the calendar: (when, by how much).
fn runs(schedule: &str, asked: impl IntoIterator<Item = i64>, steps: &[(i64, i64)]) -> Vec<i64> {
    let mut due = due(schedule, 0);
    let mut ran = |passed: &i64| {
        let steps = steps.iter().filter(|step| step.0 <= *passed);
        let step: i64 = steps.map(|step| step.1).sum();
        take(&mut due, *passed, *passed + step, 0.0).is_some()
    };
    asked.into_iter().filter(|passed| ran(passed)).collect()
}

#[test]
fn the_first_run_is_due_at_once_and_missed_ones_are_one() {
    for (asked, expected) in [
        (vec![0], vec![0]),
        (vec![0, 1, 59], vec![0]),
        (vec![0, 60, 119, 120], vec![0, 60, 120]),
        (vec![0, 61, 119, 120], vec![0, 61, 120]),
        (vec![0, 3600, 3601, 3659], vec![0, 3600]),
        (vec![0, 3630, 3660, 3690], vec![0, 3630, 3690]),
    ] {
        assert_eq!(runs("1m", asked.clone(), &[]), expected, "{asked:?}");
    }
}

#[test]
fn a_duration_does_not_follow_the_calendar() {
    for step in [-DAY, DAY] {
        assert_eq!(runs("5m", 0..901, &[(400, step)]), [0, 300, 600, 900]);
    }
}

#[test]
fn a_cron_line_follows_the_calendar_however_it_is_set() {
    for (story, steps, expected) in [
        ("left alone", vec![], vec![0, 300, 600, 900]),
        ("an hour back", vec![(400, -HOUR)], vec![0, 300, 600, 900]),
        ("corrected", vec![(301, -1)], vec![0, 300, 601]),
        (
            "back at an occurrence, which runs again",
            vec![(301, -3)],
            vec![0, 300, 303, 603],
        ),
        ("forward", vec![(400, DAY)], vec![0, 300, 400, 600, 900]),
        (
            "forward and back",
            vec![(400, DAY), (500, -DAY)],
            vec![0, 300, 400, 600, 900],
        ),
    ] {
        assert_eq!(runs("*/5 * * * *", 0..901, &steps), expected, "{story}");
    }
}

#[test]
fn a_suspended_machine_makes_up_for_all_with_one_run() {
    let mut due = due("* * * * *", 0);
    assert!(take(&mut due, 0, 0, 0.0).is_some());
    let tick = take(&mut due, 30, DAY + 30, 0.0).expect("many were missed");
    assert_eq!(tick.next, at(&due, 60, DAY + 60).wall, "the next minute");
    assert_eq!(take(&mut due, 59, DAY + 59, 0.0), None);
    assert!(take(&mut due, 60, DAY + 60, 0.0).is_some());
}

#[test]
fn the_interval_is_the_longer_of_the_gaps_on_both_sides() {
    let mut due = due("0,10 2 * * *", 0);
    let mut interval = |seconds| {
        let tick = take(&mut due, seconds, seconds, 0.0).expect("it is due");
        i64::try_from(tick.interval.as_secs()).unwrap()
    };
    assert_eq!(interval(HOUR), HOUR, "started at one o'clock");
    assert_eq!(interval(2 * HOUR), HOUR);
    assert_eq!(interval(2 * HOUR + 600), DAY - 600);
    assert_eq!(interval(DAY + 2 * HOUR), DAY - 600);
}

#[test]
fn jitter_is_a_tenth_of_the_gap_that_follows_at_most() {
    let mut cron = due("0,10 2 * * *", 7200);
    let mut next = |seconds| take(&mut cron, seconds, seconds, 1.0).unwrap().next;
    let (first, second) = (next(HOUR), next(2 * HOUR + 60));
    assert_eq!(first, at(&cron, 0, 2 * HOUR + 60).wall);
    assert_eq!(second, at(&cron, 0, 2 * HOUR + 600 + 7200).wall);
    let mut timer = due("1m", 60);
    let tick = take(&mut timer, 0, 0, 0.5).unwrap();
    assert_eq!(tick.next, at(&timer, 0, 63).wall);
}

#[test]
fn a_line_without_a_time_to_come_ticks_after_a_day() {
    let mut due = due("0 0 29 2 *", 0);
    // The calendar ends before the next 29 February.
    due.start.wall = Timestamp::parse("9999-12-31T00:00:00Z").unwrap();
    let tick = take(&mut due, 0, 0, 0.0).expect("the first is due at once");
    assert_eq!(tick.next, at(&due, 0, DAY).wall);
    assert_eq!(take(&mut due, HOUR, HOUR, 0.0), None);
    assert!(take(&mut due, DAY, DAY, 0.0).is_some());
}

proptest! {
    #[test]
    fn runs_keep_their_distance_and_none_is_missed(
        schedule in prop::sample::select(vec![("1m", 60), ("17s", 17), ("*/5 * * * *", 300), ("*/30 * * * *", 1800)]),
        jitter in 0..600_u64,
        first in 0..DAY,
        draws in prop::collection::vec(0.0..1.0_f64, 1..2000),
    ) {
        let ((schedule, gap), mut last) = (schedule, None);
        let mut due = due(schedule, jitter);
        due.timezone = Berlin;
        let tolerance = gap / 10 + 1;
        for (passed, draw) in (0_i64..).zip(draws) {
            let since = last.map(|last| passed - last);
            if take(&mut due, passed, first + passed, draw).is_some() {
                // The first run of a cron line may come just before an occurrence.
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
        let ran = runs("*/5 * * * *", 0..3600, &steps);
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
