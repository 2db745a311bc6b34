//! Single requests to one portal.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_LENGTH, DATE, HeaderValue, RETRY_AFTER};
use reqwest::{Request, Response, StatusCode};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use url::Url;

use crate::clock::Moment;
use crate::config::{self, Collect, KeySource, Portal};
use crate::model::Timestamp;
use crate::portal::ask::Ask;
use crate::portal::body::{append, is_cut_off, is_gzip, unpacked};
use crate::portal::build::{BuildError, Parts};
use crate::portal::connection::Connection;
use crate::portal::error::PortalError;
use crate::portal::key::{ApiKey, KeyError};
use crate::portal::observe::{Code, Observer};
use crate::portal::retry;
use crate::portal::throttle::{Admission, Answer, Lane, Throttle};
use crate::portal::throttles::Throttles;
#[cfg(test)]
use crate::portal::transport::Transport;

/// How long the answer to `reindex-failed` may take, at least: the portal may do the work before it answers, and without an answer nothing is
/// known.
const REINDEX_TIMEOUT: Duration = Duration::from_mins(5);

/// Largest answer to the list of folders, in bytes after decompression: enough for 50,000 folders with descriptions of 700 characters.
const MAX_LIST_BYTES: usize = 48 * 1024 * 1024;

/// Largest error body that is read, in bytes after decompression.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// The answer to a request with status 200.
#[derive(Debug)]
pub(super) struct Reply {
    pub body: Vec<u8>,
    /// The portal's time (the header `Date`), if it says one.
    pub date: Option<Timestamp>,
}

/// The client of one portal. Cheap requests share connections, the rate limit and the limit of requests in flight.
pub struct Client {
    connection: Arc<Connection>,
    /// Held while files are read.
    reading: Arc<Semaphore>,
    pub(super) base: Url,
    pub(super) key: KeySource,
    /// The key that was read last.
    last_key: Mutex<Option<ApiKey>>,
    pub(super) throttle: Arc<Throttle>,
    pub(super) retries: u32,
    /// How long a request may take.
    pub(crate) timeout: Duration,
    pub(super) max_body_bytes: usize,
    pub(super) observer: Arc<dyn Observer>,
}

impl Client {
    /// A client for one portal, with the throttle of its address.
    pub fn new(
        portal: &Portal,
        collect: &Collect,
        request: &config::Request,
        observer: Arc<dyn Observer>,
        throttles: &Throttles,
    ) -> Arc<Self> {
        Arc::new(Self {
            connection: Arc::new(Connection::new(Parts {
                portal: portal.clone(),
                connect_timeout: request.connect_timeout,
                concurrency: collect.concurrency.get(),
            })),
            reading: Arc::new(Semaphore::new(1)),
            base: portal.base_url.as_url().clone(),
            key: portal.key.clone(),
            last_key: Mutex::default(),
            throttle: throttles.of(portal, collect),
            retries: request.retries,
            timeout: request.timeout,
            max_body_bytes: request.max_body_bytes,
            observer,
        })
    }

    /// Sends all requests by this way.
    #[cfg(test)]
    pub(crate) fn connect_by(&self, transport: Arc<dyn Transport>) {
        self.connection.connect_by(transport);
    }

    /// Checks that the certificate files can be used. Blocks for small files.
    pub fn prepare(&self) -> Result<(), BuildError> {
        self.connection.refresh()
    }

    /// Takes up certificate files that were replaced, and reads the key.
    pub(super) async fn open(&self) -> Result<ApiKey, PortalError> {
        let (connection, source) = (Arc::clone(&self.connection), self.key.clone());
        let read = self.read_files(move || {
            connection.refresh()?;
            Ok(ApiKey::read(&source)?)
        });
        let read = read.await;
        let mut last = self.last_key.lock().unwrap_or_else(PoisonError::into_inner);
        or_last(read, &mut last)
    }

    pub(super) async fn read_key(&self) -> Result<ApiKey, PortalError> {
        let source = self.key.clone();
        self.read_files(move || Ok(ApiKey::read(&source)?)).await
    }

    /// Reads files, within the time limit of a request. Of a file system that does not answer, one thread at most waits.
    async fn read_files<T: Send + 'static>(
        &self,
        read: impl FnOnce() -> Result<T, PortalError> + Send + 'static,
    ) -> Result<T, PortalError> {
        let result = async {
            let permit = Arc::clone(&self.reading).acquire_owned().await;
            let read = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                read()
            });
            read.await
                .unwrap_or_else(|_| Err(KeyError::unknown().into()))
        };
        let late = |_| Err(KeyError::late(&self.key, self.timeout).into());
        timeout(self.timeout, result).await.unwrap_or_else(late)
    }

    /// Sends a request once, when it is its turn.
    pub(super) async fn ask_once(
        &self,
        ask: Ask<'_>,
        lane: &Lane,
        key: &ApiKey,
    ) -> Result<Reply, PortalError> {
        let admission = self.throttle.admit(lane, 1).await;
        self.observer.throttled(admission.waited);
        self.send(ask, lane, key, &admission).await
    }

    pub(super) async fn send(
        &self,
        ask: Ask<'_>,
        lane: &Lane,
        key: &ApiKey,
        _admission: &Admission<'_>,
    ) -> Result<Reply, PortalError> {
        let authorization = key.header()?;
        let limit = match ask {
            Ask::Mine => MAX_LIST_BYTES,
            _ => self.max_body_bytes,
        };
        let time_limit = match ask {
            Ask::ReindexFailed(_) => self.timeout.max(REINDEX_TIMEOUT),
            _ => self.timeout,
        };
        let begun = Moment::now().steady;
        let mut request = Request::new(ask.endpoint().method(), ask.address(&self.base));
        let may_have_a_body = !request.method().is_safe();
        let headers = request.headers_mut();
        headers.insert(AUTHORIZATION, authorization);
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        if may_have_a_body {
            // Some servers answer 411 without it (RFC 9110, 8.6).
            headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        let mut code = Code::Error;
        let exchange = async {
            let response = self.connection.transport()?.send(request).await;
            let response = response.map_err(|error| self.broken(error))?;
            code = Code::Status(response.status().as_u16());
            self.receive(response, limit, key).await
        };
        let result = timeout(time_limit, exchange).await;
        let result = result.unwrap_or_else(|_| match code {
            // What the head of the answer says is known although its body is late.
            Code::Status(status) if status != StatusCode::OK => {
                Err(PortalError::from_status(status, None, b""))
            }
            _ => Err(PortalError::Timeout { limit: time_limit }),
        });
        let took = begun.elapsed();
        self.observer.requested(ask.endpoint(), code, took);
        let answer = match &result {
            Ok(_) => Answer::Good,
            Err(error) if error.status() == Some(429) => Answer::Limited,
            Err(_) => Answer::Other,
        };
        self.throttle.answered(lane, answer, took, time_limit);
        result
    }

    async fn receive(
        &self,
        response: Response,
        limit: usize,
        key: &ApiKey,
    ) -> Result<Reply, PortalError> {
        if response.status() == StatusCode::OK {
            let date = date(&response);
            let body = self.body(response, limit, key).await?;
            if is_cut_off(&body) {
                let cause = "the answer ends in the middle".to_owned();
                return Err(PortalError::Connection { cause });
            }
            return Ok(Reply { body, date });
        }
        let status = response.status().as_u16();
        let retry_after = response
            .headers()
            .get(RETRY_AFTER)
            .and_then(|value| retry::retry_after(value.to_str().ok()?, Moment::now().wall));
        let body = self.body(response, MAX_ERROR_BYTES, key).await;
        let body = body.unwrap_or_default();
        Err(PortalError::from_status(status, retry_after, &body))
    }

    /// Reads a body up to a limit, which also holds for what a compressed one unpacks to.
    async fn body(
        &self,
        mut response: Response,
        limit: usize,
        key: &ApiKey,
    ) -> Result<Vec<u8>, PortalError> {
        let expected = response.content_length().unwrap_or(0);
        let expected = usize::try_from(expected).unwrap_or(usize::MAX);
        if expected > limit {
            return Err(PortalError::TooLarge { limit });
        }
        let is_packed = is_gzip(&response);
        let mut body = Vec::with_capacity(expected);
        while let Some(chunk) = response.chunk().await.map_err(|error| self.broken(error))? {
            append(&mut body, &chunk, limit)?;
        }
        if is_packed {
            body = unpacked(&body, limit)?;
        }
        key.hide_in(&mut body);
        Ok(body)
    }

    fn broken(&self, error: reqwest::Error) -> PortalError {
        PortalError::from_http(error, self.timeout)
    }
}

/// When the portal answered, by its own clock; `None` if it does not say, or not a valid time.
fn date(response: &Response) -> Option<Timestamp> {
    let date = response.headers().get(DATE)?.to_str().ok()?;
    Some(httpdate::parse_http_date(date).ok()?.into())
}

/// The key that was read, or the last one while no descriptor is free to read it with.
fn or_last(
    read: Result<ApiKey, PortalError>,
    last: &mut Option<ApiKey>,
) -> Result<ApiKey, PortalError> {
    let lacks_descriptors = |error: &PortalError| matches!(error, PortalError::Key(KeyError::File(error)) if error.lacks_descriptors());
    match read {
        Ok(key) => Ok(last.insert(key).clone()),
        Err(error) if lacks_descriptors(&error) => last.clone().ok_or(error),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use rustix::io::Errno;

    use super::*;
    use crate::config::{FileError, HiddenPath};

    #[test]
    fn the_last_key_is_used_while_no_descriptor_is_free_and_only_then() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "a-key").unwrap();
        let path = HiddenPath::file("api_key_file", file.path());
        let refused = |errno: Errno| -> Result<ApiKey, PortalError> {
            let error = FileError::new(&path, errno.into());
            Err(KeyError::from(error).into())
        };
        let mut last = None;
        assert!(or_last(refused(Errno::MFILE), &mut last).is_err());
        let read = ApiKey::read(&KeySource::File(path.clone())).map_err(PortalError::from);
        assert!(or_last(read, &mut last).is_ok());
        for (errno, is_used) in [
            (Errno::MFILE, true),
            (Errno::NFILE, true),
            (Errno::NOENT, false),
        ] {
            assert_eq!(
                or_last(refused(errno), &mut last).is_ok(),
                is_used,
                "{errno}"
            );
        }
    }
}
