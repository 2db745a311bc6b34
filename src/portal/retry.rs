//! Which requests are worth another try, and after how long.

use std::time::Duration;

use crate::model::{Timestamp, label_values};

/// The longest wait before a retry, even if a portal asks for more.
const MAX_WAIT: Duration = Duration::from_mins(1);

/// The longest wait that a portal may ask for: more is an error. Callers that wait have shorter limits.
const MAX_RETRY_AFTER: Duration = Duration::from_hours(366 * 24);

/// Before the first retry at most this long.
const FIRST_DELAY: Duration = Duration::from_millis(500);

/// Between two retries at most this long.
const MAX_DELAY: Duration = Duration::from_secs(30);

label_values! {
    /// Why a request is tried again: the label `reason` of `kb_portal_retries_total`.
    pub enum RetryReason {
        /// No connection, or one that broke.
        Connection = "connection",
        /// No complete answer in time, or 408.
        Timeout = "timeout",
        RateLimited = "rate_limited",
        ServerError = "server_error",
    }
}

/// How long to wait before a retry, counted from 0: what the portal asked for, up to a minute, or else any part ("full jitter") of a delay that
/// doubles from [`FIRST_DELAY`] to [`MAX_DELAY`].
pub(super) fn wait(retry: u32, retry_after: Option<Duration>, random: f64) -> Duration {
    let longest = FIRST_DELAY.saturating_mul(2_u32.saturating_pow(retry));
    let own = longest.min(MAX_DELAY).mul_f64(random.clamp(0.0, 1.0));
    retry_after.map_or(own, |asked| asked.min(MAX_WAIT))
}

/// Reads `Retry-After`, in seconds or as a date (RFC 9110, section 10.2.3), cut at a year. Parts of a second are rounded up.
///
/// A date in the past is no wait; anything else is `None`.
pub(super) fn retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    let value = value.trim();
    let (seconds, part) = value.split_once('.').unwrap_or((value, "0"));
    let is_number =
        |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let wait = if is_number(seconds) && is_number(part) {
        let seconds: u64 = seconds.parse().unwrap_or(u64::MAX);
        let has_part = part.bytes().any(|digit| digit != b'0');
        Duration::from_secs(seconds.saturating_add(has_part.into()))
    } else {
        let date = httpdate::parse_http_date(value).ok()?;
        Timestamp::from(date).since(now)
    };
    Some(wait.min(MAX_RETRY_AFTER))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = Timestamp::from_millis(784_111_777_000);
        for (value, wait) in [
            ("7", Some(7)),
            (" 0 ", Some(0)),
            ("90", Some(90)),
            ("99999999999999999999999", Some(366 * 24 * 3_600)),
            ("Sun, 06 Nov 1994 08:49:47 GMT", Some(10)),
            ("Sun, 06 Nov 1994 08:49:00 GMT", Some(0)),
            ("Sun, 06 Nov 1994 10:49:37 GMT", Some(7_200)),
            ("Sun, 06 Nov 2033 08:49:00 GMT", Some(366 * 24 * 3_600)),
            ("-1", None),
            ("2.7", Some(3)),
            ("2.0", Some(2)),
            ("1.5.1", None),
            (".5", None),
            ("soon", None),
            ("", None),
        ] {
            let wait = wait.map(Duration::from_secs);
            assert_eq!(retry_after(value, now), wait, "{value:?}");
        }
    }

    #[test]
    fn delays_double_up_to_half_a_minute() {
        let delays =
            [0, 1, 2, 3, 4, 5, 6, 7, 1_000].map(|retry| wait(retry, None, 1.0).as_millis());
        let expected = [
            500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
        ];
        assert_eq!(delays, expected);
        assert_eq!(wait(1, None, 0.25), Duration::from_millis(250));
    }

    #[test]
    fn the_portal_says_how_long_to_wait_up_to_a_minute() {
        let second = Duration::from_secs(1);
        assert_eq!(wait(0, Some(second * 7), 0.5), second * 7);
        assert_eq!(wait(0, Some(second * 90), 0.5), second * 60);
    }

    proptest! {
        #[test]
        fn any_header_is_read_without_panic_and_capped(value in any::<String>()) {
            let wait = retry_after(&value, Timestamp::from_millis(0));
            prop_assert!(wait.unwrap_or_default() <= MAX_RETRY_AFTER);
        }
    }
}
