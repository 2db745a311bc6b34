//! The next time that a cron line names, where local time jumps twice a year.
//!
//! As in Vixie cron: a line with one fixed time of day runs once on the day of a change, an hour that is repeated or left out
//! notwithstanding; every other line follows the time that really passes. croner alone names times gone by, or leaves out the
//! repeated hour, when it is asked from within one.

use chrono::{DateTime, FixedOffset, Offset, SubsecRound, TimeZone, Utc};
use chrono_tz::Tz;
use croner::{Cron, JobType};

/// The first time after `after` that the line names; none when there is none to come.
pub(super) fn next_after(line: &Cron, timezone: Tz, after: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let after = after.trunc_subsecs(0);
    match line.determine_job_type() {
        JobType::FixedTime => next_time_of_day(line, timezone, after),
        JobType::IntervalWildcard => next_as_time_passes(line, timezone, after),
    }
}

/// In the second pass of a repeated hour croner names the time in the first; the one after that is meant.
fn next_time_of_day(line: &Cron, timezone: Tz, after: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let next = |from: DateTime<Tz>| line.find_next_occurrence(&from, false).ok();
    let first = next(after.with_timezone(&timezone))?;
    let found = if first > after { first } else { next(first)? };
    Some(found.to_utc())
}

/// Reads the line with the present offset from UTC while that holds, and then continues from the change with the next one.
fn next_as_time_passes(line: &Cron, timezone: Tz, after: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let (mut from, mut inclusive) = (after, false);
    loop {
        let offset = offset_at(timezone, from);
        let found = line
            .find_next_occurrence(&from.with_timezone(&offset), inclusive)
            .ok()?
            .to_utc();
        if offset_at(timezone, found) == offset {
            return Some(found);
        }
        (from, inclusive) = (change_between(timezone, from, found)?, true);
    }
}

fn offset_at(timezone: Tz, time: DateTime<Utc>) -> FixedOffset {
    timezone.offset_from_utc_datetime(&time.naive_utc()).fix()
}

/// The first second with another offset than at `from`; there is one up to `to`.
fn change_between(timezone: Tz, from: DateTime<Utc>, to: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let offset = offset_at(timezone, from);
    let (mut before, mut changed) = (from.timestamp(), to.timestamp());
    while changed - before > 1 {
        let middle = i64::midpoint(before, changed);
        if offset_at(timezone, DateTime::from_timestamp_secs(middle)?) == offset {
            before = middle;
        } else {
            changed = middle;
        }
    }
    DateTime::from_timestamp_secs(changed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::SecondsFormat;
    use chrono_tz::{America::New_York, Asia::Kolkata, Australia::Lord_Howe, Europe::Berlin};
    use proptest::prelude::*;

    /// A line, its time zone, a time, and when the line comes true after that. Berlin leaves out 02:00 to 03:00 on 29 March 2026 (at 01:00 UTC)
    /// and repeats it on 25 October (until 01:00 UTC).
    const TABLE: &str = "
        0 */5 * * * *  | UTC              | 2026-06-01T00:02:03.456Z | 2026-06-01T00:05:00.000Z
        0 */5 * * * *  | UTC              | 2026-06-01T00:05:00Z     | 2026-06-01T00:10:00.000Z
        0 */5 * * * *  | UTC              | 2026-06-01T00:04:59.999Z | 2026-06-01T00:05:00.000Z
        0 0 2 * * *    | Europe/Berlin    | 2026-06-01T00:00:00Z     | 2026-06-02T00:00:00.000Z
        0 0 2 * * *    | America/New_York | 2026-06-01T00:00:00Z     | 2026-06-01T06:00:00.000Z
        0 0 * * * *    | Asia/Kolkata     | 2026-06-01T00:00:00Z     | 2026-06-01T00:30:00.000Z
        0 0 0 29 2 *   | UTC              | 2026-06-01T00:00:00Z     | 2028-02-29T00:00:00.000Z
        0 0 0 30 2 *   | UTC              | 2026-06-01T00:00:00Z     | never
        0 * * 30 2 *   | Europe/Berlin    | 2026-06-01T00:00:00Z     | never
        a fixed time comes once where the hour is left out or repeated
        0 30 2 * * *   | Europe/Berlin    | 2026-03-28T12:00:00Z     | 2026-03-29T01:00:00.000Z
        0 30 2 * * *   | Europe/Berlin    | 2026-03-29T01:00:00Z     | 2026-03-30T00:30:00.000Z
        0 30 2 * * *   | Europe/Berlin    | 2026-10-24T12:00:00Z     | 2026-10-25T00:30:00.000Z
        0 30 2 * * *   | Europe/Berlin    | 2026-10-25T00:30:00Z     | 2026-10-26T01:30:00.000Z
        0 30 2 * * *   | Europe/Berlin    | 2026-10-25T01:10:00Z     | 2026-10-26T01:30:00.000Z
        other lines follow the time that passes
        0 */20 * * * * | Europe/Berlin    | 2026-03-29T00:50:00Z     | 2026-03-29T01:00:00.000Z
        0 */20 * * * * | Europe/Berlin    | 2026-10-25T00:50:00Z     | 2026-10-25T01:00:00.000Z
        0 */20 * * * * | Europe/Berlin    | 2026-10-25T01:10:00Z     | 2026-10-25T01:20:00.000Z
        0 0,30 2 * * * | Europe/Berlin    | 2026-10-25T00:30:00Z     | 2026-10-25T01:00:00.000Z
        0 0,30 2 * * * | Europe/Berlin    | 2026-03-29T00:00:00Z     | 2026-03-30T00:00:00.000Z
        * * 1 * * *    | Europe/Berlin    | 2026-10-25T00:00:00Z     | 2026-10-26T00:00:00.000Z
        0 0 3-4 * * *  | Europe/Berlin    | 2026-10-25T00:59:59Z     | 2026-10-25T02:00:00.000Z
        half an hour is left out: 02:00 becomes 02:30
        0 */20 * * * * | Australia/Lord_Howe | 2026-10-03T15:29:00Z  | 2026-10-03T15:40:00.000Z";

    #[test]
    fn lines_come_true_as_in_the_table() {
        let rows = TABLE.lines().filter(|row| row.contains('|'));
        for row in rows {
            let [line, timezone, after, expected] =
                *row.split('|').map(str::trim).collect::<Vec<_>>()
            else {
                panic!("{row}");
            };
            let line: Cron = line.parse().unwrap();
            let after = DateTime::parse_from_rfc3339(after).unwrap().to_utc();
            let next = next_after(&line, timezone.parse().unwrap(), after);
            let next = next.map_or("never".into(), |next| {
                next.to_rfc3339_opts(SecondsFormat::Millis, true)
            });
            assert_eq!(next, expected, "{row}");
        }
    }

    proptest! {
        #[test]
        fn a_line_for_each_minute_names_each_minute(
            seconds in 1_600_000_000_i64..2_000_000_000,
            timezone in prop::sample::select(vec![Berlin, New_York, Kolkata, Lord_Howe, Tz::Africa__Casablanca]),
        ) {
            let line: Cron = "0 * * * * *".parse().unwrap();
            let after = DateTime::from_timestamp_secs(seconds).unwrap();
            let next = next_after(&line, timezone, after).unwrap();
            prop_assert_eq!(next.timestamp(), (seconds / 60 + 1) * 60);
        }

        #[test]
        fn a_time_of_day_comes_after_at_least_a_minute_and_at_most_a_day_and_an_hour(
            seconds in 1_600_000_000_i64..2_000_000_000,
            hour in 0..24,
            minute in 0..60,
        ) {
            let line: Cron = format!("0 {minute} {hour} * * *").parse().unwrap();
            let after = DateTime::from_timestamp_secs(seconds).unwrap();
            let next = next_after(&line, Berlin, after).unwrap();
            prop_assert!(next > after);
            prop_assert!((next - after).num_hours() <= 25);
        }
    }
}
