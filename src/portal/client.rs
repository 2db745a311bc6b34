//! Single requests to one portal.
//!
//! What can be asked is what [`Endpoint`] names, and no more (docs/portal.md, What it never sends).

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use hyper::body::Bytes;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_LENGTH, DATE, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use url::Url;

use crate::config::KeySource;
use crate::model::{FolderId, Timestamp};
use crate::portal::body::Body;
use crate::portal::error::PortalError;
use crate::portal::key::{ApiKey, KeyError};
use crate::portal::observe::{Code, Endpoint, Observer};
use crate::portal::retry;
use crate::portal::throttle::{Admission, Answer, Answered, Lane, Throttle};

/// Largest error body that is read.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// One request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ask<'a> {
    pub endpoint: Endpoint,
    pub address: &'a Url,
    /// The folder that is asked for; none for the list.
    pub folder: Option<FolderId>,
    /// Largest body in bytes, unpacked.
    pub limit: usize,
    pub lane: &'a Lane,
}

/// What a request with status 200 brought.
#[derive(Debug)]
pub(super) struct Reply {
    pub body: Bytes,
    /// The portal's time (the header `Date`), where it says one.
    pub date: Option<Timestamp>,
}

/// Speaks to one portal. Cheap requests share connections, the rate limit and the limit of requests in flight.
pub struct Client {
    pub(super) http: reqwest::Client,
    pub(super) base: Url,
    pub(super) key: KeySource,
    pub(super) throttle: Arc<Throttle>,
    pub(super) retries: u32,
    pub(super) timeout: Duration,
    pub(super) max_body_bytes: usize,
    pub(super) concurrency: usize,
    pub(super) observer: Arc<dyn Observer>,
}

impl Client {
    /// Requests that may be in flight at once.
    #[must_use]
    pub fn concurrency(&self) -> usize {
        self.concurrency
    }

    pub(super) async fn read_key(&self) -> Result<ApiKey, KeyError> {
        let source = self.key.clone();
        tokio::task::spawn_blocking(move || ApiKey::read(&source))
            .await
            .unwrap_or_else(|_| Err(KeyError::Malformed("the source of the key".to_owned())))
    }

    /// The address of what lies below the folders; a path of the base address is kept.
    pub(super) fn address(&self, segments: &[&str]) -> Url {
        let mut address = self.base.clone();
        if let Ok(mut path) = address.path_segments_mut() {
            path.pop_if_empty()
                .extend(["api", "admin", "library-folders"])
                .extend(segments);
        }
        address
    }
}

impl Client {
    /// Sends a request once, when it is its turn; `None` when by then it is not wanted any more.
    pub(super) async fn ask_once(
        &self,
        ask: Ask<'_>,
        key: &ApiKey,
        wanted: impl Fn() -> bool,
    ) -> Option<Result<Reply, PortalError>> {
        let admission = self.throttle.admit(ask.lane, wanted).await?;
        self.observer.throttled(admission.waited);
        Some(self.send(ask, key, &admission).await)
    }

    pub(super) async fn send(
        &self,
        ask: Ask<'_>,
        key: &ApiKey,
        admission: &Admission<'_>,
    ) -> Result<Reply, PortalError> {
        let authorization = key.header()?;
        let begun = Instant::now();
        let method = ask.endpoint.method();
        let may_have_a_body = !method.is_safe();
        let mut request = self
            .http
            .request(method, ask.address.clone())
            .header(AUTHORIZATION, authorization)
            .header(ACCEPT, "application/json");
        if may_have_a_body {
            // Some servers answer 411 without it (RFC 9110, 8.6).
            request = request.header(CONTENT_LENGTH, 0);
        }
        let mut code = Code::Error;
        let result = match request.send().await {
            Ok(response) => {
                code = Code::Status(response.status().as_u16());
                self.receive(response, ask.limit).await
            }
            Err(error) => Err(PortalError::from_http(error, self.timeout)),
        };
        let took = begun.elapsed();
        self.observer.requested(ask.endpoint, code, took);
        let answered = Answered {
            folder: ask.folder,
            answer: answer_of(&result),
            took,
            limit: self.timeout,
        };
        self.throttle.answered(admission, ask.lane, answered);
        result
    }

    async fn receive(&self, response: Response, limit: usize) -> Result<Reply, PortalError> {
        if response.status() == StatusCode::OK {
            let date = date(&response);
            let body = self.body(response, limit).await?;
            return Ok(Reply { body, date });
        }
        let status = response.status().as_u16();
        let retry_after = response
            .headers()
            .get(RETRY_AFTER)
            .and_then(|value| retry::retry_after(value.to_str().ok()?, SystemTime::now()));
        let body = self.body(response, MAX_ERROR_BYTES).await;
        let body = body.unwrap_or_default();
        Err(PortalError::from_status(status, retry_after, &body))
    }

    /// Reads a body up to a limit, which also holds for what a compressed one unpacks to.
    async fn body(&self, mut response: Response, limit: usize) -> Result<Bytes, PortalError> {
        let expected = response.content_length().unwrap_or(0);
        let expected = usize::try_from(expected).unwrap_or(usize::MAX);
        if expected > limit {
            return Err(PortalError::TooLarge { limit });
        }
        let mut body = Body::new(expected, limit);
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|error| PortalError::from_http(error, self.timeout))?
        {
            body.add(chunk)?;
        }
        Ok(body.whole())
    }
}

fn answer_of(result: &Result<Reply, PortalError>) -> Answer {
    match result {
        Ok(_) => Answer::Good,
        Err(error) if error.status() == Some(429) => Answer::Limited,
        Err(_) => Answer::Other,
    }
}

/// When the portal answered, by its own clock; none where it does not say, or says something that is no time.
fn date(response: &Response) -> Option<Timestamp> {
    let date = response.headers().get(DATE)?.to_str().ok()?;
    Some(httpdate::parse_http_date(date).ok()?.into())
}
