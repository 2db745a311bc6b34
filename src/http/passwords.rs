//! Checks passwords against bcrypt hashes, at a bounded cost.
//!
//! A check costs tens of milliseconds of a processor by design. So each password is checked once, and the result is remembered. One check runs at
//! a time, and after a wrong password the next check waits for [`REST`] times as long as the check took. So of five clients that guess, each keeps
//! another one waiting for a second.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, MutexGuard, PoisonError};

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep_until};

use crate::clock::{self, Moment};
use crate::http::refusal::Refusal;

/// Wrong passwords take a twentieth of one processor at most.
const REST: u32 = 19;

/// Wrong passwords that are remembered; then all are forgotten.
const REMEMBERED: usize = 1_000;

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
    known: Arc<Known>,
    /// Until when nothing is checked. Requests wait in their order, and lose their place when their client hangs up.
    rest: Arc<Mutex<Option<Instant>>>,
}

/// Whether a password is right, by its digest.
#[derive(Default)]
struct Known(std::sync::Mutex<HashMap<u64, bool>>);

struct Check {
    digest: u64,
    hash: String,
    password: Vec<u8>,
    is_known: bool,
}

impl Passwords {
    /// Checks the password of a user; whether there is no such user, nobody can tell.
    pub(super) async fn check(
        &self,
        users: &BTreeMap<String, String>,
        asked: &Credentials,
    ) -> Result<(), Refusal> {
        let check = self.prepare(users, asked).ok_or(Refusal::Password)?;
        let is_right = match self.known.get(check.digest) {
            Some(is_right) => is_right,
            None => self.carry_out(check).await,
        };
        is_right.then_some(()).ok_or(Refusal::Password)
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
        })
    }

    /// Waits for its turn and checks. Once it began, no client can end the check or the rest after it by hanging up.
    async fn carry_out(&self, check: Check) -> bool {
        let mut rest = Arc::clone(&self.rest).lock_owned().await;
        if let Some(end) = *rest {
            sleep_until(end).await;
        }
        if let Some(is_right) = self.known.get(check.digest) {
            return is_right;
        }
        let known = Arc::clone(&self.known);
        let checked = spawn_blocking(move || {
            let (is_right, took) = clock::measure(|| check.is_right());
            known.remember(check.digest, is_right);
            *rest = (!is_right).then(|| Moment::now().steady + took * REST);
            is_right
        });
        checked.await.unwrap_or_default()
    }
}

impl Check {
    fn is_right(&self) -> bool {
        bcrypt::verify(&self.password, &self.hash).unwrap_or(false) && self.is_known
    }
}

impl Known {
    fn get(&self, digest: u64) -> Option<bool> {
        self.lock().get(&digest).copied()
    }

    /// Forgets wrong passwords when they are many. There are no more right ones than users have passwords.
    fn remember(&self, digest: u64, is_right: bool) {
        let mut known = self.lock();
        if known.len() > REMEMBERED {
            known.retain(|_, is_right| *is_right);
        }
        known.insert(digest, is_right);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, bool>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
