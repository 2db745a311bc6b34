//! Requests of one collection: a client with a key.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::timeout;
use tracing::debug;

use crate::model::FolderId;
use crate::portal::ask::{Ask, PageRequest};
use crate::portal::client::{Client, Reply};
use crate::portal::error::PortalError;
use crate::portal::key::ApiKey;
use crate::portal::listing::Listing;
use crate::portal::pages::PageBody;
use crate::portal::requeue::Requeue;
use crate::portal::retry;
use crate::portal::throttle::{Admission, Lane};

/// A client with a key, read when the session was opened.
pub struct Session {
    client: Arc<Client>,
    key: Mutex<ApiKey>,
}

impl Session {
    /// Reads the key anew, and certificate files that were replaced, and opens a session with them.
    pub async fn open(client: &Arc<Client>) -> Result<Self, PortalError> {
        Ok(Self {
            client: Arc::clone(client),
            key: Mutex::new(client.open().await?),
        })
    }

    /// Lists the folders of the key (docs/portal.md, List of folders). An answer may take until a limit.
    pub async fn folders(&self, limit: Duration) -> Result<Listing, PortalError> {
        let lane = Lane::default();
        let listed = lane.in_time(limit, self.get(Ask::Mine, &lane)).await;
        let listed = listed.and_then(|reply| {
            Ok(Listing {
                date: reply.date,
                ..Listing::decode(reply.body)?
            })
        });
        listed.map_err(|error| PortalError::List {
            url: Ask::Mine.address(&self.client.base).into(),
            error: Box::new(error),
        })
    }

    /// The files of a folder; `lane` is how the folder is answered.
    pub fn files<'a>(&'a self, folder: FolderId, lane: &'a Lane) -> Files<'a> {
        Files {
            session: self,
            folder,
            lane,
        }
    }

    /// Waits until this number of requests may be sent one after the other, with no wait in between.
    pub async fn admit(&self, requests: u32) -> AdmittedRequests<'_> {
        let throttle = &self.client.throttle;
        let admission = throttle.admit(&Lane::default(), requests).await;
        self.client.observer.throttled(admission.waited);
        AdmittedRequests {
            session: self,
            admission,
        }
    }

    /// Sends a GET, again if the error may pass, and once more with a key that was rotated meanwhile.
    async fn get(&self, ask: Ask<'_>, lane: &Lane) -> Result<Reply, PortalError> {
        let key = self.key();
        let result = self.get_patiently(ask, lane, &key).await;
        let error = result.as_ref().err();
        if error.is_some_and(|error| error.status() == Some(401))
            && let Some(key) = self.rotated(&key).await
        {
            return self.get_patiently(ask, lane, &key).await;
        }
        result
    }

    async fn get_patiently(
        &self,
        ask: Ask<'_>,
        lane: &Lane,
        key: &ApiKey,
    ) -> Result<Reply, PortalError> {
        let client = &*self.client;
        let mut delays = retry::delays(client.retries);
        loop {
            let error = match client.ask_once(ask, lane, key).await {
                Ok(reply) => {
                    lane.succeeded();
                    return Ok(reply);
                }
                Err(error) => error,
            };
            let Some((reason, delay)) = error.retry_reason().zip(delays.next()) else {
                return Err(error);
            };
            let wait = retry::wait(delay, error.retry_after(), fastrand::f64());
            debug!(endpoint = ask.endpoint().as_str(), %error, wait = wait.as_secs_f64(), "request failed; it is repeated");
            client.observer.retried(ask.endpoint(), reason);
            lane.rest(wait, &error).await;
        }
    }

    fn key(&self) -> ApiKey {
        self.key
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The key of this session if it is another one than `refused` by now.
    async fn rotated(&self, refused: &ApiKey) -> Option<ApiKey> {
        let fresh = self.client.read_key().await.ok()?;
        let changed = fresh != *refused;
        *self.key.lock().unwrap_or_else(PoisonError::into_inner) = fresh.clone();
        changed.then_some(fresh)
    }
}

impl Lane {
    /// Waits for an answer as long as none is missing for longer than a limit. To wait for the rate takes as long as it takes.
    async fn in_time<T>(
        &self,
        limit: Duration,
        answer: impl Future<Output = Result<T, PortalError>>,
    ) -> Result<T, PortalError> {
        let mut answer = std::pin::pin!(answer);
        let mut wait = limit;
        loop {
            if let Ok(answer) = timeout(wait, &mut answer).await {
                return answer;
            }
            wait = limit.saturating_sub(self.unanswered_for());
            if wait.is_zero() {
                return Err(PortalError::Timeout { limit });
            }
        }
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
        let reply = self.send(Ask::ReindexFailed(folder)).await;
        Requeue::of(reply.map(|reply| reply.body))
    }

    async fn send(&self, ask: Ask<'_>) -> Result<Reply, PortalError> {
        let session = self.session;
        let (lane, key) = (Lane::default(), session.key());
        session.client.send(ask, &lane, &key, &self.admission).await
    }
}

/// The files of one folder, which are read page by page.
pub struct Files<'a> {
    session: &'a Session,
    folder: FolderId,
    lane: &'a Lane,
}

impl Files<'_> {
    /// Reads one page, whose answer may take until a limit.
    pub async fn page_within(
        &self,
        limit: Duration,
        page: PageRequest,
    ) -> Result<PageBody, PortalError> {
        self.lane.in_time(limit, self.page(page)).await
    }

    /// Reads one page (docs/portal.md, File list).
    pub async fn page(&self, page: PageRequest) -> Result<PageBody, PortalError> {
        let ask = Ask::Files(self.folder, page);
        let reply = self.session.get(ask, self.lane).await?;
        Ok(PageBody::new(reply.body))
    }

    /// Searches for files by their name, by one request without retries: the first page of those whose name or description holds
    /// the text.
    pub async fn named_once(&self, name: &str) -> Result<PageBody, PortalError> {
        let session = self.session;
        let (ask, key) = (Ask::Search(self.folder, name), session.key());
        let reply = session.client.ask_once(ask, self.lane, &key).await?;
        Ok(PageBody::new(reply.body))
    }
}
