//! Who may call: addresses, keys and their sets of folders (docs/portal.md, Authentication).

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::refusal::Refusal;

pub const KEY_PREFIX: &str = "kbk_";

#[derive(Debug, Default)]
pub(super) struct Key {
    /// In the order in which they were granted.
    pub folders: Vec<Uuid>,
    pub revoked: bool,
    pub expires: Option<DateTime<Utc>>,
}

#[derive(Debug, Default)]
pub(super) struct Access {
    pub keys: HashMap<String, Key>,
    pub addresses: Option<BTreeSet<IpAddr>>,
}

impl Access {
    pub fn issue(&mut self, key: &str) {
        self.keys.insert(key.to_owned(), Key::default());
    }

    /// The key of a request, once the address and the key are found good, in this order.
    pub fn admit<'a>(
        &self,
        address: IpAddr,
        authorization: Option<&'a str>,
        now: DateTime<Utc>,
    ) -> Result<&'a str, Refusal> {
        let addresses = self.addresses.as_ref();
        if addresses.is_some_and(|allowed| !allowed.contains(&address)) {
            return Err(Refusal::Address(address));
        }
        let presented = authorization.ok_or(Refusal::KeyMissing)?;
        let presented = bearer(presented).ok_or(Refusal::KeyMalformed)?;
        let key = self.keys.get(presented).ok_or_else(|| unknown(presented))?;
        if key.revoked {
            return Err(Refusal::KeyRevoked);
        }
        if key.expires.is_some_and(|expires| expires <= now) {
            return Err(Refusal::KeyExpired);
        }
        Ok(presented)
    }

    /// Whether a folder is in the set of a key.
    pub fn authorize(&self, key: &str, folder: Uuid) -> Result<(), Refusal> {
        let known = self.keys.get(key);
        known
            .filter(|known| known.folders.contains(&folder))
            .map(drop)
            .ok_or(Refusal::FolderForbidden)
    }
}

/// The key in a header value.
pub(super) fn bearer(authorization: &str) -> Option<&str> {
    authorization.strip_prefix("Bearer ")
}

/// Why a key that was not issued is refused. An issued one need not have the prefix: whoever starts this portal chooses it.
fn unknown(key: &str) -> Refusal {
    if key.len() > KEY_PREFIX.len() && key.starts_with(KEY_PREFIX) {
        Refusal::KeyUnknown
    } else {
        Refusal::KeyMalformed
    }
}
