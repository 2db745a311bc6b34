//! Checks passwords against bcrypt hashes, at a bounded cost.
//!
//! A check costs tens of milliseconds of a processor by design. So what was found is remembered, one check runs at a time, and after a
//! wrong password the next check waits for [`REST`] times as long as the check took. A check that has begun does all this to its end, also
//! when its client hangs up.

use std::collections::{BTreeMap, HashSet};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ring::hmac;
use ring::rand::{SecureRandom as _, SystemRandom};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::clock;

/// Wrong passwords take a twentieth of one processor at most.
const REST: u32 = 19;

/// Right and wrong passwords that are remembered, each; then all are forgotten.
const REMEMBERED: usize = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Right,
    /// There is no such user, or the password is another one.
    Wrong,
    /// A check for the same address is under way or waits.
    Busy,
}

/// Checks passwords and remembers what it found.
pub(super) struct Passwords {
    /// Makes a digest of the checked password, so that no password is remembered.
    key: hmac::Key,
    found: Arc<Mutex<Found>>,
    checks: Arc<Semaphore>,
}

#[derive(Default)]
struct Found {
    right: HashSet<Digest>,
    wrong: HashSet<Digest>,
    /// Addresses for which a check is under way or waits.
    busy: HashSet<IpAddr>,
}

type Digest = [u8; 32];

impl Passwords {
    pub(super) fn new() -> Self {
        let mut secret = Digest::default();
        SystemRandom::new()
            .fill(&mut secret)
            .expect("the system has random numbers");
        Self {
            key: hmac::Key::new(hmac::HMAC_SHA256, &secret),
            found: Arc::default(),
            checks: Arc::new(Semaphore::new(1)),
        }
    }

    /// Checks the password of a user for a client at `peer`.
    pub(super) async fn check(
        &self,
        users: &BTreeMap<String, String>,
        user: &str,
        password: &str,
        peer: IpAddr,
    ) -> Verdict {
        let known = users.get(user);
        // For an unknown user another one's hash is checked, so that it takes as long.
        let Some(hash) = known.or_else(|| users.values().next()) else {
            return Verdict::Wrong;
        };
        let digest = self.digest(&[user, hash, password]);
        if let Some(verdict) = self.remembered(&digest) {
            return verdict;
        }
        let Some(busy) = Busy::mark(&self.found, peer) else {
            return Verdict::Busy;
        };
        let Ok(permit) = Arc::clone(&self.checks).acquire_owned().await else {
            return Verdict::Wrong;
        };
        let (password, hash, is_known) = (password.to_owned(), hash.to_owned(), known.is_some());
        let checked = spawn_blocking(move || {
            let verify = || bcrypt::verify(password, &hash).unwrap_or(false);
            let (is_right, took) = clock::measure(|| verify() && is_known);
            if !is_right {
                Handle::current().spawn(rest(permit, took));
            }
            lock(&busy.found).remember(digest, is_right)
        });
        checked.await.unwrap_or(Verdict::Wrong)
    }

    fn digest(&self, parts: &[&str]) -> Digest {
        let mut context = hmac::Context::with_key(&self.key);
        for part in parts {
            context.update(&part.len().to_le_bytes());
            context.update(part.as_bytes());
        }
        let mut digest = Digest::default();
        digest.copy_from_slice(context.sign().as_ref());
        digest
    }

    fn remembered(&self, digest: &Digest) -> Option<Verdict> {
        let found = lock(&self.found);
        if found.right.contains(digest) {
            return Some(Verdict::Right);
        }
        found.wrong.contains(digest).then_some(Verdict::Wrong)
    }
}

/// An address for which a check is under way or waits, until this is dropped.
struct Busy {
    found: Arc<Mutex<Found>>,
    address: IpAddr,
}

impl Busy {
    /// `None` if the address has a check already.
    fn mark(found: &Arc<Mutex<Found>>, address: IpAddr) -> Option<Self> {
        lock(found).busy.insert(address).then(|| Self {
            found: Arc::clone(found),
            address,
        })
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        lock(&self.found).busy.remove(&self.address);
    }
}

fn lock(found: &Mutex<Found>) -> MutexGuard<'_, Found> {
    found.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Found {
    fn remember(&mut self, digest: Digest, is_right: bool) -> Verdict {
        let (set, verdict) = if is_right {
            (&mut self.right, Verdict::Right)
        } else {
            (&mut self.wrong, Verdict::Wrong)
        };
        if set.len() >= REMEMBERED {
            set.clear();
        }
        set.insert(digest);
        verdict
    }
}

async fn rest(permit: OwnedSemaphorePermit, took: Duration) {
    sleep(took * REST).await;
    drop(permit);
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::pin::pin;

    use futures_util::poll;
    use tokio::task::yield_now;

    use super::*;
    use crate::clock::Moment;

    #[tokio::test(start_paused = true)]
    async fn the_rest_after_a_wrong_password_is_kept_when_the_client_hangs_up() {
        let passwords = Passwords::new();
        let users = [("alice".to_owned(), bcrypt::hash("right", 8).unwrap())].into();
        {
            let peer = Ipv4Addr::LOCALHOST.into();
            let check = pin!(passwords.check(&users, "alice", "wrong", peer));
            assert!(poll!(check).is_pending());
        }
        while !lock(&passwords.found).busy.is_empty() {
            assert_eq!(passwords.checks.available_permits(), 0, "the check goes on");
            yield_now().await;
        }
        assert_eq!(passwords.checks.available_permits(), 0, "the rest goes on");
        let ended = Moment::now().steady;
        drop(passwords.checks.acquire().await);
        assert!(ended.elapsed() > Duration::ZERO);
        assert_eq!(lock(&passwords.found).wrong.len(), 1, "it is remembered");
    }
}
