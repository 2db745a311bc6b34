//! Who may call: keys and their sets of folders (docs/portal.md, Authentication).

use std::collections::HashMap;

use uuid::Uuid;

use super::refusal::Refusal;

const KEY_PREFIX: &str = "kbk_";

#[derive(Debug, Default)]
pub(super) struct Key {
    /// In the order in which they were granted.
    pub folders: Vec<Uuid>,
    pub revoked: bool,
}

#[derive(Debug, Default)]
pub(super) struct Access {
    pub keys: HashMap<String, Key>,
}

impl Access {
    pub fn issue(&mut self, key: &str) {
        self.keys.insert(key.to_owned(), Key::default());
    }

    /// The key of a request, once it is found good.
    pub fn admit<'a>(&self, authorization: Option<&'a str>) -> Result<&'a str, Refusal> {
        let presented = authorization.ok_or(Refusal::KeyMissing)?;
        let presented = bearer(presented).ok_or(Refusal::KeyMalformed)?;
        let key = self.keys.get(presented).ok_or_else(|| unknown(presented))?;
        if key.revoked {
            return Err(Refusal::KeyRevoked);
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
