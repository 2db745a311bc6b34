//! Checks passwords against bcrypt hashes, at a bounded cost.
//!
//! A check costs tens of milliseconds of a processor by design. So each password is checked once, by a task that no client can end by
//! hanging up: requests wait for the result, and it is remembered. One check runs at a time, and after a wrong password the next check
//! waits for [`REST`] times as long as the check took.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::clock;
use crate::http::refusal::Refusal;
use crate::http::serve::Network;

/// Wrong passwords take a twentieth of one processor at most.
const REST: u32 = 19;

/// Wrong passwords that are remembered; then all are forgotten.
const REMEMBERED: usize = 1_000;

/// Checks that wait at once.
const WAITING: usize = 256;

/// bcrypt uses no more bytes of a password.
const LONGEST: usize = 72;

/// User and password in a request's header `Authorization` (RFC 7617).
#[derive(PartialEq, Eq)]
pub(super) struct Credentials {
    pub(super) user: String,
    pub(super) password: String,
}

impl Credentials {
    /// `None` if the header is missing, malformed or repeated.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let value = values.next().filter(|_| values.next().is_none())?;
        let (scheme, encoded) = value.to_str().ok()?.split_once(' ')?;
        let encoded = encoded.trim_matches(' ');
        let encoded = scheme.eq_ignore_ascii_case("Basic").then_some(encoded)?;
        let text = String::from_utf8(BASE64_STANDARD.decode(encoded).ok()?).ok()?;
        let (user, password) = text.split_once(':')?;
        Some(Self {
            user: user.to_owned(),
            password: password.to_owned(),
        })
    }
}

/// Checks passwords and remembers what it found.
#[derive(Default)]
pub(super) struct Passwords {
    /// Makes a digest of the checked password by a secret, so that no password is remembered.
    secret: RandomState,
    checks: Arc<Mutex<Checks>>,
}

#[derive(Default)]
struct Checks {
    /// What each check found; nothing as long as it waits or runs.
    results: HashMap<Digest, Answer>,
    waiting: BTreeMap<Network, Vec<Check>>,
    /// Whether a task carries out the checks that wait.
    is_working: bool,
}

/// Whether a password is right, once this is known.
type Answer = watch::Sender<Option<bool>>;

type Digest = u64;

struct Check {
    digest: Digest,
    hash: String,
    password: Vec<u8>,
    is_known: bool,
    answer: Answer,
}

impl Passwords {
    /// Checks the password of a user for a client in a network; whether there is no such user, nobody can tell.
    pub(super) async fn check(
        &self,
        users: &BTreeMap<String, String>,
        asked: &Credentials,
        network: Network,
    ) -> Result<(), Refusal> {
        let check = self.prepare(users, asked).ok_or(Refusal::Password)?;
        let mut result = self.result_of(check, network);
        match result.wait_for(Option::is_some).await.as_deref() {
            Ok(Some(true)) => Ok(()),
            Ok(_) => Err(Refusal::Password),
            // The check was given up.
            Err(_) => Err(Refusal::Waiting),
        }
    }

    /// For an unknown user the hash of some other one is checked, always the same, so that it takes as long as for a known user.
    fn prepare(&self, users: &BTreeMap<String, String>, asked: &Credentials) -> Option<Check> {
        let known = users.get(&asked.user);
        let hash = known.or_else(|| {
            let chosen = self.secret.hash_one(&asked.user) % users.len().max(1) as u64;
            users.values().nth(chosen.try_into().ok()?)
        })?;
        let password = asked.password.as_bytes();
        let password = &password[..password.len().min(LONGEST)];
        let is_known = known.is_some();
        let parts = (&asked.user, is_known, hash, password);
        Some(Check {
            digest: self.secret.hash_one(parts),
            hash: hash.clone(),
            password: password.to_vec(),
            is_known,
            answer: Answer::new(None),
        })
    }

    /// The result, which is known already or will be.
    fn result_of(&self, check: Check, network: Network) -> watch::Receiver<Option<bool>> {
        let mut checks = lock(&self.checks);
        if let Some(answer) = checks.results.get(&check.digest) {
            return answer.subscribe();
        }
        let result = check.answer.subscribe();
        checks.add(check, network);
        if !checks.is_working {
            checks.is_working = true;
            tokio::spawn(work(Arc::clone(&self.checks)));
        }
        result
    }
}

/// Carries out the checks that wait, one after the other, until none is left.
async fn work(checks: Arc<Mutex<Checks>>) {
    loop {
        let next = lock(&checks).next();
        let Some(check) = next else { return };
        let answer = check.answer.clone();
        let (is_right, took) = spawn_blocking(move || clock::measure(|| check.is_right()))
            .await
            .unwrap_or_default();
        answer.send_replace(Some(is_right));
        if !is_right {
            lock(&checks).forget_some();
            sleep(took * REST).await;
        }
    }
}

impl Check {
    fn is_right(&self) -> bool {
        bcrypt::verify(&self.password, &self.hash).unwrap_or(false) && self.is_known
    }
}

impl Checks {
    /// If too many wait, the network that has most of them gives one up.
    fn add(&mut self, check: Check, network: Network) {
        self.results.insert(check.digest, check.answer.clone());
        let number: usize = self.waiting.values().map(Vec::len).sum();
        let longest = self.waiting.iter().max_by_key(|(_, line)| line.len());
        let longest = longest.map(|(network, _)| *network);
        if let Some(longest) = longest.filter(|_| number >= WAITING)
            && let Some(given_up) = self.take_from(longest)
        {
            self.results.remove(&given_up.digest);
        }
        self.waiting.entry(network).or_default().push(check);
    }

    /// Chance decides, first among the networks, so that nobody is kept out for ever by others who ask more often.
    fn next(&mut self) -> Option<Check> {
        let network = fastrand::choice(self.waiting.keys().copied());
        let next = network.and_then(|network| self.take_from(network));
        self.is_working = next.is_some();
        next
    }

    fn take_from(&mut self, network: Network) -> Option<Check> {
        let line = self.waiting.get_mut(&network)?;
        let check = line.swap_remove(fastrand::usize(..line.len()));
        if line.is_empty() {
            self.waiting.remove(&network);
        }
        Some(check)
    }

    /// Forgets wrong passwords when they are many. There are no more right ones than users have passwords.
    fn forget_some(&mut self) {
        let is_wrong = |answer: &Answer| *answer.borrow() == Some(false);
        if self.results.values().filter(|one| is_wrong(one)).count() > REMEMBERED {
            self.results.retain(|_, answer| !is_wrong(answer));
        }
    }
}

fn lock(checks: &Mutex<Checks>) -> MutexGuard<'_, Checks> {
    checks.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
