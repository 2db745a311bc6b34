//! When something is due: durations, cron lines and windows.

use std::time::Duration;

use chrono::{DateTime, TimeZone, Utc};
use croner::Cron;
use croner::errors::CronError;
use croner::parser::{CronParser, Year};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock::Moment;
use crate::config::value::{Span, read_from_text, unit};

/// Shortest and longest interval between collections.
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_hours(7 * 24);

const CRON_CHARACTERS: usize = 200;

const CRON_LINE: &str = r#"a cron line of six fields, such as "0 */5 * * * *", or five"#;

#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String", untagged)]
#[schemars(
    into = "String",
    title = "a duration from 1s to 7d, or a cron line such as `0 */5 * * * *`",
    inline
)]
pub enum Schedule {
    /// At this interval, from one second to seven days.
    Every(#[serde(serialize_with = "Span::<0>::serialize")] Duration),
    /// Whenever the clock in the configured time zone matches the line.
    Cron(CronLine),
}

impl Schedule {
    /// Takes a duration or a cron line; the error is a sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        match humantime::parse_duration(text) {
            Ok(every) if (SHORTEST..=LONGEST).contains(&every) => Ok(Self::Every(every)),
            Err(_) if has_fields(text) => CronLine::parse(text).map(Self::Cron),
            _ => Err(format!(
                "expected a duration from 1s to 7d, or {CRON_LINE}{}",
                unit(text)
            )),
        }
    }

    /// The longest jitter of starts that are so far apart, whatever is configured.
    pub fn longest_jitter(interval: Duration) -> Duration {
        interval / 10
    }
}

/// A cron line with six fields, seconds first, or five with seconds 0. If both the day of the month and the day of the
/// week are restricted, one match is enough, as in crontab.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct CronLine {
    source: String,
    #[serde(skip)]
    cron: Box<Cron>,
}

impl CronLine {
    /// Takes a line that matches some date; the error is a sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        if !has_fields(text) || text.chars().count() > CRON_CHARACTERS {
            return Err(format!("expected {CRON_LINE}"));
        }
        let cron = CronParser::builder()
            .year(Year::Disallowed)
            .dom_and_dow(false)
            .build()
            .parse(text)
            .map_err(|error| match error {
                // The other errors repeat the line.
                CronError::ComponentError(why) => format!("expected a cron line: {why}"),
                _ => format!("expected {CRON_LINE}"),
            })?;
        cron.find_next_occurrence::<Utc>(&Moment::now().wall.into(), false)
            .map_err(|_| "expected a cron line that matches some date".to_owned())?;
        Ok(Self {
            source: text.to_owned(),
            cron: Box::new(cron),
        })
    }

    /// The first time after `time` that matches the line, in the time zone of `time`; `None` if there is none.
    pub fn next_after<Z: TimeZone>(&self, time: &DateTime<Z>) -> Option<DateTime<Z>> {
        self.cron.find_next_occurrence(time, false).ok()
    }

    /// The line in the syntax of the cron library.
    pub fn pattern(&self) -> &Cron {
        &self.cron
    }
}

fn has_fields(text: &str) -> bool {
    matches!(text.split_whitespace().count(), 5 | 6)
}

/// The minutes that a cron line names.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(
    into = "String",
    title = "a cron line such as `* * 22-23,0-5 * * *`",
    inline
)]
pub struct Window(CronLine);

impl Window {
    /// Takes a line that names whole minutes: its seconds are `*` (docs/configuration.md, Times). The error is a sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        let line = CronLine::parse(text)?;
        let whole_minutes =
            (0..60).all(|second| line.cron.pattern.second_match(second).unwrap_or(false));
        if whole_minutes {
            return Ok(Self(line));
        }
        let expected = r#"expected a cron line that names whole minutes: six fields with "*" for the seconds, such as "* * 22-23 * * *""#;
        Err(expected.to_owned())
    }

    /// Whether the window is open at `time`, in the time zone of `time`.
    pub fn contains<Z: TimeZone>(&self, time: &DateTime<Z>) -> bool {
        self.0.cron.is_time_matching(time).unwrap_or(false)
    }
}

read_from_text!(Schedule, Window);

#[cfg(test)]
mod tests {
    use super::*;
    use chrono_tz::Tz;
    use proptest::prelude::*;

    #[test]
    fn a_duration_lies_between_a_second_and_a_week() {
        for (text, seconds) in [("1s", 1), ("1m", 60), ("7d", 604_800), ("1h 30m", 5_400)] {
            assert_eq!(
                Schedule::parse(text).unwrap(),
                Schedule::Every(Duration::from_secs(seconds))
            );
        }
        for text in ["0s", "999ms", "8d", "1M"] {
            assert_eq!(
                Schedule::parse(text).unwrap_err(),
                format!("expected a duration from 1s to 7d, or {CRON_LINE}")
            );
        }
    }

    #[test]
    fn a_line_comes_true_next_in_the_time_zone_of_the_time() {
        // The first of March 2026 is a Sunday, and Berlin is an hour ahead.
        for (line, zone, after, expected) in [
            (
                "*/5 * * * *",
                Tz::UTC,
                "2026-03-01T10:01:02Z",
                "2026-03-01T10:05:00Z",
            ),
            (
                "30 */5 * * * *",
                Tz::UTC,
                "2026-03-01T10:01:02Z",
                "2026-03-01T10:05:30Z",
            ),
            (
                "0 0 15 * MON",
                Tz::UTC,
                "2026-03-01T00:00:00Z",
                "2026-03-02T00:00:00Z",
            ),
            (
                "0 0 15 * MON",
                Tz::UTC,
                "2026-03-09T00:00:00Z",
                "2026-03-15T00:00:00Z",
            ),
            (
                "0 0 13 * * *",
                Tz::Europe__Berlin,
                "2026-03-01T11:00:00Z",
                "2026-03-01T12:00:00Z",
            ),
        ] {
            let time = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
            let line_read = CronLine::parse(line).unwrap();
            let next = line_read.next_after(&time(after).with_timezone(&zone));
            assert_eq!(next.unwrap(), time(expected), "{line} in {zone}");
        }
    }

    #[test]
    fn a_line_that_never_comes_true_is_refused() {
        for text in [
            "0 0 0 30 2 *",
            "0 0 31 4 *",
            "",
            "*",
            "* * * *",
            "0 0 0 1 1 * 2030",
            "@daily",
            "60 * * * *",
        ] {
            assert!(CronLine::parse(text).is_err(), "{text:?}");
        }
        assert!(CronLine::parse("0 0 29 2 *").is_ok());
    }

    #[test]
    fn a_window_is_open_for_the_minutes_that_it_names() {
        let window = Window::parse("* * 22-23,0-5 * * *").unwrap();
        for (time, open) in [
            ("2026-03-01T21:59:59Z", false),
            ("2026-03-01T22:00:00Z", true),
            ("2026-03-02T05:59:59Z", true),
            ("2026-03-02T06:00:00Z", false),
        ] {
            let time: DateTime<Utc> = time.parse().unwrap();
            assert_eq!(window.contains(&time), open, "{time}");
        }
        for text in [
            "0 * 22 * * *",
            "* 22-23 * * *",
            "*/2 * * * * *",
            "0-58 * * * * *",
        ] {
            assert!(Window::parse(text).is_err(), "{text}");
        }
        assert!(Window::parse("0-59 0-30 * * * *").is_ok());
    }

    /// One field of a cron line with values from `low` to `high`.
    fn field(low: u8, high: u8) -> impl Strategy<Value = String> {
        let value = low..=high;
        prop_oneof![
            Just("*".to_owned()),
            value.clone().prop_map(|value| value.to_string()),
            (value.clone(), value.clone()).prop_map(|(one, other)| format!(
                "{}-{}",
                one.min(other),
                one.max(other)
            )),
            (value.clone(), value).prop_map(|(one, other)| format!("{one},{other}")),
            (1..=high).prop_map(|step| format!("*/{step}")),
        ]
    }

    proptest! {
        #[test]
        fn every_line_of_usual_fields_names_a_later_time(
            seconds in field(0, 59),
            minutes in field(0, 59),
            hours in field(0, 23),
            // Each month has these days.
            day in field(1, 28),
            month in field(1, 12),
            weekday in field(0, 6),
            after in 0_i64..4_000_000_000,
        ) {
            let text = format!("{seconds} {minutes} {hours} {day} {month} {weekday}");
            let after = DateTime::from_timestamp(after, 0).unwrap();
            let line = CronLine::parse(&text).unwrap();
            let next = line.next_after(&after);
            prop_assert!(next.is_some_and(|next| next > after), "{text}: {next:?}");
        }

        #[test]
        fn no_text_breaks_the_reading_of_a_cron_line(text in "([0-9*/,LW#?-]{1,6} ){4,6}[0-9*A-Z]{0,3}") {
            if let Err(error) = CronLine::parse(&text) {
                prop_assert!(error.starts_with("expected a cron line"), "{error}");
            }
        }
    }
}
