//! What the rules say of a folder, by its last day.

use super::*;

const NOON: i64 = 1_772_366_400_000;

/// Counters that grew by these numbers in each of the last steps, and by nothing before.
fn entries(growth: &[u64]) -> Series {
    let now = Series::step(Timestamp::from_millis(NOON));
    let mut series = Series::default();
    let mut sum = 100;
    series.note(now - Series::DAY, sum);
    let first = now + 1 - u32::try_from(growth.len()).unwrap();
    for (step, more) in (first..).zip(growth) {
        sum += more;
        series.note(step, sum);
    }
    series
}

#[test]
fn the_shipped_rules_have_every_threshold() {
    let mut all = Limit::ALL.into_iter();
    assert!(all.all(|limit| limit.value().is_finite()));
}

#[test]
fn every_rule_of_the_page_is_shipped() {
    for rule in Rule::ALL {
        let alert = format!("- alert: {}\n", rule.as_str());
        assert!(SHIPPED.contains(&alert), "{rule:?}");
    }
}

#[test]
fn a_spike_is_more_than_the_least_and_than_what_is_usual() {
    let now = Timestamp::from_millis(NOON);
    let daily = [5_u64; 280];
    let daily_and_more = [&daily[..], &[25, 25, 25]].concat();
    let bursts = [4, 0, 0, 4, 0, 0, 4, 0, 0, 4, 0, 0].repeat(20);
    for (growth, minutes, expected) in [
        (&[10][..], 1, true),
        (&[9], 1, false),
        (&[4, 4, 4], 1, true),
        (&[10, 0, 0, 0], 1, false),
        (&[10, 0, 0, 0, 0, 0], 30, true),
        (&daily[..], 1, false),
        (&daily_and_more[..], 1, true),
        (&[&bursts[..], &[12]].concat()[..], 1, false),
        (&[&bursts[..], &[24]].concat()[..], 1, true),
    ] {
        let interval = Duration::from_mins(minutes);
        let entries = entries(growth);
        let judged = is_spike(&entries, [10.0, 4.0], interval, now);
        let last: Vec<_> = growth.iter().rev().take(5).collect();
        assert_eq!(judged, expected, "{last:?}");
    }
}

#[test]
fn a_spike_has_the_entries_since_its_first_count_within_the_day() {
    let now = Timestamp::from_millis(NOON);
    let entries = entries(&[7, 0, 0, 0, 0, 0, 0, 0, 0, 20, 0, 30, 10]);
    let since = now.before(Duration::from_mins(12));
    assert_eq!(spike(&entries, since, now), (60, since));
    let day = now.before(Duration::from_hours(24));
    assert_eq!(spike(&entries, Timestamp::default(), now), (67, day));
}

#[test]
fn waiting_files_are_stuck_after_an_hour_where_counts_are_frequent() {
    let now = Timestamp::from_millis(NOON);
    let files = ByStatus::from_fn(|status| u64::from(status == Status::Pending));
    for (minutes, interval, stuck) in [
        (59, 1, false),
        (60, 1, true),
        (60, 60, true),
        (600, 61, false),
    ] {
        let moved = now.before(Duration::from_mins(minutes));
        let day = Day {
            moved,
            ..Day::default()
        };
        let judged = stuck_since(&day, &files, Duration::from_mins(interval), now);
        assert_eq!(judged, stuck.then_some(moved), "{minutes} {interval}");
    }
    let done = ByStatus::default();
    assert_eq!(stuck_since(&Day::default(), &files, STUCK, now), None);
    let old = Day {
        moved: Timestamp::from_millis(1),
        ..Day::default()
    };
    assert_eq!(stuck_since(&old, &done, STUCK, now), None);
}
