//! What one collection asks with: a client with a key.

use std::sync::{Arc, Mutex, PoisonError};

use backon::Retryable;
use tokio::sync::watch;
use url::Url;

use crate::model::FolderId;
use crate::portal::client::{Ask, Client, Reply};
use crate::portal::error::PortalError;
use crate::portal::key::ApiKey;
use crate::portal::listing::Listing;
use crate::portal::observe::Endpoint;
use crate::portal::pages::{PageBody, PageRequest};
use crate::portal::requeue::Requeue;
use crate::portal::retry::{self, RetryReason};
use crate::portal::throttle::{Admission, Lane};

/// Largest answer to the list of folders, in bytes, unpacked: room for 50,000 folders with descriptions of 700 characters.
const MAX_LIST_BYTES: usize = 48 * 1024 * 1024;

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
    /// The portal refused the key for this folder. Requests for others wait until the list of folders has told what that means; requests
    /// for this one are refused as well, so that nothing keeps the refusal from being told.
    Held(FolderId),
    /// The portal refused the key altogether.
    Ended,
}

impl Session {
    /// Reads the key anew and opens a session with it.
    pub async fn open(client: &Arc<Client>) -> Result<Self, PortalError> {
        let key = client.read_key().await?;
        Ok(Self {
            client: Arc::clone(client),
            key: Mutex::new(key),
            state: watch::Sender::new(State::Open),
        })
    }

    /// Lists the folders of the key (docs/portal.md, List of folders).
    pub async fn folders(&self) -> Result<Listing, PortalError> {
        let ask = Ask {
            endpoint: Endpoint::Mine,
            address: &self.client.address(&["mine"]),
            folder: None,
            limit: MAX_LIST_BYTES,
            lane: &Lane::default(),
        };
        let reply = self.get(ask).await?;
        let listing = Listing::decode(&reply.body)?;
        Ok(Listing {
            date: reply.date,
            ..listing
        })
    }

    /// The files of a folder; `lane` is how the folder is answered.
    #[must_use]
    pub fn files<'a>(&'a self, folder: FolderId, lane: &'a Lane) -> Files<'a> {
        Files {
            session: self,
            folder,
            address: self.client.address(&[&folder.to_string(), "files"]),
            lane,
        }
    }

    /// Waits until so many requests may be sent one after the other, with no wait in between.
    pub async fn admit(&self, requests: u32) -> Result<AdmittedRequests<'_>, PortalError> {
        let throttle = &self.client.throttle;
        let admission = throttle
            .admit_several(&Lane::default(), requests, || self.is_open())
            .await;
        let admission = admission.ok_or(PortalError::Refused)?;
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

    /// Goes on where a refusal of this folder is what it waits for: its reading ended otherwise, and nobody tells any more what the refusal
    /// meant.
    pub fn go_on_without(&self, folder: FolderId) {
        self.state.send_if_modified(|state| {
            let held = *state == State::Held(folder);
            if held {
                *state = State::Open;
            }
            held
        });
    }

    /// Sends nothing more: what is asked from now on fails as [`PortalError::Refused`].
    pub fn end(&self) {
        self.state.send_replace(State::Ended);
    }

    /// Sends a GET, again where the error may pass, and once more with a key that was rotated meanwhile.
    async fn get(&self, ask: Ask<'_>) -> Result<Reply, PortalError> {
        let key = self.key();
        let unauthorized = |result: &Result<_, PortalError>| {
            let error = result.as_ref().err();
            error.is_some_and(|error| error.status() == Some(401))
        };
        let mut result = self.get_patiently(ask, &key).await;
        if unauthorized(&result)
            && let Some(key) = self.rotated(&key).await
        {
            result = self.get_patiently(ask, &key).await;
        }
        if let Some(folder) = ask.folder.filter(|_| unauthorized(&result)) {
            self.hold(folder);
        }
        result
    }

    /// Holds requests back after a refusal of this folder, unless another refusal does so already.
    fn hold(&self, folder: FolderId) {
        self.state.send_if_modified(|state| {
            let open = *state == State::Open;
            if open {
                *state = State::Held(folder);
            }
            open
        });
    }

    async fn get_patiently(&self, ask: Ask<'_>, key: &ApiKey) -> Result<Reply, PortalError> {
        let client = &*self.client;
        (|| self.ask_in_turn(ask, key))
            .retry(retry::backoff(client.retries))
            .when(|error| RetryReason::of(error).is_some())
            .adjust(|error, delay| {
                delay.map(|delay| retry::wait(delay, error.retry_after(), fastrand::f64()))
            })
            .notify(|error, _| {
                if let Some(reason) = RetryReason::of(error) {
                    client.observer.retried(ask.endpoint, reason);
                }
            })
            .await
    }

    /// Sends a request once, if the session is open: after a collection nobody tells any more what a refusal meant.
    async fn ask_at_once(&self, ask: Ask<'_>) -> Result<Reply, PortalError> {
        let asked = self
            .client
            .ask_once(ask, &self.key(), || self.is_open())
            .await;
        asked.unwrap_or(Err(PortalError::Refused))
    }

    /// Sends a request as soon as the session is open and it is its turn.
    async fn ask_in_turn(&self, ask: Ask<'_>, key: &ApiKey) -> Result<Reply, PortalError> {
        let mut state = self.state.subscribe();
        let is_open = || self.is_open();
        let goes_on = |state: &State| match *state {
            State::Open | State::Ended => true,
            State::Held(refused) => ask.folder == Some(refused),
        };
        loop {
            // The sender lives as long as this session.
            let _ = state.wait_for(goes_on).await;
            match *self.state.borrow() {
                State::Open => {}
                State::Held(refused) if ask.folder != Some(refused) => continue,
                State::Held(_) => return Err(PortalError::from_status(401, None, b"")),
                State::Ended => return Err(PortalError::Refused),
            }
            if let Some(result) = self.client.ask_once(ask, key, is_open).await {
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

    /// The key of this session where it is another one than `refused` by now.
    async fn rotated(&self, refused: &ApiKey) -> Option<ApiKey> {
        let fresh = self.client.read_key().await.ok()?;
        let changed = fresh != *refused;
        *self.key.lock().unwrap_or_else(PoisonError::into_inner) = fresh.clone();
        changed.then_some(fresh)
    }
}

/// Requests that can be sent at once, one after the other, each once, whatever comes of it.
pub struct AdmittedRequests<'a> {
    session: &'a Session,
    admission: Admission<'a>,
}

impl AdmittedRequests<'_> {
    /// Asks for a folder alone: whether it is there and may be used (docs/portal.md, One folder).
    pub async fn folder(&self, folder: FolderId) -> Result<(), PortalError> {
        let address = self.session.client.address(&[&folder.to_string()]);
        self.send(Endpoint::Folder, folder, &address)
            .await
            .map(drop)
    }

    /// Reads one page of a folder's files.
    pub async fn page(&self, folder: FolderId, page: PageRequest) -> Result<PageBody, PortalError> {
        let lane = Lane::default();
        let address = self.session.files(folder, &lane).address_of(page);
        let reply = self.send(Endpoint::Files, folder, &address).await?;
        Ok(PageBody::new(reply.body))
    }

    /// Reindexes the failed files of a folder (docs/portal.md, Reindex failed files).
    pub async fn reindex_failed(&self, id: FolderId) -> Requeue {
        let folder = id.to_string();
        let address = self.session.client.address(&[&folder, "reindex-failed"]);
        let reply = self.send(Endpoint::ReindexFailed, id, &address).await;
        Requeue::of(reply.map(|reply| reply.body))
    }

    /// Sends a request, if the session is open: after a collection nobody tells any more what a refusal meant.
    async fn send(
        &self,
        endpoint: Endpoint,
        folder: FolderId,
        address: &Url,
    ) -> Result<Reply, PortalError> {
        if !self.session.is_open() {
            return Err(PortalError::Refused);
        }
        let ask = Ask {
            endpoint,
            address,
            folder: Some(folder),
            limit: self.session.client.max_body_bytes,
            lane: &Lane::default(),
        };
        let client = &self.session.client;
        client.send(ask, &self.session.key(), &self.admission).await
    }
}

/// The files of one folder, which are read page by page.
pub struct Files<'a> {
    session: &'a Session,
    folder: FolderId,
    address: Url,
    lane: &'a Lane,
}

impl Files<'_> {
    /// Reads one page (docs/portal.md, File list).
    pub async fn page(&self, page: PageRequest) -> Result<PageBody, PortalError> {
        let address = self.address_of(page);
        let reply = self.session.get(self.ask(&address)).await?;
        Ok(PageBody::new(reply.body))
    }

    /// Looks for files by their name, by one request, whatever comes of it: the first page of those whose name or description holds the text.
    pub async fn named_once(&self, name: &str) -> Result<PageBody, PortalError> {
        let mut address = self.address_of(PageRequest::by_name(1));
        address.query_pairs_mut().append_pair("search", name);
        let reply = self.session.ask_at_once(self.ask(&address)).await?;
        Ok(PageBody::new(reply.body))
    }

    fn address_of(&self, page: PageRequest) -> Url {
        let mut address = self.address.clone();
        address.set_query(Some(&page.query()));
        address
    }

    fn ask<'b>(&'b self, address: &'b Url) -> Ask<'b> {
        Ask {
            endpoint: Endpoint::Files,
            address,
            folder: Some(self.folder),
            limit: self.session.client.max_body_bytes,
            lane: self.lane,
        }
    }
}
