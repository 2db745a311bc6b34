//! When and how the folders are read (docs/configuration.md, `collect`).

use std::num::{NonZeroU64, NonZeroUsize};
use std::time::Duration;

use chrono_tz::Tz;
use serde::Deserialize;
use serde::de::Deserializer;

use crate::config::scalar::{self, MINUTE, SECOND};
use crate::config::schedule::Schedule;

/// When and how the folders are read.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Collect {
    /// When collections start.
    pub schedule: Schedule,
    /// The time zone of cron lines.
    #[serde(deserialize_with = "timezone")]
    pub timezone: Tz,
    /// Longest random delay of a start; whoever applies it takes at most a tenth of the schedule.
    #[serde(deserialize_with = "scalar::duration::<0, _>")]
    pub jitter: Duration,
    /// How a folder is counted.
    pub strategy: Strategy,
    /// With [`Strategy::Sorted`] or [`Strategy::Auto`]: how often every page is read all the same.
    #[serde(deserialize_with = "scalar::duration::<MINUTE, _>")]
    pub full_every: Duration,
    /// How often a folder is read in which nothing moves; no more often than in each interval.
    #[serde(deserialize_with = "scalar::duration::<SECOND, _>")]
    pub quiet_every: Duration,
    /// When a collection is ended.
    #[serde(deserialize_with = "scalar::duration::<SECOND, _>")]
    pub timeout: Duration,
    /// How old counts may become before they are withdrawn: at least this, and more where a cycle takes longer (docs/metrics.md, Stale counts).
    #[serde(deserialize_with = "scalar::duration::<SECOND, _>")]
    pub stale_after: Duration,
    /// Requests in flight to one portal.
    #[serde(deserialize_with = "scalar::whole::<1, 64, _, _>")]
    pub concurrency: NonZeroUsize,
    /// Requests per second to one portal.
    pub max_requests_per_second: Rate,
    /// Pages of one folder that are read at most.
    #[serde(deserialize_with = "scalar::whole::<1, 1_000_000_000, _, _>")]
    pub max_pages_per_folder: NonZeroU64,
    /// Folders of one portal that are collected at most.
    #[serde(deserialize_with = "scalar::whole::<1, 1_000_000, _, _>")]
    pub max_folders: usize,
}

impl Default for Collect {
    fn default() -> Self {
        Self {
            schedule: Schedule::Every(Duration::from_mins(1)),
            timezone: Tz::UTC,
            jitter: Duration::from_secs(10),
            strategy: Strategy::Auto,
            full_every: Duration::from_hours(24),
            quiet_every: Duration::from_mins(5),
            timeout: Duration::from_mins(10),
            stale_after: Duration::from_mins(15),
            concurrency: const { NonZeroUsize::new(2).expect("2 is not 0") },
            max_requests_per_second: Rate::PerSecond(5.0),
            max_pages_per_folder: const { NonZeroU64::new(200_000).expect("200,000 is not 0") },
            max_folders: 10_000,
        }
    }
}

/// How a folder is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Every page is read each time.
    Full,
    /// The portal sorts by status, and the boundaries between statuses are searched for.
    Sorted,
    /// Sorted where the portal can, full where not.
    Auto,
}

impl<'de> Deserialize<'de> for Strategy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        scalar::parse(deserializer, |text| match text {
            "full" => Ok(Self::Full),
            "sorted" => Ok(Self::Sorted),
            "auto" => Ok(Self::Auto),
            _ => Err(scalar::not(text, "full, sorted or auto")),
        })
    }
}

/// How many requests a portal is sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rate {
    /// As many as it answers. Only for the simulated portal: no file can say so.
    Unlimited,
    /// At most so many per second: more than 0, finite, perhaps a fraction.
    PerSecond(f64),
}

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        scalar::parse(deserializer, |text| {
            text.parse()
                .ok()
                .filter(|rate: &f64| (0.001..=100_000.0).contains(rate))
                .map(Self::PerSecond)
                .ok_or_else(|| scalar::not(text, "a number from 0.001 to 100000, such as 5 or 0.5"))
        })
    }
}

fn timezone<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Tz, D::Error> {
    scalar::parse(deserializer, |text| {
        text.parse()
            .map_err(|_| scalar::not(text, "a time zone such as UTC or Europe/Berlin"))
    })
}
