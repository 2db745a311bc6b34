//! The configuration file as it is written: its sections, and the checks that need more than one key.

use std::collections::HashMap;

use serde::Deserialize;
use serde_saphyr::Spanned;

use crate::config::error::Fault;
use crate::config::errors::ErrorsKeys;
use crate::config::portal::PortalKeys;
use crate::config::reindex::ReindexKeys;
use crate::config::state::StateKeys;
use crate::config::{Collect, Config, Portal, Request, scalar, unavailable, yaml};

/// The whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    pub(super) portals: Spanned<Vec<Spanned<PortalKeys>>>,
    #[serde(default, deserialize_with = "scalar::section")]
    collect: Collect,
    #[serde(default, deserialize_with = "scalar::section")]
    request: Request,
    #[serde(default, deserialize_with = "scalar::section")]
    pub(super) errors: ErrorsKeys,
    #[serde(default, deserialize_with = "scalar::section")]
    pub(super) reindex: ReindexKeys,
    #[serde(default, deserialize_with = "scalar::section")]
    pub(super) state: StateKeys,
}

impl Document {
    /// Reads the file's text; every value is checked by itself.
    pub(super) fn parse(text: &str) -> Result<Self, Fault> {
        yaml::read(text)
    }

    /// Checks the values against each other.
    pub(super) fn check(self) -> Result<Config, Fault> {
        unavailable::check(&self.state)?;
        Ok(Config {
            portals: portals(self.portals)?,
            collect: self.collect,
            request: self.request,
            errors: self.errors.check(),
            reindex: self.reindex.check()?,
            state: self.state.check(),
        })
    }
}

fn portals(written: Spanned<Vec<Spanned<PortalKeys>>>) -> Result<Vec<Portal>, Fault> {
    if written.value.is_empty() {
        let advice =
            "at least one portal is needed, with name, base_url and api_key_file or api_key_env";
        return Err(Fault::about("portals", advice).at(written.referenced));
    }
    let mut names = HashMap::new();
    let mut portals = Vec::new();
    for (index, keys) in written.value.into_iter().enumerate() {
        let path = format!("portals[{index}]");
        let place = keys.value.name.referenced;
        let portal = keys.value.check(&path, keys.referenced)?;
        if let Some(first) = names.insert(portal.name.clone(), index) {
            let message = format!(
                "portals[{first}] has this name already; each portal needs a name of its own"
            );
            return Err(Fault::about(yaml::child(&path, "name"), message).at(place));
        }
        portals.push(portal);
    }
    Ok(portals)
}
