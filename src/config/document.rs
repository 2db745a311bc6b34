//! The configuration file as it is written: its sections, and the checks that need more than one key.

use std::collections::HashMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::config::error::Fault;
use crate::config::keys::child;
use crate::config::portal::PortalKeys;
use crate::config::state::StateKeys;
use crate::config::{Collect, Config, Errors, Portal, Reindex, Request, form};

/// The configuration of kb-exporter.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "kb-exporter configuration")]
pub(super) struct Document {
    /// The portals to watch
    #[schemars(length(min = 1))]
    portals: Vec<PortalKeys>,
    /// When and how the folders are read
    #[serde(default, deserialize_with = "form::section")]
    #[schemars(with = "Option<Collect>")]
    collect: Collect,
    /// Limits of a single request
    #[serde(default, deserialize_with = "form::section")]
    #[schemars(with = "Option<Request>")]
    request: Request,
    /// How reasons are grouped into classes
    #[serde(default, deserialize_with = "form::section")]
    #[schemars(with = "Option<Errors>")]
    errors: Errors,
    /// When failed files are sent to be processed again
    #[serde(default, deserialize_with = "form::section")]
    #[schemars(with = "Option<Reindex>")]
    reindex: Reindex,
    /// Where the program stores its state across restarts
    #[serde(default, deserialize_with = "form::section")]
    #[schemars(with = "Option<StateKeys>")]
    state: StateKeys,
}

impl Document {
    /// Checks the values against each other. Portals with faults are left out. No fault has a position.
    pub(super) fn check(self, faults: &mut Vec<Fault>) -> Config {
        Config {
            portals: portals(self.portals, faults),
            state: self.state.check(),
            collect: self.collect,
            request: self.request,
            errors: self.errors,
            reindex: self.reindex,
            written: Arc::default(),
        }
    }
}

fn portals(written: Vec<PortalKeys>, faults: &mut Vec<Fault>) -> Vec<Portal> {
    let mut portals = Vec::new();
    let mut names = HashMap::new();
    if written.is_empty() {
        let advice =
            "at least one portal is needed, with name, base_url and api_key_file or api_key_env";
        faults.push(Fault::about("portals", advice));
    }
    for (index, keys) in written.into_iter().enumerate() {
        let path = format!("portals[{index}]");
        let first = *names.entry(keys.name.clone()).or_insert(index);
        if first < index {
            let message = format!(
                "portals[{first}] has this name already; each portal needs a name of its own"
            );
            faults.push(Fault::about(child(&path, "name"), message));
        }
        let place = |key: &str| match key {
            "" => path.clone(),
            key => child(&path, key),
        };
        portals.extend(keys.check(&place, faults));
    }
    portals
}
