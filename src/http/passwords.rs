//! Checks passwords against bcrypt hashes, at a bounded cost.
//!
//! A check costs tens of milliseconds of a processor by design. So what was found is remembered, one check runs at a time, and after a
//! wrong password the next check waits for [`REST`] times as long as the check took.

use std::collections::{BTreeMap, HashSet};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use aws_lc_rs::hmac;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::sleep;

/// Wrong passwords take a twentieth of one processor at most.
const REST: u32 = 19;

/// Right and wrong passwords that are remembered, each; then all are forgotten.
const REMEMBERED: usize = 1_000;

/// What became of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is the user's password.
    Right,
    /// There is no such user, or the password is another one.
    Wrong,
    /// A check for the same address is under way or waits.
    Busy,
}

/// Checks passwords and remembers what it found.
pub(super) struct Passwords {
    /// Makes a digest of what was checked, so that no password is remembered.
    key: hmac::Key,
    found: Mutex<Found>,
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
        aws_lc_rs::rand::fill(&mut secret).expect("the system has random numbers");
        Self {
            key: hmac::Key::new(hmac::HMAC_SHA256, &secret),
            found: Mutex::default(),
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
        if !self.found().busy.insert(peer) {
            return Verdict::Busy;
        }
        let is_right = self.compare(password, hash).await && known.is_some();
        let mut found = self.found();
        found.busy.remove(&peer);
        found.remember(digest, is_right)
    }

    /// Waits for the check before and makes one.
    async fn compare(&self, password: &str, hash: &str) -> bool {
        let Ok(permit) = Arc::clone(&self.checks).acquire_owned().await else {
            return false;
        };
        let (password, hash) = (password.to_owned(), hash.to_owned());
        let began = Instant::now();
        let compared = tokio::task::spawn_blocking(move || bcrypt::verify(password, &hash));
        let is_right = matches!(compared.await, Ok(Ok(true)));
        if !is_right {
            tokio::spawn(rest(permit, began));
        }
        is_right
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
        let found = self.found();
        if found.right.contains(digest) {
            return Some(Verdict::Right);
        }
        found.wrong.contains(digest).then_some(Verdict::Wrong)
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
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

/// Keeps the next check waiting.
async fn rest(permit: OwnedSemaphorePermit, began: Instant) {
    sleep(began.elapsed() * REST).await;
    drop(permit);
}
