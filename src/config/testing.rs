//! A portal for tests.

use std::path::Path;

use super::{BaseUrl, HiddenPath, KeySource, Portal};
use crate::model::PortalName;

/// A portal with a name and an address, whose key is in a file.
pub(crate) fn portal(name: &str, base_url: &str, key: impl AsRef<Path>) -> Portal {
    Portal::new(
        PortalName::new(name).unwrap(),
        BaseUrl::parse(base_url).unwrap(),
        KeySource::File(HiddenPath::file("api_key_file", key.as_ref())),
    )
}
