//! Points in time.

use std::fmt;
use std::num::NonZeroU64;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

/// A point in time on the calendar, in milliseconds since 1970 (the precision of the portal's timestamps).
///
/// They are kept with their sign inverted, which leaves their order, and 0 for `None`: many files have times.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "i64", into = "i64")]
pub struct Timestamp(NonZeroU64);

const SIGN: u64 = 1 << 63;

impl Timestamp {
    /// From milliseconds since 1970.
    pub const fn from_millis(millis: i64) -> Self {
        match NonZeroU64::new(millis.cast_unsigned() ^ SIGN) {
            Some(kept) => Self(kept),
            None => Self(NonZeroU64::MIN),
        }
    }

    /// Reads an ISO 8601 timestamp with a zone, as the portal sends them (docs/portal.md, Values); anything else is `None`, and so is a
    /// time before 1971, which programs send for none.
    pub fn parse(text: &str) -> Option<Self> {
        const EARLIEST: i64 = 365 * 86_400_000;
        let time = DateTime::parse_from_rfc3339(text).ok()?;
        Some(time.timestamp_millis())
            .filter(|time| *time >= EARLIEST)
            .map(Self::from_millis)
    }

    pub const fn as_millis(self) -> i64 {
        (self.0.get() ^ SIGN).cast_signed()
    }

    /// Seconds since 1970, the unit of every timestamp metric.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a float holds milliseconds exactly for the next 280,000 years"
    )]
    pub fn as_seconds(self) -> f64 {
        self.as_millis() as f64 / 1000.0
    }

    /// How long after `earlier` this is; zero when it is not after it.
    pub fn since(self, earlier: Self) -> Duration {
        let millis = self.as_millis().saturating_sub(earlier.as_millis());
        Duration::from_millis(u64::try_from(millis).unwrap_or(0))
    }

    /// This point in time plus a number of milliseconds, which may be negative.
    pub const fn moved(self, millis: i64) -> Self {
        Self::from_millis(self.as_millis().saturating_add(millis))
    }

    /// The point in time that lies `duration` after this one.
    pub fn after(self, duration: Duration) -> Self {
        self.moved(millis(duration))
    }

    /// The point in time that lies `duration` before this one.
    pub fn before(self, duration: Duration) -> Self {
        self.moved(-millis(duration))
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        Self::from_millis(millis(time.duration_since(UNIX_EPOCH).unwrap_or_default()))
    }
}

impl From<DateTime<Utc>> for Timestamp {
    fn from(time: DateTime<Utc>) -> Self {
        Self::from_millis(time.timestamp_millis())
    }
}

impl From<Timestamp> for DateTime<Utc> {
    fn from(time: Timestamp) -> Self {
        Self::from_timestamp_millis(time.as_millis()).unwrap_or(Self::MAX_UTC)
    }
}

impl Default for Timestamp {
    fn default() -> Self {
        Self::from_millis(0)
    }
}

impl From<i64> for Timestamp {
    fn from(millis: i64) -> Self {
        Self::from_millis(millis)
    }
}

impl From<Timestamp> for i64 {
    fn from(time: Timestamp) -> Self {
        time.as_millis()
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Timestamp").field(&self.as_millis()).finish()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match DateTime::<Utc>::from_timestamp_millis(self.as_millis()) {
            Some(time) => f.write_str(&time.to_rfc3339_opts(SecondsFormat::Secs, true)),
            None => write!(f, "{} ms", self.as_millis()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_timestamps_of_the_interface() {
        let time = Timestamp::parse("2026-03-01T10:20:30.456Z").unwrap();
        assert_eq!(time.as_millis() % 1000, 456);
        assert_eq!(time.to_string(), "2026-03-01T10:20:30Z");
        for text in ["", "2026-03-01", "yesterday", "2026-03-01T10:20:30"] {
            assert_eq!(Timestamp::parse(text), None, "{text:?}");
        }
    }
}
