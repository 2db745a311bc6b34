//! When and how the folders are read, and limits of a single request.

use std::num::{NonZeroU64, NonZeroUsize};
use std::time::Duration;

use chrono_tz::Tz;
use schemars::JsonSchema;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};

use crate::config::schedule::Schedule;
use crate::config::value::{MINUTE, SECOND, Span, Whole, read_from_text};
use crate::model::label_values;

/// When and how the folders are read.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Collect {
    /// When collections start. A cron line has six fields, seconds first, or five
    pub schedule: Schedule,
    /// The time zone of cron lines
    #[serde(deserialize_with = "zone")]
    #[schemars(with = "String", title = "a time zone such as UTC or Europe/Berlin")]
    pub timezone: Tz,
    /// Longest random delay of a start; at most a tenth of the schedule is used
    #[serde(with = "Span::<0>")]
    pub jitter: Duration,
    /// How a folder is counted
    pub strategy: Strategy,
    /// With `sorted` or `auto`: how often every page of a folder is read
    #[serde(with = "Span::<MINUTE>")]
    pub full_every: Duration,
    /// How often a quiet folder is counted, if the rate allows it; all others are counted in each interval
    #[serde(with = "Span::<SECOND>")]
    pub quiet_every: Duration,
    /// Ends a collection; folders that were not read come first next time
    #[serde(with = "Span::<SECOND>")]
    pub timeout: Duration,
    /// Age at which counts of a folder are withdrawn whose last read failed; at least three intervals
    #[serde(with = "Span::<SECOND>")]
    pub stale_after: Duration,
    /// Requests in flight to one portal, from each process
    #[serde(with = "Whole::<NonZeroUsize, 1, 64>")]
    pub concurrency: NonZeroUsize,
    /// Requests per second to one portal, from all processes that share its folders
    pub max_requests_per_second: Rate,
    /// Maximum number of pages of a folder that are read
    #[serde(with = "Whole::<NonZeroU64, 1, 1_000_000_000>")]
    pub max_pages_per_folder: NonZeroU64,
    /// Maximum number of folders of a portal that are counted, by all processes together; the oldest come first
    #[serde(with = "Whole::<usize, 1, 1_000_000>")]
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
            quiet_every: Duration::from_mins(10),
            timeout: Duration::from_mins(10),
            stale_after: Duration::from_mins(15),
            concurrency: const { NonZeroUsize::new(2).expect("2 is not 0") },
            max_requests_per_second: Rate(5.0),
            max_pages_per_folder: const { NonZeroU64::new(200_000).expect("200,000 is not 0") },
            max_folders: 10_000,
        }
    }
}

fn zone<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Tz, D::Error> {
    let expected = "expected a time zone such as UTC or Europe/Berlin";
    Tz::deserialize(deserializer).map_err(|_| D::Error::custom(expected))
}

/// Limits of a single request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// For one request and its whole answer; `reindex-failed` has at least five minutes
    #[serde(with = "Span::<100>")]
    pub timeout: Duration,
    /// For establishing the connection
    #[serde(with = "Span::<100>")]
    pub connect_timeout: Duration,
    /// How often a GET is repeated
    #[serde(with = "Whole::<u32, 0, 20>")]
    pub retries: u32,
    /// Largest answer that is read, in bytes after decompression
    #[serde(with = "Whole::<usize, 65_536, 1_073_741_824>")]
    pub max_body_bytes: usize,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(5),
            retries: 4,
            max_body_bytes: 16 << 20,
        }
    }
}

label_values! {
    /// How a folder is counted.
    #[derive(Deserialize, Serialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    #[schemars(try_from = "String", into = "String", inline, extend("enum" = Self::ALL.map(Self::as_str)))]
    pub enum Strategy {
        /// Every page is read each time.
        Full = "full",
        /// The portal sorts by status, and the boundaries between statuses are searched for.
        Sorted = "sorted",
        /// Sorted if the portal can sort, else full.
        Auto = "auto",
    }
}

/// Requests per second to a portal, at most: more than 0, perhaps a fraction.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(
    title = "a number from 0.001 to 100000",
    extend("type" = "number", "minimum" = 0.001, "maximum" = 100_000),
    inline
)]
pub struct Rate(pub f64);

impl Rate {
    fn parse(text: &str) -> Result<Self, String> {
        let rate = text.parse().ok();
        rate.filter(|rate| (0.001..=100_000.0).contains(rate))
            .map(Self)
            .ok_or_else(|| "expected a number from 0.001 to 100000, such as 5 or 0.5".to_owned())
    }
}

read_from_text!(Rate);
