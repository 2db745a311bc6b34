//! Requests to one portal.
//!
//! Reading only: there is no method here that uploads, deletes or reindexes (contract, promise 2).

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use backon::Retryable;
use reqwest::header::{ACCEPT, AUTHORIZATION, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use url::Url;

use crate::config::KeySource;
use crate::model::FolderId;
use crate::portal::error::{PortalError, reason_of};
use crate::portal::key::{ApiKey, KeyError};
use crate::portal::listing::Listing;
use crate::portal::observe::{Code, Endpoint, Observer};
use crate::portal::pages::{PageBody, PageRequest};
use crate::portal::retry::{self, RetryReason};
use crate::portal::throttle::Throttle;

/// Largest answer to the list of folders, in bytes, unpacked: room for 50,000 folders with long descriptions.
const MAX_LIST_BYTES: usize = 64 * 1024 * 1024;

/// Largest error body that is read.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// Speaks to one portal. Cheap requests share connections, the rate limit and the limit of requests in flight.
pub struct Client {
    pub(super) http: reqwest::Client,
    pub(super) base: Url,
    pub(super) key: KeySource,
    pub(super) throttle: Throttle,
    pub(super) retries: u32,
    pub(super) timeout: Duration,
    pub(super) max_body_bytes: usize,
    pub(super) concurrency: usize,
    pub(super) observer: Arc<dyn Observer>,
}

impl Client {
    /// Reads the key anew and opens a session with it.
    pub async fn open(self: &Arc<Self>) -> Result<Session, PortalError> {
        let key = self.read_key().await?;
        Ok(Session {
            client: Arc::clone(self),
            key: Mutex::new(key),
        })
    }

    /// Requests that may be in flight at once.
    #[must_use]
    pub fn concurrency(&self) -> usize {
        self.concurrency
    }

    async fn read_key(&self) -> Result<ApiKey, KeyError> {
        let source = self.key.clone();
        tokio::task::spawn_blocking(move || ApiKey::read(&source))
            .await
            .unwrap_or_else(|_| Err(KeyError::Malformed("the source of the key".to_owned())))
    }

    fn address(&self, segments: &[&str]) -> Url {
        let mut address = self.base.clone();
        if let Ok(mut path) = address.path_segments_mut() {
            path.pop_if_empty()
                .extend(["api", "admin", "library-folders"])
                .extend(segments);
        }
        address
    }
}

/// A client with a key: what one collection asks with.
pub struct Session {
    client: Arc<Client>,
    key: Mutex<ApiKey>,
}

impl Session {
    /// The client that this session belongs to.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Lists the folders of the key (interface, `GET …/mine`).
    pub async fn folders(&self) -> Result<Listing, PortalError> {
        let address = self.client.address(&["mine"]);
        let body = self.get(Endpoint::Mine, &address, MAX_LIST_BYTES).await?;
        Listing::decode(&body)
    }

    /// Reads one page of a folder's files (interface, `GET …/<folder_id>/files`).
    pub async fn files(
        &self,
        folder: FolderId,
        page: PageRequest,
    ) -> Result<PageBody, PortalError> {
        let mut address = self.client.address(&[&folder.to_string(), "files"]);
        page.write_query(&mut address.query_pairs_mut());
        let limit = self.client.max_body_bytes;
        let body = self.get(Endpoint::Files, &address, limit).await?;
        Ok(PageBody::new(body))
    }

    /// Sends a GET, again where the error may pass, and once more with a key that was rotated meanwhile.
    async fn get(
        &self,
        endpoint: Endpoint,
        address: &Url,
        limit: usize,
    ) -> Result<Vec<u8>, PortalError> {
        let key = self.key();
        match self.get_patiently(endpoint, address, limit, &key).await {
            Err(error) if error.status() == Some(401) => match self.rotated(&key).await {
                Some(key) => self.get_patiently(endpoint, address, limit, &key).await,
                None => Err(error),
            },
            result => result,
        }
    }

    async fn get_patiently(
        &self,
        endpoint: Endpoint,
        address: &Url,
        limit: usize,
        key: &ApiKey,
    ) -> Result<Vec<u8>, PortalError> {
        let client = &*self.client;
        (|| client.get_once(endpoint, address, limit, key))
            .retry(retry::backoff(client.retries))
            .when(|error| RetryReason::of(error).is_some())
            .adjust(|error, delay| {
                delay.map(|delay| retry::wait(delay, error.retry_after(), fastrand::f64()))
            })
            .notify(|error, _| {
                if let Some(reason) = RetryReason::of(error) {
                    client.observer.retried(endpoint, reason);
                }
            })
            .await
    }

    fn key(&self) -> ApiKey {
        self.key
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The key of this session where it is another one than `refused` by now.
    async fn rotated(&self, refused: &ApiKey) -> Option<ApiKey> {
        let fresh = self.client.read_key().await.ok()?;
        let changed = fresh != *refused;
        *self.key.lock().unwrap_or_else(PoisonError::into_inner) = fresh.clone();
        changed.then_some(fresh)
    }
}

impl Client {
    async fn get_once(
        &self,
        endpoint: Endpoint,
        address: &Url,
        limit: usize,
        key: &ApiKey,
    ) -> Result<Vec<u8>, PortalError> {
        let authorization = key.header()?;
        let admission = self.throttle.admit().await;
        self.observer.throttled(admission.waited);
        let begun = Instant::now();
        let request = self
            .http
            .get(address.clone())
            .header(AUTHORIZATION, authorization)
            .header(ACCEPT, "application/json");
        let mut code = Code::Error;
        let result = match request.send().await {
            Ok(response) => {
                code = Code::Status(response.status().as_u16());
                self.receive(response, limit).await
            }
            Err(error) => Err(PortalError::from_http(error, self.timeout)),
        };
        self.observer.requested(endpoint, code, begun.elapsed());
        self.adapt_pace(&result);
        result
    }

    async fn receive(&self, response: Response, limit: usize) -> Result<Vec<u8>, PortalError> {
        if response.status() == StatusCode::OK {
            return self.body(response, limit).await;
        }
        let status = response.status().as_u16();
        let retry_after = response
            .headers()
            .get(RETRY_AFTER)
            .and_then(|value| retry::retry_after(value.to_str().ok()?, SystemTime::now()));
        // A body that cannot be read costs only the portal's own words.
        let body = self.body(response, MAX_ERROR_BYTES).await;
        Err(PortalError::Status {
            status,
            reason: body.ok().and_then(|body| reason_of(&body)),
            retry_after,
        })
    }

    /// Reads a body up to a limit, which also holds for what a compressed one unpacks to.
    async fn body(&self, mut response: Response, limit: usize) -> Result<Vec<u8>, PortalError> {
        let expected = response.content_length().unwrap_or(0);
        let mut body = Vec::with_capacity(usize::try_from(expected).unwrap_or(limit).min(limit));
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|error| PortalError::from_http(error, self.timeout))?
        {
            if body.len() + chunk.len() > limit {
                return Err(PortalError::TooLarge { limit });
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    fn adapt_pace(&self, result: &Result<Vec<u8>, PortalError>) {
        match result {
            Ok(_) => self.throttle.recover(),
            Err(error) if error.status() == Some(429) => self.throttle.slow_down(),
            Err(_) => {}
        }
    }
}
