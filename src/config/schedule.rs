//! When something is due: durations, cron lines and windows.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, TimeZone, Utc};
use croner::Cron;
use croner::parser::{CronParser, Year};
use serde::Deserialize;
use serde::de::Deserializer;

use crate::config::scalar;

/// Shortest and longest interval between collections.
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_hours(7 * 24);

/// Longest cron line, in characters.
const CRON_CHARACTERS: usize = 200;

/// What a duration or a cron line looks like, for errors.
const EXAMPLES: &str = r#"a duration such as 1m nor a cron line such as "0 */5 * * * *""#;

/// When collections start.
#[derive(Debug, Clone, PartialEq)]
pub enum Schedule {
    /// At this interval, from one second to seven days.
    Every(Duration),
    /// Whenever the clock reads as the line says, in the configured time zone.
    Cron(CronLine),
}

impl Schedule {
    /// Takes a duration or a cron line; the error is a sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        match humantime::parse_duration(text) {
            Ok(every) if (SHORTEST..=LONGEST).contains(&every) => Ok(Self::Every(every)),
            Ok(_) => Err(scalar::not(text, "between 1s and 7d")),
            Err(_) if has_fields(text) => CronLine::parse(text).map(Self::Cron),
            Err(_) => Err(scalar::neither(text, EXAMPLES)),
        }
    }
}

impl<'de> Deserialize<'de> for Schedule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        scalar::parse(deserializer, Self::parse)
    }
}

/// A cron line with six fields, seconds first, or five with seconds 0. Where both the day of the month and the day of the
/// week are restricted, either will do, as in crontab.
#[derive(Debug, Clone, PartialEq)]
pub struct CronLine {
    source: String,
    cron: Cron,
}

impl CronLine {
    /// Takes a line that comes true some day; the error is a sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        if !has_fields(text) || text.chars().count() > CRON_CHARACTERS {
            let expected = r#"a cron line of six fields, such as "0 */5 * * * *", or five"#;
            return Err(scalar::not(text, expected));
        }
        let cron = CronParser::builder()
            .year(Year::Disallowed)
            .dom_and_dow(false)
            .build()
            .parse(text)
            .map_err(|error| format!("{}: {error}", scalar::not(text, "a cron line")))?;
        cron.find_next_occurrence(&Utc::now(), false)
            .map_err(|_| format!("{} that ever comes true", scalar::not(text, "a cron line")))?;
        Ok(Self {
            source: text.to_owned(),
            cron,
        })
    }

    /// The first time after `time` at which the line is true, in the time zone of `time`; `None` when there is none.
    #[must_use]
    pub fn next_after<Z: TimeZone>(&self, time: &DateTime<Z>) -> Option<DateTime<Z>> {
        self.cron.find_next_occurrence(time, false).ok()
    }

    /// The line as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.source
    }
}

impl fmt::Display for CronLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

fn has_fields(text: &str) -> bool {
    matches!(text.split_whitespace().count(), 5 | 6)
}

/// The minutes that a cron line names.
#[derive(Debug, Clone, PartialEq)]
pub struct Window(CronLine);

impl Window {
    /// Takes a line that names whole minutes: its seconds are `*` (contract, Configuration file). The error is a sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        let line = CronLine::parse(text)?;
        let whole_minutes =
            (0..60).all(|second| line.cron.pattern.second_match(second).unwrap_or(false));
        if whole_minutes {
            return Ok(Self(line));
        }
        let expected = r#"a window: it names less than a minute. Write six fields with "*" for the seconds, such as "* * 22-23 * * *""#;
        Err(scalar::not(text, expected))
    }

    /// Whether the window is open at `time`, in the time zone of `time`.
    #[must_use]
    pub fn contains<Z: TimeZone>(&self, time: &DateTime<Z>) -> bool {
        self.0.cron.is_time_matching(time).unwrap_or(false)
    }
}

impl<'de> Deserialize<'de> for Window {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        scalar::parse(deserializer, Self::parse)
    }
}
