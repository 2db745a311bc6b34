//! The result of reindexing a folder's failed files.

use std::time::Duration;

use crate::model::{Lost, Outcome};
use crate::portal::error::PortalError;
use crate::portal::exchange::Reply;
use crate::portal::wire::{decode, readable, whole};

/// More files than this in one folder are an error of the portal.
const MAX_UPDATED: u64 = 1_000_000_000;

/// What came of `reindex-failed` (docs/portal.md, Reindex failed files).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requeue {
    pub outcome: Outcome,
    /// What went wrong, for people.
    pub error: Option<String>,
}

impl Requeue {
    pub(super) fn of(answer: Result<Reply, PortalError>) -> Self {
        match answer.and_then(|reply| updated(reply.body)) {
            Ok(updated) => Self {
                outcome: Outcome::Accepted { updated },
                error: None,
            },
            Err(error) => Self {
                outcome: outcome(&error),
                error: Some(error.to_string()),
            },
        }
    }

    /// Nobody waits for the answer any more.
    pub(crate) fn interrupted() -> Self {
        Self {
            outcome: Outcome::Unknown {
                why: Lost::Interrupted,
            },
            error: Some("the answer was not waited for, because the process ends".to_owned()),
        }
    }

    /// Whether a request for another folder would fail, too.
    pub const fn is_trouble(&self) -> bool {
        match self.outcome {
            Outcome::Accepted { .. } => false,
            Outcome::Refused { status, .. } => matches!(status, 401 | 403 | 429),
            Outcome::NotSent | Outcome::Unknown { .. } => true,
        }
    }
}

fn outcome(error: &PortalError) -> Outcome {
    // The ledger stores whole seconds.
    let retry_after = error.retry_after();
    let retry_after = retry_after.map(|wait| Duration::from_secs(wait.as_secs()));
    let why = match (error.status(), error) {
        (Some(status @ 400..=499), _) => {
            return Outcome::Refused {
                status,
                retry_after,
            };
        }
        (Some(status), _) => Lost::Status {
            status,
            retry_after,
        },
        (None, error) if error.was_not_sent() => return Outcome::NotSent,
        (None, PortalError::Invalid { .. } | PortalError::TooLarge { .. }) => Lost::Unreadable,
        (None, _) => Lost::NoAnswer,
    };
    Outcome::Unknown { why }
}

/// Reads the number of files from the body of an answer.
fn updated(body: Vec<u8>) -> Result<u64, PortalError> {
    let answer: serde_json::Value = decode(&readable(body))?;
    let cause = match whole(&answer["data"]["updated"].to_string()) {
        Some(updated @ ..=MAX_UPDATED) => return Ok(updated),
        Some(_) => "updated is larger than any folder",
        None => "updated is no number of files",
    };
    Err(PortalError::Invalid {
        cause: cause.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::net::TcpListener;

    use super::*;
    use crate::config::{self, Config};
    use crate::portal::{Client, Session, Throttles, Unobserved};

    fn answered(body: &str) -> Outcome {
        let body = body.into();
        Requeue::of(Ok(Reply { body, date: None })).outcome
    }

    fn status(status: u16) -> Outcome {
        let error = PortalError::from_status(status, None, b"{}");
        Requeue::of(Err(error)).outcome
    }

    #[test]
    fn an_answer_with_a_number_says_that_it_was_done() {
        let answer = answered(r#"{"data":{"updated":12,"more":null}}"#);
        assert_eq!(answer, Outcome::Accepted { updated: 12 });
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
            let why = Lost::Unreadable;
            assert_eq!(answered(body), Outcome::Unknown { why }, "{body}");
        }
    }

    /// What comes of a request to an address.
    async fn sent_to(address: &str) -> Requeue {
        let key = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(key.path(), "kbk_demo").unwrap();
        let portal = config::testing::portal("main", address, &key);
        let Config {
            collect, request, ..
        } = Config::for_portal(portal.clone());
        let (observer, throttles) = (Arc::new(Unobserved), Throttles::default());
        let client = Client::new(&portal, &collect, &request, observer, &throttles);
        let session = Session::open(&client).await.unwrap();
        let requests = session.admit(1).await;
        requests.reindex_failed(uuid::Uuid::nil().into()).await
    }

    #[tokio::test]
    async fn a_request_without_a_connection_was_not_sent_and_one_on_a_connection_that_broke_may_have_been()
     {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let closes = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                connection.readable().await.unwrap();
                drop(connection);
            }
        });
        let lost = sent_to(&format!("http://{address}")).await;
        let why = Lost::NoAnswer;
        assert_eq!(lost.outcome, Outcome::Unknown { why }, "{lost:?}");
        let without_tls = sent_to(&format!("https://{address}")).await;
        assert_eq!(without_tls.outcome, Outcome::NotSent, "{without_tls:?}");
        closes.abort();
        assert!(closes.await.unwrap_err().is_cancelled());
        let refused = sent_to(&format!("http://{address}")).await;
        assert_eq!(refused.outcome, Outcome::NotSent, "{refused:?}");
        assert!(refused.is_trouble());
    }

    #[test]
    fn a_refusal_is_one_and_a_failure_leaves_it_open() {
        for code in [400, 401, 403, 404, 409, 429] {
            assert!(matches!(status(code), Outcome::Refused { status, .. } if status == code));
        }
        for code in [302, 500, 502, 503] {
            let why = Lost::Status {
                status: code,
                retry_after: None,
            };
            assert_eq!(status(code), Outcome::Unknown { why });
        }
    }
}
