//! Requests of one collection: a client with a key.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
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
use crate::portal::throttle::{Admission, Demand, Lane};

/// A client with a key, read when the session was opened.
pub struct Session {
    client: Arc<Client>,
    key: Mutex<ApiKey>,
    state: watch::Sender<State>,
}

/// Whether a session may send requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// The portal refused the key for this folder. Requests for others wait until the list of folders shows what that means. Requests
    /// for this one are refused as well, so that its reading ends and the list is asked for.
    Held(FolderId),
    /// The portal refused the key altogether.
    Ended,
}

impl Session {
    /// Reads the key anew, and certificate files that were replaced, and opens a session with them.
    pub async fn open(client: &Arc<Client>) -> Result<Self, PortalError> {
        Ok(Self {
            client: Arc::clone(client),
            key: Mutex::new(client.open().await?),
            state: watch::Sender::new(State::Open),
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

    /// What a lane needs at this moment of the requests in flight.
    pub fn demand(&self, lane: &Lane) -> Demand {
        lane.demand(self.client.timeout)
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
    pub async fn admit(&self, requests: u32) -> Result<AdmittedRequests<'_>, PortalError> {
        let throttle = &self.client.throttle;
        let admission = throttle
            .admit(&Lane::default(), requests, || self.is_open())
            .await
            .ok_or(PortalError::Refused)?;
        self.client.observer.throttled(admission.waited);
        Ok(AdmittedRequests {
            session: self,
            admission,
        })
    }

    fn is_open(&self) -> bool {
        *self.state.borrow() == State::Open
    }

    /// Goes on after a refusal that was about one folder alone.
    pub fn go_on(&self) {
        self.state.send_replace(State::Open);
    }

    /// Continues if requests are held for a refusal of this folder: its read ended in another way, and nothing will show what the
    /// refusal meant.
    pub fn go_on_without(&self, folder: FolderId) {
        self.change_state(State::Held(folder), State::Open);
    }

    /// Sends nothing more: what is asked from now on fails as [`PortalError::Refused`].
    pub fn end(&self) {
        self.state.send_replace(State::Ended);
    }

    fn change_state(&self, from: State, to: State) {
        self.state.send_if_modified(|state| {
            let changes = *state == from;
            if changes {
                *state = to;
            }
            changes
        });
    }

    /// Sends a GET, again if the error may pass, and once more with a key that was rotated meanwhile.
    async fn get(&self, ask: Ask<'_>, lane: &Lane) -> Result<Reply, PortalError> {
        let key = self.key();
        let unauthorized = |result: &Result<_, PortalError>| {
            let error = result.as_ref().err();
            error.is_some_and(|error| error.status() == Some(401))
        };
        let mut result = self.get_patiently(ask, lane, &key).await;
        if unauthorized(&result)
            && let Some(key) = self.rotated(&key).await
        {
            result = self.get_patiently(ask, lane, &key).await;
        }
        if let Some(folder) = ask.folder().filter(|_| unauthorized(&result)) {
            // Unless another refusal holds them already.
            self.change_state(State::Open, State::Held(folder));
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
            let error = match self.ask_in_turn(ask, lane, key).await {
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

    /// Sends a request as soon as the session is open and it is its turn.
    async fn ask_in_turn(
        &self,
        ask: Ask<'_>,
        lane: &Lane,
        key: &ApiKey,
    ) -> Result<Reply, PortalError> {
        let mut state = self.state.subscribe();
        let is_open = || self.is_open();
        let goes_on = |state: &State| match *state {
            State::Open | State::Ended => true,
            State::Held(refused) => ask.folder() == Some(refused),
        };
        loop {
            // The sender lives as long as this session.
            let _ = state.wait_for(goes_on).await;
            match *self.state.borrow() {
                State::Open => {}
                State::Held(refused) if ask.folder() != Some(refused) => continue,
                State::Held(_) => return Err(PortalError::from_status(401, None, b"")),
                State::Ended => return Err(PortalError::Refused),
            }
            if let Some(result) = self.client.ask_once(ask, lane, key, is_open).await {
                return result;
            }
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

    /// Sends a request, if the session is open: after a collection, nothing shows any more what a refusal meant.
    async fn send(&self, ask: Ask<'_>) -> Result<Reply, PortalError> {
        let session = self.session;
        if !session.is_open() {
            return Err(PortalError::Refused);
        }
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
    /// the text. Nothing is sent unless the session is open: after a collection, nothing shows any more what a refusal meant.
    pub async fn named_once(&self, name: &str) -> Result<PageBody, PortalError> {
        let session = self.session;
        let (ask, key) = (Ask::Search(self.folder, name), session.key());
        let asked = session
            .client
            .ask_once(ask, self.lane, &key, || session.is_open());
        let reply = asked.await.unwrap_or(Err(PortalError::Refused))?;
        Ok(PageBody::new(reply.body))
    }
}
