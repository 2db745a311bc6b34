//! Folders that wait to be read.

use std::fmt;
use std::time::Duration;

use humantime::{FormattedDuration, format_duration};

/// Folders whose reads have waited for longer than an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    pub folders: usize,
    /// How long the first of them has waited.
    pub longest: Duration,
}

/// A sentence for people.
impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { folders, longest } = self;
        let wait = if *folders == 1 {
            "folder waits"
        } else {
            "folders wait"
        };
        let longest = whole_seconds(*longest);
        write!(f, "{folders} {wait} to be read, the first for {longest}")
    }
}

/// A duration for people, who need no more than seconds.
pub(crate) fn whole_seconds(time: Duration) -> FormattedDuration {
    let millis = time.subsec_millis();
    let seconds = time.as_secs() + u64::from(millis >= 500);
    format_duration(Duration::from_secs(seconds))
}
