//! Checks passwords against bcrypt hashes, at a bounded cost.
//!
//! A check costs tens of milliseconds of a processor by design. So each password is checked once, and the result is remembered. One check runs at
//! a time, and after a wrong password the next check waits for [`REST`] times as long as the check took. So of five clients that guess, each keeps
//! another one waiting for a second.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher as _, RandomState};
use std::ops::RangeInclusive;
use std::sync::Arc;

use bcrypt::HashParts;
use headers::authorization::Basic;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep_until};

use crate::clock::{self, Moment};

/// Wrong passwords take a twentieth of one processor at most.
const REST: u32 = 19;

/// Passwords that are remembered; then all are forgotten.
const REMEMBERED: usize = 1_000;

/// bcrypt uses no more bytes of a password.
const LONGEST: usize = 72;

/// Costs of bcrypt. A lower one is not defined, and a check with a higher one would take minutes.
const COSTS: RangeInclusive<u32> = 4..=20;

/// The bcrypt hash of a password.
#[derive(Clone, Hash, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub struct PasswordHash(String);

impl TryFrom<String> for PasswordHash {
    type Error = &'static str;

    fn try_from(hash: String) -> Result<Self, Self::Error> {
        match hash.parse().map(|parts: HashParts| parts.get_cost()) {
            Ok(cost) if COSTS.contains(&cost) => Ok(Self(hash)),
            Ok(_) => Err("a hash whose cost is not from 4 to 20"),
            Err(_) => Err("not a bcrypt hash; make one with htpasswd -nBC 10 USER"),
        }
    }
}

/// Checks passwords and remembers what it found.
#[derive(Default)]
pub struct Passwords {
    /// Makes a digest of the checked password by a secret, so that no password is remembered.
    secret: RandomState,
    /// Whether a password is right, by its digest.
    known: Arc<std::sync::Mutex<HashMap<u64, bool>>>,
    /// Until when nothing is checked. Requests wait in their order, and lose their place when their client hangs up.
    rest: Arc<Mutex<Option<Instant>>>,
}

impl Passwords {
    /// Whether a user has this password. That there is no such user, nobody can tell.
    pub(super) async fn check(
        &self,
        users: &BTreeMap<String, PasswordHash>,
        asked: &Basic,
    ) -> bool {
        let own = users.get(asked.username());
        // That of an unknown user takes as long.
        let Some(hash) = own.or_else(|| users.values().next()) else {
            return false;
        };
        let is_user = own.is_some();
        let password = asked.password().as_bytes();
        let password = &password[..password.len().min(LONGEST)];
        let digest = self.secret.hash_one((is_user, hash, password));
        if let Some(is_right) = self.remembered(digest) {
            return is_right;
        }
        let mut rest = Arc::clone(&self.rest).lock_owned().await;
        if let Some(end) = *rest {
            sleep_until(end).await;
        }
        if let Some(is_right) = self.remembered(digest) {
            return is_right;
        }
        let known = Arc::clone(&self.known);
        let (hash, password) = (hash.clone(), password.to_owned());
        // Once it began, no client can end the check or the rest after it by hanging up.
        let checked = spawn_blocking(move || {
            let check = || bcrypt::verify(&password, &hash.0).unwrap_or(false);
            let (is_right, took) = clock::measure(|| check() && is_user);
            if let Ok(mut known) = known.lock() {
                if known.len() >= REMEMBERED {
                    known.clear();
                }
                known.insert(digest, is_right);
            }
            *rest = (!is_right).then(|| Moment::now().steady + took * REST);
            is_right
        });
        checked.await.unwrap_or(false)
    }

    fn remembered(&self, digest: u64) -> Option<bool> {
        self.known.lock().ok()?.get(&digest).copied()
    }
}

#[cfg(test)]
mod tests;
