//! The result of reindexing a folder's failed files.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::portal::error::PortalError;
use crate::portal::wire::Whole;

/// More files than this in one folder are an error of the portal.
const MAX_UPDATED: u64 = 1_000_000_000;

/// The portal's answer to `reindex-failed`, if there is one (docs/portal.md, Reindex failed files).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Requeue {
    Accepted {
        updated: u64,
    },
    /// The portal refused, and nothing was done.
    Refused {
        status: u16,
        /// What `Retry-After` asked for.
        retry_after: Option<Duration>,
        message: String,
    },
    /// It is unknown whether it was done: no answer, 5xx, or one that cannot be read.
    Unknown {
        why: Unclear,
        message: String,
    },
}

/// Why it is unknown what a request did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unclear {
    /// No complete answer.
    NoAnswer,
    /// It has a status other than 200 and 4xx.
    Status(u16),
    /// It has status 200, but its body cannot be read.
    Unreadable,
}

impl Requeue {
    pub(super) fn of(answer: Result<impl AsRef<[u8]>, PortalError>) -> Self {
        let error = match answer.and_then(|body| updated(body.as_ref())) {
            Ok(updated) => return Self::Accepted { updated },
            Err(error) => error,
        };
        let message = error.to_string();
        let why = match (error.status(), &error) {
            (Some(status @ 400..=499), _) => {
                return Self::Refused {
                    status,
                    retry_after: error.retry_after(),
                    message,
                };
            }
            (Some(status), _) => Unclear::Status(status),
            (None, PortalError::Invalid { .. } | PortalError::TooLarge { .. }) => {
                Unclear::Unreadable
            }
            (None, _) => Unclear::NoAnswer,
        };
        Self::Unknown { why, message }
    }
}

/// Reads the number of files from the body of an answer.
fn updated(body: &[u8]) -> Result<u64, PortalError> {
    let body: Value =
        serde_json::from_slice(body).map_err(|error| PortalError::from_json(&error))?;
    match Whole::deserialize(&body["data"]["updated"]) {
        Ok(Whole(updated @ ..=MAX_UPDATED)) => Ok(updated),
        Ok(_) => Err(PortalError::Invalid {
            cause: "updated is larger than any folder".to_owned(),
        }),
        Err(error) => Err(PortalError::from_json(&error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(body: &str) -> Requeue {
        Requeue::of(Ok(body.as_bytes()))
    }

    fn status(status: u16) -> Requeue {
        let error = PortalError::from_status(status, None, b"{}");
        Requeue::of(Err::<&[u8], _>(error))
    }

    #[test]
    fn an_answer_with_a_number_says_that_it_was_done() {
        let answer = answered(r#"{"data":{"updated":12,"more":null}}"#);
        assert_eq!(answer, Requeue::Accepted { updated: 12 });
    }

    #[test]
    fn an_answer_without_a_number_leaves_it_open() {
        for body in [
            "",
            "{}",
            "[]",
            "[[12]]",
            r#"{"data":{}}"#,
            r#"{"data":{"updated":null}}"#,
            r#"{"data":{"updated":-1}}"#,
            r#"{"data":{"updated":18446744073709551615}}"#,
        ] {
            let unreadable = matches!(
                answered(body),
                Requeue::Unknown {
                    why: Unclear::Unreadable,
                    ..
                }
            );
            assert!(unreadable, "{body}");
        }
    }

    #[test]
    fn a_refusal_is_one_and_a_failure_leaves_it_open() {
        for code in [400, 401, 403, 404, 409, 429] {
            assert!(matches!(status(code), Requeue::Refused { status, .. } if status == code));
        }
        for code in [302, 500, 502, 503] {
            let unclear = matches!(status(code), Requeue::Unknown { why: Unclear::Status(status), .. } if status == code);
            assert!(unclear, "{code}");
        }
    }
}
