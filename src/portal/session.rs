//! Requests of one collection: a client with a key.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::StatusCode;
use tokio::time::timeout;
use tracing::debug;

use crate::clock::Moment;
use crate::model::FolderId;
use crate::portal::ask::{Ask, PageRequest};
use crate::portal::client::Client;
use crate::portal::connection::Transport;
use crate::portal::error::PortalError;
use crate::portal::exchange::{Reply, receive, request};
use crate::portal::key::ApiKey;
use crate::portal::lane::Lane;
use crate::portal::listing::Listing;
use crate::portal::requeue::Requeue;
use crate::portal::retry;
use crate::portal::throttle::Admission;
use crate::portal::wire::PageBody;

/// Largest answer to `reindex-failed`, in bytes after decompression: it is a number.
const MAX_REINDEX_BYTES: usize = 64 * 1024;

/// How long the answer to `reindex-failed` may take, at least: the portal may do the work before it answers, and without an answer nothing is
/// known.
const REINDEX_TIMEOUT: Duration = Duration::from_mins(5);

/// Largest answer to the list of folders, in bytes after decompression: enough for 50,000 folders with descriptions of 700 characters.
const MAX_LIST_BYTES: usize = 48 * 1024 * 1024;

/// A client with the key and the connections that were there when the session was opened.
pub struct Session {
    pub(super) client: Arc<Client>,
    transport: Arc<dyn Transport>,
    key: Mutex<ApiKey>,
}

impl Session {
    /// Reads the key anew, and certificate files that were replaced, and opens a session with them.
    pub async fn open(client: &Arc<Client>) -> Result<Self, PortalError> {
        let (transport, key) = client.open().await?;
        Ok(Self {
            client: Arc::clone(client),
            transport,
            key: Mutex::new(key),
        })
    }

    /// Lists the folders of the key (docs/portal.md, List of folders). Each answer may take until a limit.
    pub async fn folders(&self, limit: Duration) -> Result<Listing, PortalError> {
        let reply = self.get(Ask::Mine, &Lane::default(), limit).await;
        let listed = reply.and_then(|reply| Listing::decode(reply.body, reply.date));
        listed.map_err(|error| PortalError::List {
            url: Ask::Mine.address(self.client.base()).into(),
            error: Box::new(error),
        })
    }

    /// Reads one page of a folder's files (docs/portal.md, File list). Each answer may take until a limit.
    pub async fn page(
        &self,
        folder: FolderId,
        page: PageRequest,
        lane: &Lane,
        limit: Duration,
    ) -> Result<PageBody, PortalError> {
        let reply = self.get(Ask::Files(folder, page), lane, limit).await?;
        Ok(PageBody::new(reply.body))
    }

    /// Searches for files by their name, by one request without retries: the first page of those whose name or description holds
    /// the text.
    pub async fn named_once(&self, folder: FolderId, name: &str) -> Result<PageBody, PortalError> {
        let (ask, lane) = (Ask::Search(folder, name), Lane::default());
        let reply = self.once(ask, &lane, Duration::MAX).await?;
        Ok(PageBody::new(reply.body))
    }

    /// Waits until this number of requests may be sent one after the other, with no wait in between.
    pub async fn admit(&self, requests: u32) -> AdmittedRequests<'_> {
        AdmittedRequests {
            session: self,
            admission: self.admission(&Lane::default(), requests).await,
        }
    }

    async fn admission(&self, lane: &Lane, requests: u32) -> Admission<'_> {
        let admission = self.client.throttle.admit(lane, requests).await;
        self.client.observer.throttled(admission.waited);
        admission
    }

    /// Sends a request once, when it is its turn.
    async fn once(&self, ask: Ask<'_>, lane: &Lane, limit: Duration) -> Result<Reply, PortalError> {
        let admission = self.admission(lane, 1).await;
        self.send(ask, lane, limit, &admission).await
    }

    /// Sends a request once. The answer may take until a limit, and as long as requests may.
    async fn send(
        &self,
        ask: Ask<'_>,
        lane: &Lane,
        limit: Duration,
        _admission: &Admission<'_>,
    ) -> Result<Reply, PortalError> {
        let (client, key) = (&*self.client, self.key());
        let config = &client.request;
        let (most_bytes, limit) = match ask {
            Ask::Mine => (MAX_LIST_BYTES, config.timeout.min(limit)),
            Ask::ReindexFailed(_) => (MAX_REINDEX_BYTES, config.timeout.max(REINDEX_TIMEOUT)),
            _ => (config.max_body_bytes, config.timeout.min(limit)),
        };
        let request = request(ask, client.base(), &key)?;
        let begun = Moment::now().steady;
        let mut status = None;
        let exchange = async {
            let response = self.transport.send(request).await?;
            status = Some(response.status());
            receive(response, most_bytes, &key).await
        };
        let result = timeout(limit, exchange).await;
        let result = result.unwrap_or_else(|_| match status {
            // What the head of the answer says is known although its body is late.
            Some(status) if status != StatusCode::OK => {
                Err(PortalError::from_status(status.as_u16(), None, b""))
            }
            _ => Err(PortalError::Timeout { limit }),
        });
        let took = begun.elapsed();
        let status = status.map(|status| status.as_u16());
        client.observer.requested(ask.endpoint(), status, took);
        lane.answered(took, limit);
        match &result {
            Ok(_) => client.throttle.answered(),
            // A request that is repeated says nothing new: a folder that is always refused does not slow down the others.
            Err(error) if error.status() == Some(429) && !lane.repeats() => {
                client.throttle.limited();
            }
            Err(_) => {}
        }
        result
    }

    /// Sends a GET, and again if the error may pass or the key was rotated. An answer that takes longer than a limit below that of
    /// requests is not waited for again.
    async fn get(&self, ask: Ask<'_>, lane: &Lane, limit: Duration) -> Result<Reply, PortalError> {
        let client = &*self.client;
        let mut retries = 0;
        loop {
            let key = self.key();
            let error = match self.once(ask, lane, limit).await {
                Ok(reply) => {
                    lane.succeeded();
                    return Ok(reply);
                }
                Err(error) => error,
            };
            if error.status() == Some(401) && self.is_rotated(&key).await {
                continue;
            }
            let is_late =
                matches!(error, PortalError::Timeout { .. }) && limit < client.request.timeout;
            let may_repeat = retries < client.request.retries && !is_late;
            let Some(reason) = error.retry_reason().filter(|_| may_repeat) else {
                return Err(error);
            };
            let wait = retry::wait(retries, error.retry_after(), fastrand::f64());
            retries += 1;
            debug!(url = %ask.address(client.base()), %error, wait = wait.as_secs_f64(), "request failed; it is repeated");
            client.observer.retried(ask.endpoint(), reason);
            lane.rest(wait, &error).await;
        }
    }

    fn key(&self) -> ApiKey {
        let key = self.key.lock().unwrap_or_else(PoisonError::into_inner);
        key.clone()
    }

    /// Whether there is another key by now than one that was refused. The session goes on with it.
    async fn is_rotated(&self, refused: &ApiKey) -> bool {
        let Ok((_, fresh)) = self.client.open().await else {
            return false;
        };
        let is_rotated = fresh != *refused;
        *self.key.lock().unwrap_or_else(PoisonError::into_inner) = fresh;
        is_rotated
    }
}

/// Requests that can be sent at once, one after the other, each without retries.
pub struct AdmittedRequests<'a> {
    session: &'a Session,
    admission: Admission<'a>,
}

impl AdmittedRequests<'_> {
    /// Asks for a folder alone: whether it is there and may be used (docs/portal.md, One folder).
    pub async fn folder(&self, folder: FolderId) -> Result<(), PortalError> {
        self.send(Ask::Folder(folder)).await.map(drop)
    }

    /// Reads one page of a folder's files.
    pub async fn page(&self, folder: FolderId, page: PageRequest) -> Result<PageBody, PortalError> {
        let reply = self.send(Ask::Files(folder, page)).await?;
        Ok(PageBody::new(reply.body))
    }

    /// Reindexes the failed files of a folder (docs/portal.md, Reindex failed files).
    pub async fn reindex_failed(&self, folder: FolderId) -> Requeue {
        Requeue::of(self.send(Ask::ReindexFailed(folder)).await)
    }

    async fn send(&self, ask: Ask<'_>) -> Result<Reply, PortalError> {
        let (lane, limit) = (Lane::default(), Duration::MAX);
        self.session.send(ask, &lane, limit, &self.admission).await
    }
}
